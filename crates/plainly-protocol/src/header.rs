//! The HTTP header fields of the protocol, and the codec of the values that mirror the body
//! (`Mcp-Name`, `Mcp-Param-*`).
//!
//! Text that is not allowed in a header field is written as `=?base64?…?=` (2026-07-28,
//! basic/transports/streamable-http, "Value Encoding"). This module does not know which header
//! mirrors which member, or how a mismatch is handled.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

/// Names the revision of a request; from 2025-06-18.
pub const MCP_PROTOCOL_VERSION: &str = "mcp-protocol-version";
/// Names the session of a request; legacy revisions only.
pub const MCP_SESSION_ID: &str = "mcp-session-id";
/// Repeats the method of a modern request. Never encoded.
pub const MCP_METHOD: &str = "mcp-method";
/// Repeats the tool's or prompt's name or the resource's URI of a modern request; see [`encode`].
pub const MCP_NAME: &str = "mcp-name";
/// The prefix of the name of a header that repeats one of the arguments of a modern tool call; see
/// [`encode`].
pub const MCP_PARAM_PREFIX: &str = "mcp-param-";
/// Names the last event that a client saw before it lost a stream; legacy revisions only.
pub const LAST_EVENT_ID: &str = "last-event-id";

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// The reason why the value of a mirrored header can't be decoded. The peer gets a header mismatch
/// error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderValueError {
    /// A byte that is neither visible ASCII nor space nor tab: the sender had to encode the value.
    #[error("header value contains a character that needs encoding")]
    Character,
    /// The payload isn't Base64 in the standard alphabet with canonical padding and trailing bits.
    #[error("header value contains invalid base64")]
    Base64,
    /// The decoded payload isn't UTF-8.
    #[error("header value contains base64 of invalid utf-8")]
    Utf8,
}

/// Encodes `value` as header text: unchanged if that is safe, otherwise as Base64 between
/// `=?base64?` and `?=`.
///
/// The result consists of visible ASCII with spaces and tabs inside and has no line break.
/// [`decode`] returns `value` again.
pub fn encode(value: &str) -> Cow<'_, str> {
    // A value that only looks encoded is encoded too, because a reader would decode it to something
    // else.
    if is_field_text(value) && trim(value).len() == value.len() && !looks_encoded(value) {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value)))
    }
}

/// Decodes the text of a header to the value that it represents.
///
/// Surrounding spaces and tabs are removed. The markers are case-sensitive. One without the other
/// is plain text, and so is `=?base64?=`, in which they overlap. A decoded value can contain any
/// character: compare it, never write it out raw.
pub fn decode(value: &str) -> Result<Cow<'_, str>, HeaderValueError> {
    let value = trim(value);
    if !is_field_text(value) {
        return Err(HeaderValueError::Character);
    }
    let payload = value
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    let Some(payload) = payload else {
        return Ok(Cow::Borrowed(value));
    };
    let bytes = STANDARD
        .decode(payload)
        .map_err(|_| HeaderValueError::Base64)?;
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| HeaderValueError::Utf8)
}

/// Also true for `=?base64?=`, because a careless reader would mistake it for an encoded value.
fn looks_encoded(value: &str) -> bool {
    value.starts_with(PREFIX) && value.ends_with(SUFFIX)
}

