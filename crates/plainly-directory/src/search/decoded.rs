//! The beginning of an open file as text, in whatever encoding it is.

use std::ffi::OsStr;
use std::io::Seek as _;

use cap_std::fs::File;
use memchr::memrchr;
use plainly::protocol::types::Body;

use crate::{describe, handle, types};

/// The maximum number of bytes that are decoded.
pub(super) const DECODED_BYTES: u64 = 1 << 20;

/// The beginning of a file; `None` if it is not text.
pub(super) fn beginning(file: &File, name: &OsStr) -> Option<String> {
    match decoded(file, name)?.0 {
        Body::Text(text) => Some(text),
        Body::Blob(bytes) if bytes.contains(&0) => None,
        // The encoding is unknown.
        Body::Blob(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The name of the encoding of a file, to judge by its beginning; `None` if it is UTF-8, unknown,
/// or not text.
pub(super) fn encoding(file: &File, name: &OsStr) -> Option<String> {
    decoded(file, name)?.1
}

/// The beginning of a file, and its encoding unless it is UTF-8; `None` if it can't be read.
fn decoded(mut file: &File, name: &OsStr) -> Option<(Body, Option<String>)> {
    let read = file
        .rewind()
        .and_then(|()| handle::read_up_to(file, DECODED_BYTES));
    let mut bytes = read
        .inspect_err(|error| tracing::debug!(%error, "can't decode a file for a search"))
        .ok()?;
    let is_utf_16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    // Cuts at the last line, because no encoding would fit a cut character of several bytes.
    if bytes.len() as u64 == DECODED_BYTES
        && !is_utf_16
        && let Some(end) = memrchr(b'\n', &bytes)
    {
        bytes.truncate(end + 1);
    }
    let mime_type = types::of_name(name).unwrap_or(describe::UNKNOWN);
    Some(describe::decoded(bytes, mime_type))
}
