//! `delete_resource`: deletes a file, or a collection, on request with its contents.

use std::sync::Arc;

use plainly_protocol::types::Content;
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::{ChangeQuery, RemoveQuery, When, Writable, WriteError};
use plainly_server::{Failure, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Change, Stop};
use super::{Confirm, Writing};

pub(super) const NAME: &str = "delete_resource";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteArgs {
    /// URI or path of a file or directory.
    uri: String,
    /// Deletes a directory with everything in it.
    recursive: Option<bool>,
    /// Fails if its tag is another one.
    if_tag: Option<String>,
}

// A resource that was deleted.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct DeleteOutput {
    uri: String,
    // The name with which the server's operator can restore the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    restorable: Option<String>,
}

pub(super) fn tool<S: Writable>(source: &Arc<Writing<S>>) -> Tool {
    super::tool(NAME, source, delete)
        .title("Delete a resource")
        .description("Deletes a file or directory.")
        .annotations(super::hints(true, true))
}

async fn delete<S: Writable>(
    change: Change<S>,
    args: DeleteArgs,
) -> Result<StructuredOutput<DeleteOutput>, Failure> {
    let uri = change.view.uri_of_one(&args.uri)?;
    let when = args.if_tag.as_deref().map_or(When::Always, When::Tag);
    let query = RemoveQuery::new(&uri).when(when);
    let store = &change.view.store;
    let is_recursive = args.recursive.unwrap_or_default();
    let one = |permanent| async move {
        match store.remove(query.permanent(permanent)).await {
            Ok(removed) => Ok(Some(removed)),
            // Only a collection with contents needs the user's consent, and only this error shows
            // that it has contents.
            Err(WriteError::NotEmpty) if is_recursive => Ok(None),
            Err(error) => Err(Stop::from(error)),
        }
    };
    let all = |permanent| async move {
        let query = query.recursive(true).permanent(permanent);
        Ok(store.remove(query).await?)
    };
    let check = || async {
        let removed = ChangeQuery::Remove(query.recursive(is_recursive));
        Ok(store.check_change(removed).await?)
    };
    let action = match is_recursive {
        true => format!("Delete {uri} with everything in it"),
        false => format!("Delete {uri}"),
    };
    let removed = match change.make(&uri, &action, check(), one).await? {
        Some(removed) => removed,
        None => {
            // With `Confirm::All`, the user has agreed already.
            if change.writing.settings.confirm == Confirm::Destructive {
                change.done(&uri, check().await).await?;
                change.confirmed("tree", &action, None).await?;
            }
            change.run(&uri, &action, all).await?
        }
    };
    let mut text = format!("Deleted {uri}.");
    if let Some(name) = &removed.restorable {
        text.push_str(" The operator of the server can restore it as ");
        text.push_str(name);
        text.push('.');
    }
    let output = DeleteOutput {
        uri,
        restorable: removed.restorable,
    };
    Ok(Json(output).content([Content::text(text)]))
}
