//! `move_resource`: gives a resource another URI.

use std::sync::Arc;

use plainly_server::reply::StructuredOutput;
use plainly_server::store::{ChangeQuery, RenameQuery, StoreError, When, Writable, WriteError};
use plainly_server::{Failure, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::change::{Change, Stop};
use super::output::{self, WriteOutput};
use super::{Writing, problems};
use crate::entry;

pub(super) const NAME: &str = "move_resource";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveArgs {
    /// URI or path of a file or directory.
    from: String,
    /// New URI or path.
    to: String,
    /// Fails if its tag is another one.
    if_tag: Option<String>,
}

pub(super) fn tool<S: Writable>(source: &Arc<Writing<S>>) -> Tool {
    super::tool(NAME, source, rename)
        .title("Move a resource")
        .description("Moves or renames a file or directory, never over something that exists.")
        .annotations(super::hints(true, false))
}

async fn rename<S: Writable>(
    change: Change<S>,
    args: MoveArgs,
) -> Result<StructuredOutput<WriteOutput>, Failure> {
    let from = change.view.uri_of_one(&args.from)?;
    let to = change.view.uri_of_one(&args.to)?;
    if args.to.trim_end().ends_with('/') && is_file(&change, &from).await {
        return Err(problems::names_a_directory("to", &args.to).into());
    }
    let when = args.if_tag.as_deref().map_or(When::Always, When::Tag);
    let query = RenameQuery::new(&from, &to).when(when);
    let store = &change.view.store;
    let check = async {
        let checked = store.check_change(ChangeQuery::Rename(query)).await;
        explained(&change, query, checked).await
    };
    let run = async { explained(&change, query, store.rename(query).await).await };
    let action = format!("Move {from} to {to}");
    let written = change.make_harmless(&from, &action, check, run).await?;
    Ok(output::written(&format!("Moved {from} to"), written))
}

/// The result of a move. An error that concerns the new URI names that one.
async fn explained<S: Writable, T>(
    change: &Change<S>,
    RenameQuery { from, to, .. }: RenameQuery<'_>,
    outcome: Result<T, WriteError>,
) -> Result<T, Stop> {
    match outcome {
        Ok(done) => Ok(done),
        Err(WriteError::Exists) => Err(Stop::from(problems::in_the_way(to))),
        Err(WriteError::Denied { why }) => {
            Err(problems::denied(&format!("{from} to {to}"), &why).into())
        }
        Err(WriteError::Store(StoreError::NotFound)) if exists(change, from).await => {
            Err(crate::problems::no_place(&change.view, to).await.into())
        }
        Err(WriteError::Store(error @ StoreError::InvalidUri { .. }))
            if exists(change, from).await =>
        {
            Err(crate::problems::of(&change.view, to, error).await.into())
        }
        Err(error) => Err(error.into()),
    }
}

async fn exists<S: Writable>(change: &Change<S>, uri: &str) -> bool {
    change.view.store.metadata(uri).await.is_ok()
}

async fn is_file<S: Writable>(change: &Change<S>, uri: &str) -> bool {
    let found = change.view.store.metadata(uri).await;
    found.is_ok_and(|resource| !entry::is_collection(&resource))
}
