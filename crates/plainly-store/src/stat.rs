//! `stat_resource`: the metadata of one resource, without reading it.

use std::sync::Arc;

use plainly_protocol::types::Content;
use schemars::JsonSchema;
use serde::Deserialize;

use super::entry::{self, Entry};
use super::{StoreView, problems};
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::Store;
use plainly_server::{Failure, Tool};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatArgs {
    /// URI or path of a file or directory.
    uri: String,
}

pub(super) fn tool<S: Store>(source: &Arc<StoreView<S>>) -> Tool {
    super::tool("stat_resource", source, run)
        .title("Describe a resource")
        .description(
            "Shows whether a file or directory exists, its size, MIME type and the time of its last change.",
        )
}

async fn run<S: Store>(
    source: Arc<StoreView<S>>,
    args: StatArgs,
) -> Result<StructuredOutput<Entry>, Failure> {
    let uri = source.uri_of_one(&args.uri)?;
    match source.store.metadata(&uri).await {
        Ok(resource) => {
            let text = Content::text(entry::line(&resource));
            let entry = Entry::from(&resource);
            Ok(Json(entry).content([text, Content::resource_link(resource)]))
        }
        Err(error) => Err(problems::of(&source, &uri, error).await.into()),
    }
}
