//! The advice about an error, in one line with its names and its waiting time.

use plainly::errors::problem::wait_in_words;
use plainly::errors::registry::capability_names;
use plainly::errors::{ErrorKind, ProtocolError, UrlElicitation};

use super::phrases::{Phrase, Speaker};

/// The most URLs, versions or capabilities of an error that are named.
const NAMED: usize = 20;

/// The advice for the user of a command whose tool failed with this text.
pub(crate) fn for_tool(text: &str) -> Option<&'static str> {
    Phrase::within(text, Speaker::Server).map(|phrase| phrase.advice)
}

/// The advice for a server's error.
pub(crate) fn for_answer(error: &ProtocolError) -> String {
    if let ErrorKind::MissingRequiredClientCapability { required } = error.kind() {
        let names = capability_names(required);
        let names = some(names.iter().map(String::as_str));
        return format!("declare the client capability {names}, and send the request again");
    }
    if let ErrorKind::UnsupportedProtocolVersion { supported, .. } = error.kind() {
        let versions = some(supported.iter().map(String::as_str));
        return format!("use a version that the server supports: {versions}");
    }
    if let ErrorKind::UrlElicitationRequired { elicitations } = error.kind() {
        return to_visit(elicitations);
    }
    match (error.retry_after().map(wait_in_words), suggestion(error)) {
        (Some(wait), None) => format!("wait {wait}, then send the request again"),
        (Some(wait), Some(_)) => format!("wait {wait}; {}", error.advice()),
        (None, _) => error.advice().into_owned(),
    }
}

/// Whether the server itself states a waiting time or a suggestion.
pub(crate) fn is_advised(error: &ProtocolError) -> bool {
    error.retry_after().is_some() || suggestion(error).is_some()
}

fn suggestion(error: &ProtocolError) -> Option<&str> {
    error.problem()?.suggestion()
}

/// The advice to visit pages. Only web pages are named.
fn to_visit(elicitations: &[UrlElicitation]) -> String {
    let (web, others): (Vec<_>, Vec<_>) = elicitations.iter().partition(|one| one.is_web());
    let urls = some(web.iter().map(|one| one.url.as_str()));
    match (web.is_empty(), others.is_empty()) {
        (true, _) => {
            "visit nothing: the server names no URL that begins with http or https".to_owned()
        }
        (false, true) => format!("let the user visit {urls}, then send the request again"),
        (false, false) => format!(
            "let the user visit {urls}, then send the request again; visit nothing else: each \
             other URL begins with neither http nor https"
        ),
    }
}

/// The first of the names, and a mark if there are more.
pub(super) fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.fuse();
    let mut shown: Vec<_> = names.by_ref().take(NAMED).collect();
    shown.extend(names.next().map(|_| "…"));
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use plainly::errors::{Code, WireError};
    use serde_json::{Value, json};

    use super::*;

    fn advice(code: i64, data: Value) -> String {
        for_answer(&WireError::received(Code::new(code), "no", Some(data)).recognise())
    }

    #[test]
    fn a_url_that_is_not_of_the_web_is_warned_of_beside_others() {
        let visiting = |urls: &[&str]| {
            let all = urls.iter().map(
                |url| json!({"mode": "url", "elicitationId": "1", "url": url, "message": "m"}),
            );
            advice(-32042, json!({"elicitations": all.collect::<Vec<_>>()}))
        };
        let then = "let the user visit https://a.example, then send the request again";
        assert_eq!(visiting(&["https://a.example"]), then);
        assert_eq!(
            visiting(&["https://a.example", "file:///b"]),
            format!(
                "{then}; visit nothing else: each other URL begins with neither http nor https"
            )
        );
        assert_eq!(
            visiting(&["file:///b"]),
            "visit nothing: the server names no URL that begins with http or https"
        );
    }

    #[test]
    fn a_long_list_has_a_sign_that_there_is_more() {
        for (number, end) in [(20, ", v18, v19"), (21, ", v18, v19, …")] {
            let versions: Vec<_> = (0..number).map(|version| format!("v{version}")).collect();
            let shown = advice(-32022, json!({"supported": versions, "requested": "1"}));
            assert!(shown.ends_with(end), "{shown}");
        }
    }
}
