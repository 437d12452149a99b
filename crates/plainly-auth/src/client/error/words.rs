//! The form of other parties' texts in errors: in quotation marks and bounded, and URLs without
//! their secret parts.

use std::fmt;

use plainly_client::AuthError;
use plainly_errors::mistake::shortened;
use plainly_transport::EscapedText;

use super::IssuerPlace;

/// The most characters of such a text that are shown.
const SHOWN: usize = 500;

/// The most URLs that are named.
const NAMED: usize = 20;

/// Another party's text, in quotation marks.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text, SHOWN))
}

/// A reason in this program's words, which may quote another party.
pub(super) fn reason(text: &str) -> String {
    EscapedText(&shortened(text, SHOWN)).to_string()
}

/// A URL without its secret parts.
pub(super) fn shown_url(text: &str) -> String {
    AuthError::shown_url(text)
}

/// Scopes with a text before them; an empty text if there are none.
pub(super) fn scope_list(before: &str, scopes: &[String]) -> String {
    match scopes {
        [] => String::new(),
        scopes => format!("{before} {}", quoted(&scopes.join(" "))),
    }
}

/// The scopes that the server requires, and those of the token.
pub(super) fn access(required: &[String], granted: &[String]) -> String {
    let required = scope_list(": it requires the scope", required);
    let before = if required.is_empty() {
        ": the token has the scope"
    } else {
        ", the token has"
    };
    let granted = scope_list(before, granted);
    required + &granted
}

/// The requested URLs, and the status of each answer.
pub(super) fn attempts(tried: &[(String, u16)]) -> String {
    let shown = tried.iter().take(NAMED);
    let shown: Vec<_> = shown
        .map(|(at, status)| format!("{} answered {status}", shown_url(at)))
        .collect();
    match &*shown {
        [] => String::new(),
        shown => format!(": {}", shown.join(", ")),
    }
}

/// The code and the description of a rejection, if there are any.
pub(super) fn answer(code: Option<&str>, description: Option<&str>) -> String {
    let parts = [code, description].into_iter().flatten().map(quoted);
    match &*parts.collect::<Vec<_>>() {
        [] => String::new(),
        parts => format!(": {}", parts.join(", ")),
    }
}

impl fmt::Display for IssuerPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metadata => "the metadata of the authorization server",
            Self::Callback => "the login response",
        })
    }
}
