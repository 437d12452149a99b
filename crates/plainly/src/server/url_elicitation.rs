//! What becomes of a handler's wish that the user visits a URL first. Each revision has another way to say it, and some
//! have none: decided here, in one table.

use plainly_errors::{ProtocolError, Revision, UrlElicitation};
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{ElicitUrlParams, InputRequest, InputRequiredResult};
use serde_json::{Map, json};

/// How the peer is told.
pub(super) enum Told {
    /// By a result that asks for the visits.
    Asked(InputRequiredResult),
    /// By an error for the host's code.
    Refused(ProtocolError),
    /// By words for the model.
    Words(String),
}

/// How a peer that called `method` is told that `elicitations` come first.
pub(super) fn told(
    error: &ProtocolError,
    elicitations: &[UrlElicitation],
    method: Method,
    peer: &Peer,
) -> Told {
    let elicitation = peer.capabilities.elicitation.as_ref();
    let is_declared = elicitation.is_some_and(|declared| declared.offers_url());
    match (peer.revision, method) {
        (Revision::V2026_07_28, method) if method.row().may_ask && is_declared => {
            Told::Asked(asked(elicitations))
        }
        (Revision::V2026_07_28, method) if method.row().may_ask => Told::Refused(undeclared()),
        (Revision::V2025_11_25, _) if is_declared => Told::Refused(error.clone()),
        (_, Method::CallTool) => Told::Words(words(error, elicitations)),
        (_, _) => Told::Refused(ProtocolError::internal(words(error, elicitations))),
    }
}

fn asked(elicitations: &[UrlElicitation]) -> InputRequiredResult {
    InputRequiredResult::new(elicitations.iter().map(|one| {
        let visit = ElicitUrlParams::new(&one.url, &one.message);
        (one.elicitation_id.clone(), InputRequest::ElicitUrl(visit))
    }))
}

fn undeclared() -> ProtocolError {
    let required = json!({ "url": {} });
    ProtocolError::missing_client_capability(Map::from_iter([("elicitation".to_owned(), required)]))
}

/// The error's own sentence, and each visit with its reason.
fn words(error: &ProtocolError, elicitations: &[UrlElicitation]) -> String {
    let visits = elicitations
        .iter()
        .map(|one| format!("\n- {}: {}", one.message, one.url));
    std::iter::once(error.message().into_owned())
        .chain(visits)
        .collect()
}
