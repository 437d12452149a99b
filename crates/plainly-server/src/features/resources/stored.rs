//! Resources of stores. Their contents are checked and completed before they are sent. The error
//! for a missing resource suggests the one that was probably meant.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use plainly_errors::ProtocolError;
use plainly_protocol::types::{CompleteResult, Completion, Resource, ResourceContents};
use plainly_protocol::uri_template::{UriTemplate, Values};
use tokio::time::timeout;

use super::{contents, listing_failed, meant, part};
use crate::answer::{AnswerFuture, MethodResult};
use crate::extract::CompletionCall;
use crate::mistakes;
use crate::store::{DynStore, ListQuery, StoreError, Typed, Wanted};

/// The time limit for the listing that a suggestion needs, because the client waits for it.
const SUGGESTING: Duration = Duration::from_secs(1);

/// Reads a resource. With `is_open`, an error may suggest another resource.
pub(super) async fn read(
    store: &dyn DynStore,
    uri: &str,
    wanted: &Wanted,
    is_open: bool,
) -> Result<Vec<ResourceContents>, ProtocolError> {
    match checked(store, uri, wanted).await {
        Ok(contents) => Ok(contents),
        Err(error) => Err(refusal(store, uri, error, is_open).await),
    }
}

/// Reads a resource, unless it has this tag. In that case the result confirms the client's content
/// as current.
pub(super) async fn read_unless(
    store: &dyn DynStore,
    uri: &str,
    wanted: &Wanted,
    tag: &str,
    is_open: bool,
) -> Result<Vec<ResourceContents>, ProtocolError> {
    let mut resource = metadata(store, uri, is_open).await?;
    if resource.own_tag() != Some(tag) {
        return read(store, uri, wanted, is_open).await;
    }
    uri.clone_into(&mut resource.uri);
    Ok(vec![ResourceContents::not_modified(resource)])
}

/// The metadata of a resource. With `is_open`, an error may suggest another resource.
pub(super) async fn metadata(
    store: &dyn DynStore,
    uri: &str,
    is_open: bool,
) -> Result<Resource, ProtocolError> {
    match store.metadata(uri).await {
        Ok(resource) => Ok(resource),
        Err(error) => Err(refusal(store, uri, error, is_open).await),
    }
}

/// Completes a variable of a template of the store. The listed template may have an additional
/// variable.
pub(super) fn complete(
    store: &Arc<dyn DynStore>,
    (template, listed): (&str, &str),
    variable: &str,
    call: &CompletionCall<'_>,
) -> Result<AnswerFuture, ProtocolError> {
    let parsed = UriTemplate::parse(listed);
    let known: Vec<&str> = parsed.iter().flat_map(UriTemplate::variables).collect();
    if !known.contains(&variable) {
        return Err(mistakes::unknown(
            "/argument/name",
            variable,
            "argument",
            known,
        ));
    }
    let (store, text) = (Arc::clone(store), call.text.to_owned());
    let (template, variable) = (template.to_owned(), variable.to_owned());
    let others = call.others.iter();
    let known: Values = others
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Ok(Box::pin(async move {
        let typed = Typed::new(&template, &variable, &text, &known);
        // One more value than allowed shows whether there are more.
        let values = store.complete(typed.limit(Completion::MOST + 1)).await;
        let mut values = values.map_err(|error| listing_failed("values", error))?;
        let has_more = values.len() > Completion::MOST;
        values.truncate(Completion::MOST);
        let mut completion = Completion::new(values);
        completion.has_more = Some(has_more);
        Ok(MethodResult::new(CompleteResult::new(completion), None).into())
    }))
}

/// The URI whose name is closest to that of `uri`, among the first resources in `parent` or in the
/// whole store.
pub(super) async fn meant_by(
    store: &dyn DynStore,
    uri: &str,
    parent: Option<&str>,
) -> Option<String> {
    if !store.can_suggest() || !store.facts().may_suggest() {
        return None;
    }
    let mut query = ListQuery::new(meant::LOOKED_AT);
    query.parent = parent;
    let page = timeout(SUGGESTING, store.list(query)).await.ok()?.ok()?;
    meant::among(uri, page.resources.iter().map(|it| &*it.uri))
}

async fn checked(
    store: &dyn DynStore,
    uri: &str,
    wanted: &Wanted,
) -> Result<Vec<ResourceContents>, StoreError> {
    let mut contents = store.read_as(uri, wanted).await?;
    echo(store, uri, &mut contents);
    let broken = contents::check(uri, &contents).err();
    // Nearly all contents are valid for any resource, and complete. Only the others need further
    // checks.
    if broken.is_some() || contents::lack_metadata(uri, &contents) {
        let mut resource = store.metadata(uri).await?;
        // The tag may already belong to other content.
        resource.remove_tag();
        match (resource.is_collection, broken) {
            (Some(false), Some(broken)) => return Err(StoreError::Failed(broken.into())),
            (Some(_), _) => {}
            (None, broken) => warn(store, uri, broken),
        }
        contents::describe(uri, &mut contents, &resource);
    }
    contents::complete(uri, &mut contents, &wanted.formats);
    Ok(contents)
}

/// Sets the URI of the resource's own contents to the spelling that the client used.
fn echo(store: &dyn DynStore, uri: &str, contents: &mut [ResourceContents]) {
    if contents.iter().all(|content| content.uri == uri) {
        return;
    }
    let listed = store.spelling(uri);
    let Some(listed) = listed.filter(|listed| listed != uri) else {
        return;
    };
    for content in contents.iter_mut().filter(|content| content.uri == listed) {
        uri.clone_into(&mut content.uri);
    }
}

/// The error for the peer. For a missing resource it suggests the one that was probably meant, if
/// that is public.
async fn refusal(
    store: &dyn DynStore,
    uri: &str,
    error: StoreError,
    is_open: bool,
) -> ProtocolError {
    if is_open && matches!(error, StoreError::NotFound) {
        return meant::not_found(uri, beside(store, uri).await);
    }
    if let StoreError::TooLarge { size, limit } = error {
        return part::too_large(store, uri, (size, limit)).await;
    }
    error.into_protocol_error(uri)
}

/// The resource beside `uri` with a similar name. If no resource is above `uri`, the whole store is
/// searched.
async fn beside(store: &dyn DynStore, uri: &str) -> Option<String> {
    let uri = &*store.spelling(uri).unwrap_or(Cow::Borrowed(uri));
    let above = uri.trim_end_matches('/').rsplit_once('/');
    let parent = above.map(|(parent, _)| parent);
    let served = parent.filter(|parent| store.serves(parent));
    meant_by(store, uri, served).await
}

/// Warns once that the store omits metadata, because SEP-2093 allows that but the operator should
/// know.
fn warn(store: &dyn DynStore, uri: &str, broken: Option<contents::ContentsFault>) {
    if !store.facts().is_to_be_warned_of() {
        return;
    }
    let but = broken.map(|broken| broken.to_string());
    tracing::warn!(
        uri,
        but,
        "a store doesn't say whether its resources are collections: they need isCollection"
    );
}
