//! `read_resource`: a file, or some lines of it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::content::{self, Reading};
use super::lines::LineSelection;
use crate::server::reply::{Json, Shown};
use crate::server::{Failure, Tool};
use crate::store::Store;
use crate::store::tools::{self, StoreView, TEXT_BYTES};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    /// The file, as a URI or path from another call.
    uri: String,
    /// The number of the first line to read, from 1.
    offset: Option<usize>,
    /// How many lines to read from there.
    limit: Option<usize>,
    /// Read this many lines from the beginning, instead of offset and limit.
    head: Option<usize>,
    /// Read this many lines from the end, instead of offset and limit.
    tail: Option<usize>,
}

pub(in crate::store::tools) fn tool<S: Store>(source: &Arc<StoreView<S>>) -> Tool {
    tools::tool("read_resource", source, run)
        .title("Read a resource")
        .description(
            "Reads a file: text as it is (offset and limit, head or tail select lines), images as images, recordings as \
             audio, anything else as an embedded resource. One result has up to 256 KiB of text, and says which \
             offset to continue with. Use read_resources for several files at once.",
        )
}

async fn run<S: Store>(
    source: Arc<StoreView<S>>,
    args: ReadArgs,
) -> Result<Shown<Reading>, Failure> {
    let part = LineSelection::parse(args.offset, args.limit, args.head, args.tail)?;
    let uri = source.uri_of_one(&args.uri)?;
    let mut room = TEXT_BYTES;
    let (reading, content) = content::read(&source, &uri, part, &mut room).await?;
    Ok(Json(reading).content(content))
}
