//! The metadata of a file or directory as a resource, from the open handle. The name determines the
//! MIME type; the content only if the name is unknown.

use std::ffi::OsStr;

use cap_std::fs::{File, Metadata};
use infer::MatcherType;
use jiff::Timestamp;
use plainly::protocol::types::{Annotations, Body, Resource, TEXT_ENCODING};
use plainly::store::StoreError;

use super::encoding::{self, Decoded};
use super::handle;
use super::place::{OpenEntry, OpenFile};
use super::walk::Entry;
use super::{title, types};

/// The bytes at the beginning of a file that determine whether it is text.
const HEAD_BYTES: usize = 4096;

/// The MIME type of unknown content.
pub(super) const UNKNOWN: &str = "application/octet-stream";

/// Describes an entry of a listing.
pub(super) fn entry(entry: &Entry) -> Result<Resource, StoreError> {
    opened(&entry.uri, &entry.name, &entry.opened)
}

/// Describes an opened file or directory.
pub(super) fn opened(uri: &str, name: &OsStr, opened: &OpenEntry) -> Result<Resource, StoreError> {
    match opened {
        OpenEntry::Directory(place) => Ok(collection(uri, name, &place.metadata()?)),
        OpenEntry::File(OpenFile { file, metadata, .. }) => {
            let mime_type = types::of_name(name).unwrap_or_else(|| {
                match handle::read_up_to(file, HEAD_BYTES as u64) {
                    Ok(head) => from_head(name, &head),
                    // Reading the file reports the error.
                    Err(_) => UNKNOWN,
                }
            });
            Ok(self::file(uri, name, mime_type, metadata))
        }
    }
}

/// The collection above all mounts, which is not a directory of the host.
pub(super) fn top(uri: &str) -> Resource {
    Resource::new(uri, "files")
        .mime_type("inode/directory")
        .is_collection(true)
}

/// Describes a file whose content was read.
pub(super) fn with_content(
    uri: &str,
    name: &OsStr,
    metadata: &Metadata,
    content: &[u8],
) -> Resource {
    let head = content.get(..HEAD_BYTES).unwrap_or(content);
    let mime_type = types::of_name(name).unwrap_or_else(|| from_head(name, head));
    // The number of bytes read, because some file systems report size 0 for every file.
    file(uri, name, mime_type, metadata).size(content.len() as u64)
}

/// Sets the title of a file whose content begins with `head`.
pub(super) fn entitle(resource: &mut Resource, head: &[u8]) {
    let mime_type = resource.mime_type.as_deref().unwrap_or_default();
    resource.title = title::title(mime_type, head);
}

/// Sets the title of a file whose content was not read, if files of its type have titles.
pub(super) fn entitle_file(resource: &mut Resource, file: &File) {
    if resource.mime_type.as_deref().is_some_and(title::is_titled)
        && let Ok(head) = handle::read_up_to(file, title::HEAD_BYTES as u64)
    {
        entitle(resource, &head);
    }
}

/// The body of a file: text if possible, with the encoding in the resource's metadata unless it is
/// UTF-8.
pub(super) fn body(content: Vec<u8>, resource: &mut Resource) -> Body {
    let mime_type = resource.mime_type.as_deref().unwrap_or_default();
    let (body, encoding) = decoded(content, mime_type);
    if let Some(encoding) = encoding {
        let meta = resource.meta.get_or_insert_default();
        meta.insert(TEXT_ENCODING.to_owned(), encoding.into());
    }
    body
}

/// The body of a file of this type, and its encoding unless it is UTF-8.
pub(super) fn decoded(content: Vec<u8>, mime_type: &str) -> (Body, Option<String>) {
    let decoded = |decoded: Decoded| {
        let encoding = decoded.encoding();
        (Body::Text(decoded.text), Some(encoding))
    };
    if let Some(text) = encoding::utf_16(&content) {
        return decoded(text);
    }
    match Body::of_bytes(content) {
        Body::Blob(bytes) if types::is_text(mime_type) => match encoding::legacy(&bytes, mime_type)
        {
            Some(text) => decoded(text),
            None => (Body::Blob(bytes), None),
        },
        body @ (Body::Text(_) | Body::Blob(_)) => (body, None),
    }
}

fn file(uri: &str, name: &OsStr, mime_type: &str, metadata: &Metadata) -> Resource {
    base(uri, name, metadata)
        .mime_type(mime_type)
        .size(metadata.len())
        .is_collection(false)
}

fn collection(uri: &str, name: &OsStr, metadata: &Metadata) -> Resource {
    base(uri, name, metadata)
        .mime_type("inode/directory")
        .is_collection(true)
}

