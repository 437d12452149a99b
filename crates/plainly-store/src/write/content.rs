//! `write_resource`: replaces the content of a resource, or appends to it.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use plainly_errors::Problem;
use plainly_server::reply::StructuredOutput;
use plainly_server::store::{
    ByteRange, ChangeQuery, RangeQuery, Ranged, StoreError, When, Writable, WriteError, WriteQuery,
};
use plainly_server::{Failure, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::change::{Change, Stop};
use super::output::{self, WriteOutput};
use super::{Writing, problems};

pub(super) const NAME: &str = "write_resource";

/// The first bytes of a content. A content that is not text has a NUL there.
const HEAD: ByteRange = ByteRange::From {
    first: 0,
    most: 8 << 10,
};

/// Extensions of names that text never has.
const BINARY_ENDINGS: [&str; 34] = [
    "7z", "avif", "bmp", "doc", "docm", "docx", "epub", "gif", "gz", "heic", "ico", "jpeg", "jpg",
    "mov", "mp3", "mp4", "odp", "ods", "odt", "ogg", "pdf", "png", "ppt", "pptm", "pptx", "tif",
    "tiff", "wav", "webm", "webp", "xls", "xlsm", "xlsx", "zip",
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteArgs {
    /// URI or path of a file.
    uri: String,
    /// Its text.
    text: Option<String>,
    /// Its bytes, if it is no text.
    base64: Option<String>,
    /// Adds to the end instead of replacing the content.
    append: Option<bool>,
    /// Fails if its tag is another one.
    if_tag: Option<String>,
    /// Fails if it exists.
    create_only: Option<bool>,
}

pub(super) fn tool<S: Writable>(source: &Arc<Writing<S>>) -> Tool {
    super::tool(NAME, source, write)
        .title("Write a resource")
        .description("Writes a file, and creates it if it is absent.")
        .annotations(super::hints(true, false))
}

async fn write<S: Writable>(
    change: Change<S>,
    args: WriteArgs,
) -> Result<StructuredOutput<WriteOutput>, Failure> {
    let uri = change.view.uri_of_one(&args.uri)?;
    if args.uri.trim_end().ends_with('/') {
        return Err(problems::names_a_directory("uri", &args.uri).into());
    }
    let appends = args.append.unwrap_or_default();
    if let Some(text) = &args.text {
        check_text(&change.view.store, &uri, (text, appends)).await?;
    }
    let bytes = bytes_of(args.text, args.base64)?;
    let limit = change.writing.settings.bytes;
    if bytes.len() > limit {
        return Err(problems::too_large(&uri, bytes.len(), limit).into());
    }
    let mut query = WriteQuery::new(&uri, bytes);
    query.append = appends;
    query.when = match (args.create_only.unwrap_or_default(), &args.if_tag) {
        (false, None) => When::Always,
        (false, Some(tag)) => When::Tag(tag),
        (true, None) => When::Absent,
        (true, Some(_)) => return Err(problems::one_condition().into()),
    };
    let action = match appends {
        true => format!("Append to {uri}"),
        false => format!("Write {uri}"),
    };
    let (store, uri) = (&change.view.store, &uri);
    let check = async {
        let written = ChangeQuery::Write(query.clone());
        explained(&change, uri, store.check_change(written).await).await
    };
    let change = &change;
    let run = |permanent| {
        let query = query.clone().permanent(permanent);
        async move {
            let size = query.bytes.len() as u64;
            let held = store.budget().take(size).await;
            let _held = held.map_err(WriteError::Store)?;
            explained(change, uri, store.write(query).await).await
        }
    };
    let written = change.make(uri, &action, check, run).await?;
    let done = match (written.is_new, appends) {
        (true, _) => "Created",
        (false, true) => "Appended to",
        (false, false) => "Wrote",
    };
    Ok(output::written(done, written))
}

/// The result of a change. If the place doesn't exist, the error names what is missing.
async fn explained<S: Writable, T>(
    change: &Change<S>,
    uri: &str,
    outcome: Result<T, WriteError>,
) -> Result<T, Stop> {
    match outcome {
        Err(WriteError::Store(StoreError::NotFound)) => {
            Err(crate::problems::no_place(&change.view, uri).await.into())
        }
        outcome => outcome.map_err(Stop::from),
    }
}

/// Rejects text for a document, image or notebook, because programs couldn't open the file any
/// more. A model may have read such a resource as text.
async fn check_text<S: Writable>(
    store: &S,
    uri: &str,
    (text, appends): (&str, bool),
) -> Result<(), Problem> {
    let ending = crate::problems::last(uri).rsplit_once('.');
    let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
    if ending.is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("ipynb"))
        && (appends || !is_json())
    {
        return Err(problems::no_notebook(uri));
    }
    let is_binary_ending = |ending: &str| {
        let mut known = BINARY_ENDINGS.iter();
        known.any(|known| known.eq_ignore_ascii_case(ending))
    };
    if ending.is_some_and(|(_, ending)| is_binary_ending(ending)) {
        return Err(problems::wrong_ending(uri));
    }
    match store.read_range(RangeQuery::new(uri, HEAD)).await {
        Ok(head) if is_binary(&head.bytes) => Err(problems::no_text(uri)),
        Ok(head) if appends && !begins_utf_8(&head) => Err(problems::other_encoding(uri)),
        // The change itself reports other errors.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn is_binary(head: &[u8]) -> bool {
    let is_utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    head.contains(&0) && !is_utf16
}

/// Whether the beginning of a text is UTF-8. If the text continues, the last character may be
/// incomplete.
fn begins_utf_8(head: &Ranged) -> bool {
    let goes_on = head.size > head.bytes.len() as u64;
    str::from_utf8(&head.bytes)
        .map_or_else(|error| goes_on && error.error_len().is_none(), |_| true)
}

fn bytes_of(text: Option<String>, base64: Option<String>) -> Result<Bytes, Problem> {
    match (text, base64) {
        (Some(text), None) => Ok(text.into()),
        (None, Some(base64)) => match STANDARD.decode(base64) {
            Ok(bytes) => Ok(bytes.into()),
            Err(_) => Err(
                Problem::validation("base64", "expected standard base64 with padding.")
                    .suggest("Encode the bytes in base64, or use text."),
            ),
        },
        (None, None) => Err(Problem::missing_required("text")
            .suggest("Give the content as text or base64; empty text for an empty file.")),
        (Some(_), Some(_)) => Err(Problem::validation("base64", "there is text as well.")
            .suggest("Give the content as one of them.")),
    }
}
