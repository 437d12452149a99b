//! What becomes of a handler's wish that the user visits a URL first. Each revision has another way to say it, and some
//! have none: decided here, in one table.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plainly_errors::{ProtocolError, Revision, UrlElicitation};
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::types::{ElicitUrlParams, InputRequiredResult};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, json};

use super::audience::Asker;

/// How the peer is told.
pub(super) enum Told {
    /// By a result that asks for the visits.
    Asked(InputRequiredResult),
    /// By an error for the host's code.
    Refused(ProtocolError),
    /// By words for the model.
    Words(String),
}

/// How whoever asked is told that `elicitations` come first.
pub(super) fn told(error: &ProtocolError, elicitations: &[UrlElicitation], asker: &Asker) -> Told {
    let Asker {
        method,
        peer,
        declined,
    } = asker;
    let method = *method;
    // Asked again and again, the user would decline again and again.
    let is_declined = |one: &&UrlElicitation| declined.contains(&one.elicitation_id);
    if let Some(one) = elicitations.iter().find(is_declined) {
        let words = format!(
            "The user did not want to visit {}: {}",
            one.url, one.message
        );
        return in_words(words, method, ProtocolError::internal);
    }
    let elicitation = peer.capabilities.elicitation.as_ref();
    let is_declared = elicitation.is_some_and(|declared| declared.offers_url());
    match (peer.revision, method) {
        (Revision::V2026_07_28, method) if method.row().may_ask && is_declared => {
            Told::Asked(asked(elicitations))
        }
        (Revision::V2026_07_28, method) if method.row().may_ask => Told::Refused(undeclared()),
        (Revision::V2025_11_25, _) if is_declared => Told::Refused(error.clone()),
        (Revision::V2025_11_25, method) => {
            in_words(words(error, elicitations), method, ProtocolError::internal)
        }
        (_, method) => in_words(words(error, elicitations), method, |words| {
            error.clone().with_message(words)
        }),
    }
}

/// In words for the model, where one reads; else in an error.
fn in_words(words: String, method: Method, error: impl FnOnce(String) -> ProtocolError) -> Told {
    if method == Method::CallTool {
        Told::Words(words)
    } else {
        Told::Refused(error(words))
    }
}

/// The keys of what the user was asked before and did not want: the client says so when it sends the request again.
pub(super) fn declined(method: Method, params: Option<&Object<'_>>) -> Vec<String> {
    #[derive(Deserialize)]
    struct Response<'a> {
        #[serde(borrow)]
        action: Cow<'a, str>,
    }
    let answers = params
        .filter(|_| method.row().may_ask)
        .and_then(|params| params.get("inputResponses"));
    let answers: BTreeMap<String, &RawValue> = answers
        .and_then(|answers| serde_json::from_str(answers).ok())
        .unwrap_or_default();
    // One that is no answer to a visit says nothing of the others.
    let is_no = |answer: &RawValue| {
        let response = serde_json::from_str::<Response<'_>>(answer.get());
        response.is_ok_and(|response| matches!(&*response.action, "decline" | "cancel"))
    };
    answers
        .into_iter()
        .filter(|(_, answer)| is_no(answer))
        .map(|(key, _)| key)
        .collect()
}

fn asked(elicitations: &[UrlElicitation]) -> InputRequiredResult {
    InputRequiredResult::new(elicitations.iter().map(|one| {
        let visit = ElicitUrlParams::new(&one.url, &one.message);
        (one.elicitation_id.clone(), visit)
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
