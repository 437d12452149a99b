//! `read_resource`: a file, or some lines of it; and `read_resources`: several files in one result,
//! which reports a file that can't be read in its place, without affecting the others. [`lines`]
//! selects the part of a text, and [`content`] converts one resource to a result: text by lines,
//! images and recordings unchanged. [`large`] reads lines of files that are too large to be read at
//! once.

mod content;
mod large;
mod lines;
mod output;

use std::sync::Arc;

use plainly_errors::{Problem, ProblemBag};
use plainly_protocol::types::Content;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::lines::{LineSelection, ReadPart};
use self::output::ReadOutput;
use crate::{self as tools, MEDIA_BYTES, StoreView, TEXT_BYTES, URI_BYTES};
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::{Store, Viewer};
use plainly_server::{Failure, Tool};

/// The maximum number of files in one call.
const MOST: usize = 50;

/// The maximum number of bytes shown of an argument that is too long for a URI.
const BEGINNING: usize = 100;

/// The minimum remaining size, in bytes, in which another text is started.
const LEAST: usize = 1 << 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadArgs {
    /// URI or path of a file.
    uri: String,
    /// First line, from 1.
    offset: Option<usize>,
    /// Number of lines.
    limit: Option<usize>,
    /// Number of lines from the end instead.
    tail: Option<usize>,
}

pub(super) fn one_tool<S: Store>(source: &Arc<StoreView<S>>) -> Tool {
    tools::tool_for_viewer("read_resource", source, read_one)
        .title("Read a resource")
        .description(
            "Reads a file: text, all of it or some lines; images and audio as such. A result has up to 256 KiB of text \
             and says which offset to continue with.",
        )
}

async fn read_one<S: Store>(
    source: Arc<StoreView<S>>,
    viewer: Viewer,
    args: ReadArgs,
) -> Result<StructuredOutput<ReadOutput>, Failure> {
    let (uri, mut part) = ReadPart::of_uri(&args.uri);
    if (args.offset, args.limit, args.tail) != (None, None, None) {
        part.lines = LineSelection::parse(args.offset, args.limit, args.tail)?;
    }
    let uri = source.uri_of_one(uri)?;
    let mut room = TEXT_BYTES;
    let (reading, content) = content::read(&source, &viewer, &uri, part, &mut room).await?;
    Ok(Json(reading).content(content))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadSeveralArgs {
    /// URIs or paths of files.
    #[schemars(length(min = 1, max = MOST))]
    uris: Vec<String>,
}

// The result for each file, in the order of the request.
#[derive(Serialize, JsonSchema)]
struct Readings {
    results: Vec<Outcome>,
}

// The result for one file.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Outcome {
    // The URI as requested, shortened if it is too long.
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<ReadOutput>,
    // The reason why the file could not be read, and what to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn several_tool<S: Store>(source: &Arc<StoreView<S>>) -> Tool {
    tools::tool_for_viewer("read_resources", source, read_several)
        .title("Read several resources")
        .description(
            "Reads several files at once, with up to 256 KiB of text in all. If a file can't be read, the result says why; \
             the others are still read.",
        )
}

async fn read_several<S: Store>(
    source: Arc<StoreView<S>>,
    viewer: Viewer,
    args: ReadSeveralArgs,
) -> Result<StructuredOutput<Readings>, Failure> {
    let mut results = Vec::new();
    let mut content = Vec::new();
    let mut problems = ProblemBag::new();
    let mut room = TEXT_BYTES;
    let mut media_room = MEDIA_BYTES;
    for uri in args.uris {
        let read = read_next(&source, &viewer, &uri, &mut room, &mut media_room).await;
        let uri = shown(uri);
        content.push(Content::text(format!("{uri}:")));
        let (read, error) = match read {
            Ok((reading, blocks)) => {
                content.extend(blocks);
                (Some(reading), None)
            }
            Err(problem) => {
                let text = problem.text().into_owned();
                content.push(Content::text(&text));
                problems.add(problem);
                (None, Some(text))
            }
        };
        results.push(Outcome { uri, read, error });
    }
    // If no file could be read, the call fails, because a model would take a success for a result.
    if problems.len() == results.len() {
        problems.into_result()?;
    }
    Ok(Json(Readings { results }).content(content))
}

/// Reads the next of several files into the remaining size.
async fn read_next<S: Store>(
    source: &StoreView<S>,
    viewer: &Viewer,
    uri: &str,
    room: &mut usize,
    media_room: &mut u64,
) -> Result<(ReadOutput, Vec<Content>), Problem> {
    let (written, part) = ReadPart::of_uri(uri);
    let found = source.uri_of_one(written)?;
    if *room < LEAST {
        return Err(full(uri));
    }
    let (reading, blocks) = content::read(source, viewer, &found, part, room).await?;
    let media = if reading.is_text() { 0 } else { reading.size() };
    *media_room = media_room.checked_sub(media).ok_or_else(|| full(uri))?;
    Ok((reading, blocks))
}

/// The URI as requested; only the beginning of an argument that is too long for a URI.
fn shown(mut uri: String) -> String {
    if uri.len() > URI_BYTES {
        uri.truncate(uri.floor_char_boundary(BEGINNING));
        uri.push('…');
    }
    uri
}

fn full(uri: &str) -> Problem {
    Problem::operation_failed(format!("{uri} did not fit into this result."))
        .suggest("Read it by itself.")
}
