//! An HTTP status, explained from the library's table.

use std::time::Duration;

use plainly::errors::HttpStatus;
use plainly::errors::problem::wait_in_words;

use super::Explanation;
use super::link::Link;

/// A status without other facts, or the reason why it is no error.
pub(super) fn explain(code: u16) -> Result<Explanation, String> {
    let status = HttpStatus::of(code);
    match status.is_failure() {
        true => Ok(failure(code)),
        false => Err(format!(
            "HTTP status {code} {} is no error: {}",
            status.name, status.meaning
        )),
    }
}

/// The status of a failed request, even if it is a success status.
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

/// The advice about a status, with the waiting time.
pub(super) fn advice(code: u16, wait: Option<Duration>) -> String {
    match wait {
        Some(wait) => format!("wait {}, then send the request again", wait_in_words(wait)),
        None => HttpStatus::of(code).advice.to_owned(),
    }
}
