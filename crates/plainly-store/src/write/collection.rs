//! `create_collection`: a collection and those above it.

use std::sync::Arc;

use plainly_server::reply::StructuredOutput;
use plainly_server::store::{Writable, WriteError, Written};
use plainly_server::{Failure, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::change::Change;
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
    let run = async {
        match change.view.store.create_collection(&uri).await {
            Err(WriteError::Exists) => Err(problems::in_the_way(&uri).into()),
            outcome => Ok(outcome?),
        }
    };
    let action = format!("Create the directory {uri}");
    change.make_harmless(&uri, &action, run).await?;
    Ok(output::written("There is the directory", Written::new(uri)))
}
