//! Converts `file:///MOUNT/relative/path` to names and back. Listings use one spelling: RFC 3986,
//! with only necessary characters percent-encoded, byte by byte, in upper case. Parsing accepts any
//! other spelling that decodes to the same names. Never accesses the disk.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use plainly::store::StoreError;

/// The prefix of every listed URI: the scheme, and a host that is always empty.
pub(super) const ROOT: &str = "file:///";

/// The bytes that are percent-encoded: all except RFC 3986's `pchar`. `?`, `#` and `\` are encoded,
/// so they are never ambiguous.
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

/// The location that a URI names: a mount, and the names below it. No name is empty, `.`, `..`, or
/// contains a slash or NUL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) mount: OsString,
    pub(super) path: Vec<OsString>,
}

impl Location {
    /// Parses a URI in any spelling, with or without a slash at its end. A text that is not a file
    /// URI is invalid; a URI with an impossible name is not found.
    pub(super) fn parse(uri: &str) -> Result<Self, StoreError> {
        let path = path(uri)?;
        if path.contains(['?', '#']) {
            return Err(invalid(
                "it has a query, or a fragment that names no part (#line=A,B, #tail=N, #bytes=A-B, #page=A-B): in a name, write %3F for ? and %23 for #",
            ));
        }
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut names = path.split('/').map(name);
        let mount = names.next().expect("a split text has a first part")?;
        let path = names.collect::<Result<_, _>>()?;
        Ok(Self { mount, path })
    }

    /// The URI in the spelling of listings.
    pub(super) fn uri(&self) -> String {
        let mut uri = child(ROOT, &self.mount);
        for name in &self.path {
            push(&mut uri, name);
        }
        uri
    }
}

/// The path in a file URI of this machine, without its first slash.
fn path(uri: &str) -> Result<&str, StoreError> {
    let rest = uri.get("file:".len()..).filter(|_| is_file(uri));
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix('/')) else {
        return Err(invalid("it does not start with file:///"));
    };
    let Some(rest) = rest.strip_prefix('/') else {
        return Ok(rest);
    };
    match rest.split_once('/') {
        Some((host, path)) if host.is_empty() || host.eq_ignore_ascii_case("localhost") => Ok(path),
        Some(_) | None => Err(invalid(
            "it names a host: start it with file:///, and the name of a directory",
        )),
    }
}

fn invalid(why: &'static str) -> StoreError {
    StoreError::InvalidUri { why: why.into() }
}

/// The URI of a mount.
pub(super) fn mount(name: &str) -> String {
    child(ROOT, OsStr::new(name))
}

/// The URI of the entry `name` in the collection `parent`.
pub(super) fn child(parent: &str, name: &OsStr) -> String {
    let mut uri = String::with_capacity(parent.len() + 1 + name.len());
    uri.push_str(parent);
    push(&mut uri, name);
    uri
}

/// Appends the name of an entry to the URI of its collection.
fn push(uri: &mut String, name: &OsStr) {
    if !uri.ends_with('/') {
        uri.push('/');
    }
    uri.extend(percent_encode(name.as_encoded_bytes(), ENCODED));
}

/// The path from the collection `parent` down to `uri`; `None` if `uri` isn't below it.
#[cfg(feature = "tools")]
pub(super) fn below(parent: &str, uri: &str) -> Option<std::path::PathBuf> {
    let path = uri.strip_prefix(parent)?.strip_prefix('/')?;
    from_bytes(percent_decode_str(path).collect()).map(Into::into)
}

/// The name of the mount in a URI. Fails if the URI is not a file URI.
pub(super) fn mount_of(uri: &str) -> Result<OsString, StoreError> {
    let first = path(uri)?.split(['/', '?', '#']).next();
    name(first.unwrap_or_default())
}

/// Whether a URI names the collection above all mounts.
pub(super) fn is_top(uri: &str) -> bool {
    path(uri).is_ok_and(str::is_empty)
}

/// Whether this is a `file:` URI, in any spelling and even if invalid.
pub(super) fn is_file(uri: &str) -> bool {
    uri.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Encodes a name for a URI.
#[cfg(feature = "tools")]
pub(super) fn encode(name: &OsStr) -> String {
    percent_encode(name.as_encoded_bytes(), ENCODED).to_string()
}

/// Decodes one segment, exactly once. A decoded slash would be part of the name, so such a name is
/// not found.
fn name(segment: &str) -> Result<OsString, StoreError> {
    let mut encoded = segment.split('%').skip(1);
    let is_hexadecimal = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    if !encoded.all(|rest| (0..2).all(|index| is_hexadecimal(rest.as_bytes().get(index)))) {
        return Err(invalid(
            "a % in it is not followed by two hexadecimal digits: write %25 for a percent sign",
        ));
    }
    let bytes: Cow<'_, [u8]> = percent_decode_str(segment).into();
    if bytes.contains(&0) {
        return Err(invalid("a name in it contains NUL, which no name can"));
    }
    if matches!(&*bytes, b"" | b"." | b"..") || bytes.contains(&b'/') {
        return Err(StoreError::NotFound);
    }
    from_bytes(bytes.into_owned()).ok_or(StoreError::NotFound)
}

/// The name of these bytes.
#[cfg(unix)]
pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes))
}

