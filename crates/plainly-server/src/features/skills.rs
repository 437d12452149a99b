//! `skills/list` and `skills/get` for the program's skills.

use std::sync::Arc;

use plainly_errors::mistake::quoted;
use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    GetSkillParams, GetSkillResult, ListSkillsParams, ListSkillsResult, Skill,
};

use super::Features;
use super::resources::{check_length, listing_failed};
use crate::answer::MethodResult;
use crate::audience::{Audience, MethodAnswer};
use crate::failure::Failure;
use crate::request::MethodCall;
use crate::skills::ErasedSkills;
use crate::store::{EndlessListing, StoreError};

impl Features {
    /// The skills; an error if the program has none.
    fn skills(&self, method: Method) -> Result<Arc<dyn ErasedSkills>, ProtocolError> {
        let skills = self.skills.clone();
        skills.ok_or_else(|| ProtocolError::method_not_found(method.name()))
    }

    pub(super) fn list_skills(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let ListSkillsParams { cursor, .. } = call.read()?;
        let skills = self.skills(Method::ListSkills)?;
        let hint = skills.cache_hint();
        let (features, scope) = (Arc::clone(self), call.scope.clone());
        let listing = async move {
            let name = Method::ListSkills.name();
            let cursors = features.cursors.of(scope.peer());
            let after = cursor
                .map(|cursor| cursors.open(name, &cursor))
                .transpose()?;
            let limit = features.limits.page_entries;
            let page = match skills.list(after.clone(), limit).await {
                Ok(page) if page.next.is_some() && page.next == after => {
                    Err(StoreError::Failed(EndlessListing.into()))
                }
                page => page,
            };
            let failed = |error| Failure::of_server(listing_failed("skills", error));
            let page = page.map_err(failed)?;
            let mut result = ListSkillsResult::new(page.skills);
            let next = page.next.as_deref();
            result.next_cursor = next.map(|next| cursors.seal(name, next)).transpose()?;
            Ok(MethodResult::new(result, None).cached(hint).into())
        };
        Ok(MethodAnswer::Later(Audience::Code, Box::pin(listing)))
    }

    pub(super) fn get_skill(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let GetSkillParams { uri, .. } = call.read()?;
        check_length(&uri, &self.limits)?;
        let skills = self.skills(Method::GetSkill)?;
        let hint = skills.cache_hint();
        let finding = async move {
            let found: Result<Skill, StoreError> = skills.get(uri.clone()).await;
            let skill = found.map_err(|error| match error {
                // In every revision the code is that of invalid parameters, even where a missing
                // resource has another one.
                StoreError::NotFound => InvalidParams::UnknownSkill {
                    uri: quoted(&uri).into_owned(),
                }
                .into(),
                StoreError::InvalidUri { .. }
                | StoreError::NotACollection
                | StoreError::InvalidCursor
                | StoreError::TooLarge { .. }
                | StoreError::NoSuchPart { .. }
                | StoreError::TimedOut { .. }
                | StoreError::Unstable
                | StoreError::Overloaded
                | StoreError::Failed(_) => error.into_protocol_error(&uri),
            });
            let result = GetSkillResult::new(skill.map_err(Failure::of_server)?);
            Ok(MethodResult::new(result, None).cached(hint).into())
        };
        Ok(MethodAnswer::Later(Audience::Code, Box::pin(finding)))
    }
}