fn is_field_text(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

fn trim(value: &str) -> &str {
    value.trim_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn encodes_what_cannot_stand_as_it_is() {
        let cases = [
            ("us-west1", "us-west1"),
            ("", ""),
            ("a b\tc", "a b\tc"),
            ("~!\"#", "~!\"#"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
            ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
            ("=?base64?SGk=", "=?base64?SGk="),
            ("SGk=?=", "SGk=?="),
            ("=?BASE64?SGk=?=", "=?BASE64?SGk=?="),
            ("a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="),
            ("\t", "=?base64?CQ==?="),
            (" ", "=?base64?IA==?="),
            ("a\u{7f}", "=?base64?YX8=?="),
            ("\0", "=?base64?AA==?="),
        ];
        for (value, text) in cases {
            assert_eq!(encode(value), text, "{value:?}");
            assert_eq!(decode(text).as_deref(), Ok(value), "{text:?}");
        }
    }

    #[test]
    fn decodes_strictly() {
        use HeaderValueError::{Base64, Character, Utf8};
        let cases = [
            ("=?base64?SGVsbG8=?=", Ok("Hello")),
            ("\t =?base64?SGVsbG8=?= \t", Ok("Hello")),
            ("  plain  ", Ok("plain")),
            ("=?base64??=", Ok("")),
            ("=?base64?=", Ok("=?base64?=")),
            ("=?base64?", Ok("=?base64?")),
            ("=?base64?SGVsbG8=", Ok("=?base64?SGVsbG8=")),
            ("SGVsbG8=?=", Ok("SGVsbG8=?=")),
            ("=?BASE64?SGVsbG8=?=", Ok("=?BASE64?SGVsbG8=?=")),
            ("=?Base64?SGVsbG8=?=", Ok("=?Base64?SGVsbG8=?=")),
            ("=?base64?DQoA?=", Ok("\r\n\0")),
            // An encoded value inside another is decoded only once.
            ("=?base64?PT9iYXNlNjQ/U0drPT89?=", Ok("=?base64?SGk=?=")),
            ("=?base64?=?base64?SGk=?=?=", Err(Base64)),
            ("=?base64?SGVsbG8?=", Err(Base64)),
            ("=?base64?SGVsbG8==?=", Err(Base64)),
            ("=?base64?SGVsbG8=====?=", Err(Base64)),
            ("=?base64?SGVs!G8=?=", Err(Base64)),
            ("=?base64?SGVsbG9=?=", Err(Base64)),
            ("=?base64?PDw_Pz8-Pg==?=", Err(Base64)),
            ("=?base64?SGVs bG8=?=", Err(Base64)),
            ("=?base64? SGVsbG8=?=", Err(Base64)),
            ("=?base64?SGVsbG8=\t?=", Err(Base64)),
            ("=?base64?=SGVsbG8?=", Err(Base64)),
            ("=?base64?=?=", Err(Base64)),
            ("=?base64?/w==?=", Err(Utf8)),
            ("=?base64?7aCA?=", Err(Utf8)),
            ("=?base64?wK8=?=", Err(Utf8)),
            ("Hello, 世界", Err(Character)),
            ("a\nb", Err(Character)),
            ("a\u{7f}", Err(Character)),
            ("=?base64?SGVs\nbG8=?=", Err(Character)),
        ];
        for (text, value) in cases {
            assert_eq!(
                decode(text).as_deref(),
                value.as_ref().map(|value| *value),
                "{text:?}"
            );
        }
    }

    #[test]
    fn long_values_survive() {
        for value in ["é".repeat(4096), "a".repeat(8192)] {
            assert_eq!(decode(&encode(&value)).as_deref(), Ok(value.as_str()));
        }
    }

    #[test]
    fn every_character_survives() {
        for character in '\0'..=char::MAX {
            let value = String::from(character);
            let text = encode(&value);
            assert!(is_field_text(&text));
            assert_eq!(decode(&text).as_deref(), Ok(value.as_str()));
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_safe_and_decodes(value in r"(=\?base64\?|\?=|[ \t\r\n]|[ -~]|\PC|[^a])*") {
            let text = encode(&value);
            prop_assert!(is_field_text(&text));
            prop_assert_eq!(trim(&text), &*text);
            prop_assert_eq!(decode(&text), Ok(Cow::Borrowed(value.as_str())));
        }

        #[test]
        fn decoding_never_panics_and_accepts_one_spelling(text in r"(=\?base64\?)?([A-Za-z0-9+/=_-]|\PC)*(\?=)?") {
            if let Ok(Cow::Owned(value)) = decode(&text) {
                prop_assert_eq!(format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(value)), trim(&text));
            }
        }
    }
}
