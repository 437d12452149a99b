//! The input of `plainly explain`: JSON, or the code or the name of an error.

use serde_json::Value;

use plainly::errors::{Revision, WireError};

use super::phrases::{Phrase, Speaker};
use super::text::prefixed;
use super::{Explanation, coded, json, name};

/// The explanations of every error in `text`, or all reasons why there is none.
pub(crate) fn read(
    text: &str,
    revision: Option<Revision>,
) -> Result<Vec<Explanation>, Vec<String>> {
    let text = text.trim_start_matches('\u{feff}').trim();
    // Some shells leave these quotation marks.
    let unquoted = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    let text = unquoted.unwrap_or(text);
    if let Some((code, message)) = prefixed(text) {
        let error = WireError::received(code, message.to_owned(), None);
        return Ok(vec![coded::error(&error, revision)]);
    }
    let why = if text.is_empty() {
        vec!["the input is empty: give the error as an argument or on standard input".to_owned()]
    } else if text.starts_with(['{', '[', '"']) {
        match crate::json::parse(text) {
            Ok(value) => return json::explain(&value, revision),
            Err(why) => vec![why],
        }
    } else {
        match name::explain(text, revision) {
            Err(why) => vec![why],
            explained => return explained.map_err(|why| vec![why]),
        }
    };
    let mut found = lines(text, revision);
    if found.is_empty() {
        // Phrases of servers are too common in other texts, so only those of the network count.
        let phrase = Phrase::within(text, Speaker::Network);
        found.extend(phrase.map(|phrase| phrase.explain(text)));
    }
    match found.is_empty() {
        // Each line may be JSON without being an error.
        true => Err(line_without_error(text, revision).unwrap_or(why)),
        false => Ok(found),
    }
}

/// The reasons why the first of several lines of JSON is no error.
fn line_without_error(text: &str, revision: Option<Revision>) -> Option<Vec<String>> {
    let values = text.lines().map(serde_json::from_str::<Value>);
    let values = values.collect::<Result<Vec<_>, _>>().ok()?;
    match &values[..] {
        [first, _, ..] => json::explain(first, revision).err(),
        [] | [_] => None,
    }
}

/// The errors in lines of JSON, and in the data of a stream of events.
fn lines(text: &str, revision: Option<Revision>) -> Vec<Explanation> {
    let explained = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("data:").unwrap_or(line);
        let value: Value = serde_json::from_str(line).ok()?;
        let value = Some(value).filter(|value| value.is_object() || value.is_array());
        json::explain(&value?, revision).ok()
    };
    text.lines().filter_map(explained).flatten().collect()
}
