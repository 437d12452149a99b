//! The description of a frame's fault, which quotes the text there. It is built when it is
//! displayed, so that the scan stores only a position.

use std::fmt;

use plainly_errors::mistake::printable;

use super::cursor::ByteCursor;
use super::defect::{Defect, Fault};
use crate::escape;

/// The first bytes, in lower case, of formats that peers send instead of JSON.
const BEGINNINGS: [(&[u8], &str); 9] = [
    (b"\xef\xbb\xbf", "it begins with a byte order mark"),
    (b"\xff\xfe", "it is UTF-16: send UTF-8"),
    (b"\xfe\xff", "it is UTF-16: send UTF-8"),
    (b"<!doctype html", "it is an HTML page, not JSON"),
    (b"<html", "it is an HTML page, not JSON"),
    (b"<", "it is XML or HTML, not JSON"),
    (
        b"content-",
        "it is a header: send each message alone, on a line",
    ),
    (
        b"data:",
        "it is an event of a stream: send the message alone",
    ),
    (
        b"event:",
        "it is an event of a stream: send the message alone",
    ),
];

/// Writes a description of the fault. `frame` may hold any bytes.
pub(super) fn write(f: &mut fmt::Formatter<'_>, defect: Defect, frame: &[u8]) -> fmt::Result {
    let Defect { fault, at } = defect;
    if let Some(what) = instead_of_json(frame, at) {
        return f.write_str(what);
    }
    let rest = frame.get(at..).unwrap_or_default();
    let rest = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match (fault, first_word(rest)) {
        (Fault::Is(what), _) => write!(f, "{what} at byte {at}"),
        (Fault::Missing(what), None) => {
            write!(f, "{what} is missing at byte {at}: the text ends there")
        }
        (Fault::Missing(what), Some(word)) => {
            let word = printable(word);
            write!(f, "{what} is missing at byte {at}: `{word}` stands there")
        }
        (Fault::NoJson, Some(word)) if !is_punctuation(word) => {
            write!(f, "`{}` at byte {at} is not JSON", printable(word))
        }
        (Fault::NoJson, _) => write(f, Defect::new(&Fault::Missing("a value"), at), frame),
        (Fault::RepeatedKey, _) => {
            let key = token(rest).and_then(escape::text).unwrap_or_default();
            write!(
                f,
                "the key \"{}\" is given twice, again at byte {at}",
                printable(&key)
            )
        }
        (Fault::NoId, _) => {
            let id = member_value(rest).unwrap_or_default();
            let id = printable(id);
            write!(
                f,
                "`id` is {id} at byte {at}, which is neither a short string nor a 64-bit integer"
            )
        }
    }
}

/// The format of `frame`, if its first bytes show that it is not JSON.
fn instead_of_json(frame: &[u8], at: usize) -> Option<&'static str> {
    let before = frame.get(..at)?;
    if !before.trim_ascii().is_empty() {
        return None;
    }
    let text = frame.trim_ascii_start();
    if text.is_empty() {
        return Some("the message is empty");
    }
    let starts = |beginning: &[u8]| {
        let start = text.get(..beginning.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    };
    let found = BEGINNINGS.iter().find(|(beginning, _)| starts(beginning));
    found.map(|(_, what)| *what)
}

/// The word or the single character at the start of `text`; `None` if `text` is empty.
fn first_word(text: &str) -> Option<&str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '+' | '-' | '.');
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    let first = text.chars().next()?;
    text.get(..end.max(first.len_utf8()))
}

fn is_punctuation(word: &str) -> bool {
    matches!(word, "," | ":" | "]" | "}")
}

/// The JSON of the value at the start of `text`, if it is not an array or an object.
fn token(text: &str) -> Option<&str> {
    let mut cursor = ByteCursor::new(text);
    match cursor.peek()? {
        b'"' => _ = cursor.string().ok()?,
        _ => cursor.scalar().ok()?,
    }
    Some(cursor.slice(0))
}

/// The value of the member at the start of `text`, or at least its beginning.
fn member_value(text: &str) -> Option<&str> {
    let mut cursor = ByteCursor::new(text);
    cursor.string().ok()?;
    cursor.is_token(b':').then(|| cursor.at += 1)?;
    cursor.token()?;
    let value = text.get(cursor.at..)?;
    token(value).or_else(|| first_word(value))
}
