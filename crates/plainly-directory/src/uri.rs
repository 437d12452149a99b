//! `file:///MOUNT/relative/path` and back. Every place has exactly one spelling: RFC 3986 with nothing percent-encoded that
//! can stand as it is, byte by byte, in upper case. Never looks at a disk.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use plainly::errors::mistake::quoted;
use plainly::store::StoreError;

/// The start of every URI: the scheme, and a host that is always empty.
pub(super) const ROOT: &str = "file:///";

/// The bytes that are percent-encoded: all but RFC 3986's `pchar`. A `?`, a `#` or a `\` is encoded, so none is ever ambiguous.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// The place that a URI names: a mount, and the names below it. No name is empty, `.`, `..`, or has a slash or NUL in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) mount: OsString,
    pub(super) path: Vec<OsString>,
}

impl Location {
    /// Reads a URI. A text that is no canonical URI is invalid; one that spells what no name can be is not found.
    pub(super) fn parse(uri: &str) -> Result<Self, StoreError> {
        let Some(rest) = uri.strip_prefix(ROOT) else {
            let why = "it does not start with file:///, in lower case and without a host";
            return Err(invalid(uri, why));
        };
        if rest.contains(['?', '#']) {
            let why = "it has a query or a fragment".into();
            return Err(StoreError::InvalidUri { why });
        }
        let names = rest.split('/').map(|segment| {
            let name = name(segment)?;
            // Also catches bad percent signs, which the decoder lets stand.
            match encode(&name) == segment {
                true => Ok(name),
                false => Err(invalid(uri, "its percent-encoding is not canonical")),
            }
        });
        let mut names = names.collect::<Result<VecDeque<_>, _>>()?;
        let mount = names.pop_front().expect("a split text has a first part");
        let path = names.into();
        Ok(Self { mount, path })
    }
}

/// The error of a URI that is spelled in another way than ours, with ours if there is one.
fn invalid(uri: &str, why: &'static str) -> StoreError {
    let why = match canonical(uri) {
        Some(uri) => format!("{why} (did you mean {uri:?}?)").into(),
        None => why.into(),
    };
    StoreError::InvalidUri { why }
}

/// The one spelling of a URI of a file on this machine, if it is of a length that a message repeats.
fn canonical(uri: &str) -> Option<String> {
    let (scheme, path) = uri.split_at_checked("file:".len())?;
    let path = ["///", "//localhost/", "/"]
        .iter()
        .find_map(|start| path.strip_prefix(start))?;
    if !is_file(scheme) || path.contains(['?', '#']) {
        return None;
    }
    let names: Result<Vec<String>, _> = path
        .split('/')
        .map(|it| name(it).map(|it| encode(&it)))
        .collect();
    let canonical = format!("{ROOT}{}", names.ok()?.join("/"));
    (*quoted(&canonical) == *canonical).then_some(canonical)
}

/// The URI of a mount.
pub(super) fn mount(name: &str) -> String {
    child(ROOT, OsStr::new(name))
}

/// The URI of the entry `name` in the collection `parent`.
pub(super) fn child(parent: &str, name: &OsStr) -> String {
    let slash = if parent.ends_with('/') { "" } else { "/" };
    format!("{parent}{slash}{}", encode(name))
}

/// The path from the collection `parent` down to `uri`, which is somewhere below it.
#[cfg(feature = "tools")]
pub(super) fn below(parent: &str, uri: &str) -> Option<std::path::PathBuf> {
    let path = uri.strip_prefix(parent)?.strip_prefix('/')?;
    from_bytes(percent_decode_str(path).collect()).map(Into::into)
}

/// The mount that a URI names, as it is spelled; `None` if it doesn't begin as our URIs do.
pub(super) fn spelled_mount(uri: &str) -> Option<&str> {
    uri.strip_prefix(ROOT)?.split('/').next()
}

/// Whether this is meant as a `file:` URI, in whatever spelling.
pub(super) fn is_file(uri: &str) -> bool {
    uri.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// A name as it stands in a URI.
pub(super) fn encode(name: &OsStr) -> String {
    encode_bytes(name.as_encoded_bytes())
}

/// Bytes that could be a name, as they would stand in a URI.
pub(super) fn encode_bytes(name: &[u8]) -> String {
    percent_encode(name, ENCODED).to_string()
}

/// One segment as a name. Decoded exactly once; an encoded slash stays part of the name, which then can't exist.
fn name(segment: &str) -> Result<OsString, StoreError> {
    let bytes: Vec<u8> = percent_decode_str(segment).collect();
    if matches!(&*bytes, b"" | b"." | b"..") || bytes.iter().any(|byte| matches!(byte, b'/' | 0)) {
        return Err(StoreError::NotFound);
    }
    from_bytes(bytes).ok_or(StoreError::NotFound)
}

/// The name of these bytes.
#[cfg(unix)]
pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes))
}

