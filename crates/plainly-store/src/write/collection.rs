//! `create_collection`: creates a collection and the missing ones above it.

use std::sync::Arc;

use plainly_server::reply::StructuredOutput;
use plainly_server::store::{ChangeQuery, Writable, WriteError, Written};
use plainly_server::{Failure, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::change::{Change, Stop};
use super::output::{self, WriteOutput};
use super::{Writing, problems};

pub(super) const NAME: &str = "create_collection";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateArgs {
    /// URI or path of a directory.
    uri: String,
}

pub(super) fn tool<S: Writable>(source: &Arc<Writing<S>>) -> Tool {
    super::tool(NAME, source, create)
        .title("Create a collection")
        .description("Creates a directory and those above it, unless they exist.")
        .annotations(super::hints(false, true))
}

async fn create<S: Writable>(
    change: Change<S>,
    args: CreateArgs,
) -> Result<StructuredOutput<WriteOutput>, Failure> {
    let uri = change.view.uri_of_one(&args.uri)?;
    let store = &change.view.store;
    let explained = |error| match matches!(error, WriteError::Exists) {
        true => Stop::from(problems::in_the_way(&uri)),
        false => error.into(),
    };
    let check = async {
        let created = ChangeQuery::CreateCollection(&uri);
        store.check_change(created).await.map_err(explained)
    };
    let run = async { store.create_collection(&uri).await.map_err(explained) };
    let action = format!("Create the directory {uri}");
    change.make_harmless(&uri, &action, check, run).await?;
    Ok(output::written("There is the directory", Written::new(uri)))
}
