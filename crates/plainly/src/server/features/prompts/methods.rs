//! The methods of prompts, and the completion of what prompts and templates are filled in with.

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::types::{CompleteParams, GetPromptParams, ListPromptsParams, Reference};

use crate::server::Server;
use crate::server::answer::Answer;
use crate::server::audience::Audience;
use crate::server::extract::{CompletionCall, PromptCall};
use crate::server::route::{Routes, Step, now};
use crate::server::scope::Scope;

impl Server {
    pub(in crate::server) fn list_prompts(
        &self,
        params: &ListPromptsParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let limits = self.limits();
        let prompts = &self.0.routes.prompts;
        let page = prompts.list(params, self.0.cursors.of(scope.peer()), limits.page_entries)?;
        Ok(now(Answer::ListPrompts(page, prompts.cache_hint())))
    }

    pub(in crate::server) fn get_prompt(
        &self,
        GetPromptParams {
            name, arguments, ..
        }: GetPromptParams,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let Routes {
            prompts, states, ..
        } = &self.0.routes;
        let call = PromptCall {
            arguments: &arguments.unwrap_or_default(),
            subject: self.subject(Method::GetPrompt, &name, params),
            scope,
            states,
        };
        Ok(Step::Later(Audience::Code, prompts.find(&name)?.get(&call)))
    }

    pub(in crate::server) fn complete(
        &self,
        CompleteParams {
            reference,
            argument,
            context,
            ..
        }: CompleteParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let Routes {
            prompts,
            resources,
            states,
            ..
        } = &self.0.routes;
        let others = context.and_then(|context| context.arguments);
        let call = CompletionCall {
            text: &argument.value,
            others: &others.unwrap_or_default(),
            scope,
            states,
        };
        let completing = match &reference {
            Reference::Prompt { name } => {
                let prompt = prompts.find(name)?;
                prompt.completable().complete(&argument.name, &call)?
            }
            Reference::Resource { uri } => {
                let template = resources.completable(uri)?;
                template.complete(&argument.name, &call)?
            }
        };
        Ok(Step::Later(Audience::Code, completing))
    }
}