fn base(uri: &str, name: &OsStr, metadata: &Metadata) -> Resource {
    let resource = Resource::new(uri, name.to_string_lossy());
    match last_modified(metadata) {
        Some(time) => resource.annotations(Annotations::new().last_modified(time)),
        None => resource,
    }
}

/// The time in UTC, in milliseconds; `None` where the file system doesn't know it.
fn last_modified(metadata: &Metadata) -> Option<String> {
    let time = Timestamp::try_from(metadata.modified().ok()?.into_std()).ok()?;
    Some(
        Timestamp::from_millisecond(time.as_millisecond())
            .ok()?
            .to_string(),
    )
}

/// The MIME type by the beginning of the content. Text is always plain text, because detecting HTML
/// or SVG would turn a text into an active page.
fn from_head(name: &OsStr, head: &[u8]) -> &'static str {
    let is_text = is_text_so_far(head);
    match types::shared(name) {
        Some((text, _)) if is_text || !head.iter().any(encoding::is_control) => text,
        Some((_, binary)) => binary,
        None if is_text => "text/plain",
        None => infer::get(head)
            .filter(|kind| kind.matcher_type() != MatcherType::Text)
            .map_or(UNKNOWN, |kind| kind.mime_type()),
    }
}

/// Whether this may be the beginning of a text. The last character may be incomplete.
fn is_text_so_far(head: &[u8]) -> bool {
    let whole = head.get(..HEAD_BYTES - 2).unwrap_or(head);
    if encoding::utf_16(head)
        .or_else(|| encoding::utf_16(whole))
        .is_some()
    {
        return true;
    }
    match str::from_utf8(head) {
        Ok(_) => !head.contains(&0),
        Err(error) => error.error_len().is_none() && head.len() == HEAD_BYTES && !head.contains(&0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides_then_the_content() {
        let long = "é".repeat(HEAD_BYTES);
        let cut = &long.as_bytes()[1..=HEAD_BYTES];
        assert_eq!(cut.len(), HEAD_BYTES);
        let png = b"\x89PNG\r\n\x1a\n\0\0";
        for (name, content, expected) in [
            ("a.md", b"# x".as_slice(), "text/markdown"),
            ("a.json", b"{}", "application/json"),
            ("a.html", b"<html>", "text/html"),
            ("a.svg", b"<svg/>", "image/svg+xml"),
            ("a.txt", png, "text/plain"),
            ("A.PNG", b"text", "image/png"),
            ("a.ts", b"let a = 1;", "text/typescript"),
            ("a.TS", b"G\0\xff\xff", "video/mp2t"),
            ("note", b"hello", "text/plain"),
            ("note", b"", "text/plain"),
            ("note", "gr\u{fc}n".as_bytes(), "text/plain"),
            ("note", &long.as_bytes()[..HEAD_BYTES], "text/plain"),
            ("README", b"caf\xe9", "text/plain"),
            ("a.ts", b"// caf\xe9", "text/typescript"),
            ("note", b"caf\xe9", "application/octet-stream"),
            ("note", b"cut \xc3", "application/octet-stream"),
            ("page", b"<!DOCTYPE html><html>", "text/plain"),
            (
                "page",
                b"<!DOCTYPE html><html>\xff\0",
                "application/octet-stream",
            ),
            ("script", b"#!/bin/sh\n\xff", "application/octet-stream"),
            (
                "drawing",
                b"<svg xmlns='http://www.w3.org/2000/svg'/>",
                "text/plain",
            ),
            ("picture", png, "image/png"),
            ("picture.unknown-ending", png, "image/png"),
            ("zeros", &[0; 64], "application/octet-stream"),
            ("log", b"\xff\xfeh\0i\0", "text/plain"),
            ("log", b"\xfe\xff\0h\0i", "text/plain"),
            ("log", b"\xff\xfeh\0i", "application/octet-stream"),
            ("log", b"\xff\xfe\0\xd8h\0", "application/octet-stream"),
            ("log", b"\xff\xfeh\0\0\0", "application/octet-stream"),
            ("half", cut, "application/octet-stream"),
        ] {
            let name = OsStr::new(name);
            let found = types::of_name(name).unwrap_or_else(|| from_head(name, content));
            assert_eq!(found, expected, "{name:?}");
        }
    }

    #[test]
    fn a_text_that_is_cut_within_a_character_is_text() {
        let text = format!("x{}", "é".repeat(HEAD_BYTES));
        let musical = format!("\u{feff}{}", "𝄞".repeat(HEAD_BYTES));
        let utf_16: Vec<u8> = musical.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for text in [text.as_bytes(), &utf_16] {
            let head = &text[..HEAD_BYTES];
            assert_eq!(from_head(OsStr::new("a"), head), "text/plain");
        }
    }
}
