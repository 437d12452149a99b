//! A handler's request that the user first visit a URL. Each revision reports it in its own way,
//! and some can't.

use plainly_errors::revision::UrlMode;
use plainly_errors::{ProtocolError, UrlElicitation};
use plainly_protocol::method::Method;
use plainly_protocol::types::{ElicitUrlParams, InputRequiredResult};

use super::Asker;
use crate::asking::check_asked;

/// The form of the request for the peer.
pub(super) enum UrlRequestForm {
    /// A result that requests the visits.
    Asked(InputRequiredResult),
    /// An error for the host's code.
    Refused(ProtocolError),
    /// A text for the model.
    Words(String),
}

/// Decides how to report to `asker` that the user must visit the URLs of `elicitations` first.
pub(super) fn told(
    error: &ProtocolError,
    elicitations: &[UrlElicitation],
    method: Method,
    asker: &Asker,
) -> UrlRequestForm {
    let Asker { peer, declined, .. } = asker;
    // Otherwise the user would be asked and decline again and again.
    let mut already_declined = elicitations
        .iter()
        .filter(|one| declined.contains(&one.elicitation_id));
    if let Some(one) = already_declined.next() {
        let words = format!("The user declined to visit {}: {}", one.url, one.message);
        return in_words(words, method, ProtocolError::internal);
    }
    let elicitation = peer.capabilities.elicitation.as_ref();
    let is_declared = elicitation.is_some_and(|declared| declared.offers_url());
    match peer.revision.traits().url_mode {
        UrlMode::Result if method.row().may_ask => {
            let asked = asked(elicitations);
            // A client must not be asked in a way that it didn't declare (2026-07-28, Multi
            // Round-Trip Requests, "Server Requirements").
            match check_asked(&asked, peer) {
                Ok(()) => UrlRequestForm::Asked(asked),
                Err(undeclared) => UrlRequestForm::Refused(undeclared),
            }
        }
        UrlMode::Error if is_declared => UrlRequestForm::Refused(error.clone()),
        // The error code for this would request a visit that the client can't make. So the error is
        // an internal one, as on revisions without that code.
        UrlMode::Error => in_words(words(error, elicitations), method, |words| {
            let elicitations = serde_json::to_value(elicitations).expect("they are strings");
            ProtocolError::internal(words).with_data("elicitations", elicitations)
        }),
        UrlMode::Result | UrlMode::None => in_words(words(error, elicitations), method, |words| {
            error.clone().with_message(words)
        }),
    }
}

/// Reports the request as text if a model reads it, otherwise as an error.
fn in_words(
    words: String,
    method: Method,
    error: impl FnOnce(String) -> ProtocolError,
) -> UrlRequestForm {
    if method == Method::CallTool {
        UrlRequestForm::Words(words)
    } else {
        UrlRequestForm::Refused(error(words))
    }
}

fn asked(elicitations: &[UrlElicitation]) -> InputRequiredResult {
    InputRequiredResult::new(elicitations.iter().map(|one| {
        let visit = ElicitUrlParams::new(&one.url, &one.message);
        (one.elicitation_id.clone(), visit)
    }))
}

/// The error's own message, and each visit with its reason.
fn words(error: &ProtocolError, elicitations: &[UrlElicitation]) -> String {
    let sentence = error.message();
    let reasons = elicitations
        .iter()
        .map(|one| match sentence.contains(&one.url) {
            true => one.message.clone(),
            false => format!("{} ({})", one.message, one.url),
        });
    let reasons: Vec<String> = reasons.collect();
    format!("{sentence}: {}", reasons.join("; "))
}
