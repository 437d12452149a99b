//! Checks the media types that a request declares for its body and accepts for its response.

use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use plainly_errors::Refusal;
use plainly_errors::mistake::printable;

use super::read::Rejection;

const JSON: (&[u8], &[u8]) = (b"application", b"json");
const EVENT_STREAM: (&[u8], &[u8]) = (b"text", b"event-stream");

/// Checks that the body is plain JSON and that the client accepts both kinds of response.
pub(super) fn media_types(headers: &HeaderMap) -> Result<(), Rejection> {
    content(headers)?;
    if !accepts_both(headers) {
        return Err(Refusal::NotAcceptable.into());
    }
    Ok(())
}

/// Checks that the body is plain JSON.
pub(super) fn content(headers: &HeaderMap) -> Result<(), Rejection> {
    if !is_json(headers) {
        return Err(wrong_type(headers));
    }
    match encoding(headers) {
        Some(b"") => Err(unsupported(
            "Content-Encoding is empty. Send the body without it",
        )),
        Some(encoding) => Err(unsupported(&format!(
            "the body is encoded as {}. Send it without Content-Encoding",
            shown(encoding)
        ))),
        None => Ok(()),
    }
}

/// Whether there is a single `Content-Type`, which is `application/json` without parameters except
/// `charset=utf-8`.
fn is_json(headers: &HeaderMap) -> bool {
    // A web page can send other types to any server, but needs a preflight to send JSON (Fetch,
    // "CORS-preflight request").
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    // The usual spelling, so that most requests skip the rest.
    if value.as_bytes() == b"application/json" {
        return true;
    }
    let (name, mut parameters) = parts(value);
    name.eq_ignore_ascii_case(b"application/json") && parameters.all(is_utf_8)
}

/// The media type itself and its parameters.
fn parts(value: &HeaderValue) -> (&[u8], impl Iterator<Item = &[u8]>) {
    let mut parts = value
        .as_bytes()
        .split(|&byte| byte == b';')
        .map(<[u8]>::trim_ascii);
    let name = parts.next().unwrap_or_default();
    // A parameter may be empty (RFC 9110, section 5.6.6).
    (name, parts.filter(|parameter| !parameter.is_empty()))
}

fn is_utf_8(parameter: &[u8]) -> bool {
    parameter.eq_ignore_ascii_case(b"charset=utf-8")
        || parameter.eq_ignore_ascii_case(b"charset=\"utf-8\"")
}

/// The error for a type that is not [JSON](is_json).
fn wrong_type(headers: &HeaderMap) -> Rejection {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value,
        (None, _) => return Refusal::UnsupportedMediaType.into(),
        (Some(_), Some(_)) => return unsupported("send Content-Type once, as application/json"),
    };
    let (name, mut parameters) = parts(value);
    if !name.eq_ignore_ascii_case(b"application/json") {
        let name = match (name, value.as_bytes()) {
            (b"", b"") => "Content-Type is empty".to_owned(),
            (b"", value) => format!("Content-Type \"{}\" names no type", shown(value)),
            (name, _) => shown(name),
        };
        return unsupported(&format!("{name}. Send the message as application/json"));
    }
    let other = parameters.find(|parameter| !is_utf_8(parameter));
    let other = shown(other.unwrap_or_default());
    unsupported(&format!(
        "unexpected parameter {other}. Send the message in UTF-8, as application/json alone"
    ))
}

fn unsupported(why: &str) -> Rejection {
    let message = format!("Unsupported media type: {why}");
    Rejection::Because(Refusal::UnsupportedMediaType, message.into())
}

fn shown(value: &[u8]) -> String {
    printable(&String::from_utf8_lossy(value)).into_owned()
}

