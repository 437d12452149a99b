//! An HTTP status, explained from the library's table.

use std::time::Duration;

use plainly::errors::HttpStatus;
use plainly::errors::problem::wait_in_words;

use super::Explanation;
use super::link::Link;

/// A status of which nothing else is known; or why it is no error.
pub(super) fn explain(code: u16) -> Result<Explanation, Vec<String>> {
    let status = HttpStatus::of(code);
    match status.is_failure() {
        true => Ok(failure(code)),
        false => Err(vec![format!(
            "HTTP status {} is no error: {}",
            title(code),
            status.meaning
        )]),
    }
}

/// The number and the name of a status.
pub(super) fn title(code: u16) -> String {
    format!("{code} {}", HttpStatus::of(code).name)
}

/// The same, where something has failed whatever the status says.
pub(super) fn failure(code: u16) -> Explanation {
    let status = HttpStatus::of(code);
    Explanation {
        http_status: Some(code),
        fault: status.fault,
        retry: status.retry,
        advice: status.advice.to_owned(),
        link: match code {
            403..=406 | 408 | 409 | 413 | 415 => Link::to_refusals(),
            _ => Link::to_troubleshooting(),
        },
        ..Explanation::new(
            "http status",
            format!("{code} {}", status.name),
            status.meaning,
        )
    }
}

/// What to do about a status, and when.
pub(super) fn advice(code: u16, wait: Option<Duration>) -> String {
    match wait {
        Some(wait) => format!("wait {}, then send the request again", wait_in_words(wait)),
        None => HttpStatus::of(code).advice.to_owned(),
    }
}

/// Whether a status says more than the error in the body: it is about who asks, or from somebody on the way.
pub(super) const fn outweighs_its_body(status: u16) -> bool {
    matches!(status, 300..=399 | 401 | 403 | 407 | 421 | 429 | 502..=504 | 511)
}