/// The name of these bytes, if they can be one.
#[cfg(not(unix))]
pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use proptest::prelude::*;

    use super::*;

    /// The reading of a URI: the names joined by `|`, or the error.
    fn read(uri: &str) -> String {
        match Location::parse(uri) {
            Ok(location) => std::iter::once(location.mount)
                .chain(location.path)
                .map(|name| name.to_string_lossy().escape_debug().to_string())
                .collect::<Vec<_>>()
                .join("|"),
            Err(StoreError::NotFound) => "not found".into(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn one_spelling_is_read_and_every_other_is_refused() {
        let begin =
            "invalid URI: it does not start with file:///, in lower case and without a host";
        let query = "invalid URI: it has a query or a fragment";
        for (uri, expected) in [
            ("file:///docs", "docs"),
            ("file:///docs/a/b.txt", "docs|a|b.txt"),
            ("file:///docs/a%20b%25%3F%23%5C", "docs|a b%?#\\\\"),
            (
                "file:///docs/(1)!$&'*+,;=:@~-_.x",
                "docs|(1)!$&\\'*+,;=:@~-_.x",
            ),
            ("file:///docs/%0A%1B", "docs|\\n\\u{1b}"),
            ("file:///docs/x;..", "docs|x;.."),
            ("file:///docs/...", "docs|..."),
            ("file:///docs/%252e%252e", "docs|%2e%2e"),
            ("file:///docs/%C3%A9", "docs|é"),
            ("file://evil/docs/a", begin),
            ("file://me@/docs/a", begin),
            ("http://x/docs/a", begin),
            (" file:///docs/a", begin),
            ("docs/a", begin),
            ("", begin),
            ("file:///docs/a?y", query),
            ("file:///docs/a#z", query),
            ("file:///", "not found"),
            ("file:////docs", "not found"),
            ("file:///docs/", "not found"),
            ("file:///docs/a/", "not found"),
            ("file:///docs//a", "not found"),
            ("file:///docs/./a", "not found"),
            ("file:///docs/../a", "not found"),
            ("file:///docs/a/../../a", "not found"),
            ("file:///..", "not found"),
            ("file:///docs/%2e%2e%2fa", "not found"),
            ("file:///docs/%2E%2E/a", "not found"),
            ("file:///docs/..%2fa", "not found"),
            ("file:///docs/..%2Fa", "not found"),
            ("file:///docs/a%2Fb", "not found"),
            ("file:///docs/a%00", "not found"),
        ] {
            assert_eq!(read(uri), expected, "{uri:?}");
        }
    }

    #[test]
    fn another_spelling_is_refused_with_the_one_that_is_read() {
        let begin = "it does not start with file:///, in lower case and without a host";
        let encoding = "its percent-encoding is not canonical";
        for (uri, why, meant) in [
            ("FILE:///docs/a", begin, "file:///docs/a"),
            ("file:/docs/a", begin, "file:///docs/a"),
            ("file://localhost/docs/a", begin, "file:///docs/a"),
            ("file:///docs/%c3%a9", encoding, "file:///docs/%C3%A9"),
            ("file:///docs/é", encoding, "file:///docs/%C3%A9"),
            ("file:///docs/%61", encoding, "file:///docs/a"),
            ("file:///docs/%28", encoding, "file:///docs/("),
            ("file:///docs/%zz", encoding, "file:///docs/%25zz"),
            ("file:///docs/%", encoding, "file:///docs/%25"),
            ("file:///docs/%4", encoding, "file:///docs/%254"),
            ("file:///docs/%u002e", encoding, "file:///docs/%25u002e"),
            ("file:///docs/a b", encoding, "file:///docs/a%20b"),
            ("file:///docs/a\tb", encoding, "file:///docs/a%09b"),
            ("file:///docs/a\nb", encoding, "file:///docs/a%0Ab"),
            ("file:///docs/..\\a", encoding, "file:///docs/..%5Ca"),
            ("file:///docs/[x]|^", encoding, "file:///docs/%5Bx%5D%7C%5E"),
        ] {
            let expected = format!("invalid URI: {why} (did you mean {meant:?}?)");
            assert_eq!(read(uri), expected, "{uri:?}");
        }
    }

    #[cfg(unix)]
    proptest! {
        #[test]
        fn every_name_comes_back_from_its_uri(bytes in proptest::collection::vec(1_u8.., 1..40)) {
            let bytes: Vec<u8> = bytes.into_iter().filter(|byte| *byte != b'/').collect();
            prop_assume!(!matches!(&*bytes, b"" | b"." | b".."));
            let name = from_bytes(bytes).unwrap();
            let uri = child(&mount("m"), &name);
            prop_assert!(uri.is_ascii());
            let location = Location::parse(&uri).unwrap();
            prop_assert_eq!(location.path, vec![name]);
        }

        #[test]
        fn what_is_read_is_written_the_same(rest in "[a-zA-Z0-9%./?#é ~:@-]{0,30}") {
            let uri = format!("file:///{rest}");
            if let Ok(location) = Location::parse(&uri) {
                let written = location.path.iter().fold(
                    child(ROOT, &location.mount),
                    |parent, name| child(&parent, name),
                );
                prop_assert_eq!(written, uri);
            }
        }
    }
}