/// The encoding of the body, if it has one.
fn encoding(headers: &HeaderMap) -> Option<&[u8]> {
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    let other = encodings.find(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"));
    other.map(HeaderValue::as_bytes)
}

/// Whether the client accepts server-sent events.
pub(super) fn accepts_events(headers: &HeaderMap) -> bool {
    accepts(headers, EVENT_STREAM)
}

fn accepts_both(headers: &HeaderMap) -> bool {
    // The spelling of the official clients.
    if headers
        .get(ACCEPT)
        .is_some_and(|value| value.as_bytes() == b"application/json, text/event-stream")
    {
        return true;
    }
    accepts(headers, JSON) && accepts_events(headers)
}

/// Whether the most specific range that covers `media_type` has a weight above zero (RFC 9110,
/// 12.5.1).
fn accepts(headers: &HeaderMap, media_type: (&[u8], &[u8])) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .flat_map(|value| value.as_bytes().split(|&byte| byte == b','))
        .filter_map(|range| covers(range, media_type))
        .max()
        .is_some_and(|(_specificity, wanted)| wanted)
}

/// The specificity with which `range` covers the media type, and whether its weight is above zero;
/// `None` if it does not cover the type.
fn covers(range: &[u8], (kind, subtype): (&[u8], &[u8])) -> Option<(u8, bool)> {
    let mut parts = range.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
    let name = parts.next()?;
    let slash = name.iter().position(|&byte| byte == b'/')?;
    let (range_kind, range_subtype) = (name.get(..slash)?, name.get(slash + 1..)?);
    let specificity = match (range_kind, range_subtype) {
        (b"*", b"*") => 0,
        (named, b"*") if named.eq_ignore_ascii_case(kind) => 1,
        (named, sub) if named.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) => 2,
        _ => return None,
    };
    Some((specificity, !parts.any(is_zero_weight)))
}

fn is_zero_weight(parameter: &[u8]) -> bool {
    matches!(parameter, [b'q' | b'Q', b'=', weight @ ..] if weight.iter().all(|byte| matches!(byte, b'0' | b'.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: http::HeaderName, values: &[&str], judge: fn(&HeaderMap) -> bool) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), value.parse().unwrap());
        }
        judge(&headers)
    }

    #[test]
    fn only_json_in_utf_8_is_json() {
        let good: &[&[&str]] = &[
            &["application/json"],
            &["Application/JSON"],
            &["application/json; charset=utf-8"],
            &["application/json;"],
            &["application/json; ; charset=utf-8;"],
            &["application/json;charset=UTF-8"],
            &["application/json ; charset=\"utf-8\""],
        ];
        let bad: &[&[&str]] = &[
            &[],
            &[""],
            &["application/json", "application/json"],
            &["application/json, text/plain"],
            &["application/jsonp"],
            &["application/json-patch+json"],
            &["application/ json"],
            &["text/json"],
            &["text/plain"],
            &["*/*"],
            &["application/json; charset=utf-16"],
            &["application/json; boundary=x"],
            &["text/plain; application/json"],
        ];
        for values in good {
            assert!(check(CONTENT_TYPE, values, is_json), "{values:?}");
        }
        for values in bad {
            assert!(!check(CONTENT_TYPE, values, is_json), "{values:?}");
        }
    }

    #[test]
    fn both_answers_must_be_acceptable() {
        let good: &[&[&str]] = &[
            &["application/json, text/event-stream"],
            &["text/event-stream,application/json"],
            &["application/json", "text/event-stream"],
            &["*/*"],
            &["application/*, text/*;q=0.1"],
            &["APPLICATION/json;q=0.001;x=y, text/EVENT-stream;q=1"],
            &["text/html, */*;q=0.8"],
            &["*/*;q=0, application/json, text/event-stream"],
        ];
        let bad: &[&[&str]] = &[
            &[],
            &[""],
            &["application/json"],
            &["text/event-stream"],
            &["application/*"],
            &["application/json;q=0, text/event-stream"],
            &["application/json, text/event-stream;q=0.000"],
            &["*/*, text/event-stream; Q=0"],
            &["*/*;q=0"],
            &["application/jsonp, text/event-stream"],
            &["application/json text/event-stream"],
        ];
        for values in good {
            assert!(check(ACCEPT, values, accepts_both), "{values:?}");
        }
        for values in bad {
            assert!(!check(ACCEPT, values, accepts_both), "{values:?}");
        }
    }
}