/// The name of these bytes; `None` if they are not UTF-8.
#[cfg(not(unix))]
pub(super) fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use proptest::prelude::*;

    use super::*;

    /// The result of parsing a URI: the names joined by `|`, or the error.
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
    fn each_spelling_is_read_as_the_names_that_it_decodes_to() {
        for (uri, names) in [
            ("file:///docs", "docs"),
            ("file:///docs/", "docs"),
            ("file:///docs/a/b.txt", "docs|a|b.txt"),
            ("FILE:///docs/a", "docs|a"),
            ("file:/docs/a", "docs|a"),
            ("file://localhost/docs/a", "docs|a"),
            ("file://LOCALHOST/docs/a/", "docs|a"),
            ("file:///%64ocs/%61", "docs|a"),
            ("file:///docs/a%20b%25%3F%23%5C", "docs|a b%?#\\\\"),
            ("file:///docs/a b\t\n", "docs|a b\\t\\n"),
            (
                "file:///docs/(1)!$&'*+,;=:@~-_.x",
                "docs|(1)!$&\\'*+,;=:@~-_.x",
            ),
            ("file:///docs/%28%7e%7E[id]%5bid%5D", "docs|(~~[id][id]"),
            ("file:///docs/%0A%1B", "docs|\\n\\u{1b}"),
            ("file:///docs/x;..", "docs|x;.."),
            ("file:///docs/...", "docs|..."),
            ("file:///docs/%252e%252e", "docs|%2e%2e"),
            ("file:///docs/%C3%A9", "docs|é"),
            ("file:///docs/%c3%a9", "docs|é"),
            ("file:///docs/é", "docs|é"),
            ("file:///docs/..\\a", "docs|..\\\\a"),
        ] {
            assert_eq!(read(uri), names, "{uri:?}");
        }
    }

    #[test]
    fn what_names_no_file_is_refused() {
        let begin = "invalid URI: it does not start with file:///";
        let host =
            "invalid URI: it names a host: start it with file:///, and the name of a directory";
        let query = "invalid URI: it has a query, or a fragment that names no part (#line=A,B, #tail=N, #bytes=A-B, #page=A-B): in a name, write %3F for ? and %23 for #";
        let percent = "invalid URI: a % in it is not followed by two hexadecimal digits: write %25 for a \
                       percent sign";
        let nul = "invalid URI: a name in it contains NUL, which no name can";
        for (uri, expected) in [
            ("http://x/docs/a", begin),
            (" file:///docs/a", begin),
            ("file:docs/a", begin),
            ("file:\\\\\\docs", begin),
            ("docs/a", begin),
            ("", begin),
            ("file://docs", host),
            ("file://evil/docs/a", host),
            ("file://me@/docs/a", host),
            ("file://localhost:80/docs/a", host),
            ("file:///docs/a?y", query),
            ("file:///docs/a#z", query),
            ("file:///docs/%zz", percent),
            ("file:///docs/%", percent),
            ("file:///docs/a%4", percent),
            ("file:///docs/%4é", percent),
            ("file:///docs/%u002e", percent),
            ("file:///docs/a%00", nul),
            ("file:///docs/a\0", nul),
            ("file:///", "not found"),
            ("file:////", "not found"),
            ("file:////docs", "not found"),
            ("file:///docs//", "not found"),
            ("file:///docs//a", "not found"),
            ("file:///docs/./a", "not found"),
            ("file:///docs/../a", "not found"),
            ("file:///docs/..", "not found"),
            ("file:///docs/../", "not found"),
            ("file:///docs/a/../../a", "not found"),
            ("file:///..", "not found"),
            ("file:///docs/%2e%2e%2fa", "not found"),
            ("file:///docs/%2E%2E/a", "not found"),
            ("file:///docs/.%2e/a", "not found"),
            ("file:///docs/%2e/a", "not found"),
            ("file:///docs/..%2fa", "not found"),
            ("file:///docs/..%2Fa", "not found"),
            ("file:///docs/a%2Fb", "not found"),
            ("file:///docs%2Fa", "not found"),
        ] {
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
        fn what_is_read_has_one_listed_spelling(rest in "[a-zA-Z0-9%./?#é ~:@-]{0,30}") {
            let uri = format!("file:///{rest}");
            if let Ok(location) = Location::parse(&uri) {
                let listed = location.uri();
                let again = Location::parse(&listed).unwrap();
                prop_assert_eq!(again.uri(), listed);
                prop_assert_eq!(
                    (again.mount, again.path),
                    (location.mount, location.path)
                );
            }
        }
    }
}
