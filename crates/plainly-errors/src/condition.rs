//! The conditions that protocol errors state, one example of each, so that tables can show what the dialects write for
//! whom. Knows no number: the dialects do.

use serde_json::Map;

use crate::code::Code;
use crate::dialect::Dialect;
use crate::protocol_error::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError, Refusal, Unavailable,
    UrlElicitation,
};
use crate::revision::{Era, Revision};

/// Something that goes wrong, in words, with the error that states it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Condition {
    /// What is wrong.
    pub name: &'static str,
    /// The era in which it can happen; `None`: in both.
    pub era: Option<Era>,
    /// An example, whose code and HTTP status are those of every other.
    pub error: ProtocolError,
}

impl Condition {
    fn new(name: &'static str, era: Option<Era>, kind: ErrorKind) -> Self {
        Self {
            name,
            era,
            error: ProtocolError::new(kind),
        }
    }

    /// Whether it can happen on `revision`.
    pub fn occurs_in(&self, revision: Revision) -> bool {
        self.era.is_none_or(|era| era == revision.era())
    }

    /// The code and the HTTP status that `dialect` writes for it on `revision`, where it can happen there.
    pub fn written(&self, dialect: Dialect, revision: Revision) -> Option<(Code, u16)> {
        let wire = dialect.encode(&self.error, revision);
        self.occurs_in(revision)
            .then_some((wire.code, wire.http_status))
    }
}

/// Every condition, from the message as a whole to what fails inside.
///
/// ```
/// use plainly_errors::{Dialect, Revision, conditions};
///
/// let all = conditions();
/// let missing = all.iter().find(|it| it.name == "the resource does not exist").unwrap();
/// let (code, status) = missing.written(Dialect::Uniform, Revision::LATEST).unwrap();
/// assert_eq!((code.get(), status), (-32602, 200));
/// ```
pub fn conditions() -> Vec<Condition> {
    let mut all = of_the_message();
    all.extend(of_the_parameters());
    all.extend(of_what_it_takes());
    all.extend(of_the_server());
    all
}

fn of_the_message() -> Vec<Condition> {
    let invalid = ErrorKind::InvalidRequest;
    let refused = |refusal| invalid(InvalidRequest::Refused { refusal });
    let method = ErrorKind::MethodNotFound {
        method: Some("example".to_owned()),
    };
    let (legacy, modern) = (Some(Era::Legacy), Some(Era::Modern));
    vec![
        Condition::new("the bytes are not JSON", None, ErrorKind::Parse),
        Condition::new(
            "the JSON is no message",
            None,
            invalid(InvalidRequest::Malformed),
        ),
        Condition::new(
            "the id is in use",
            None,
            invalid(InvalidRequest::DuplicateId),
        ),
        Condition::new(
            "the session id is missing",
            legacy,
            invalid(InvalidRequest::SessionRequired),
        ),
        Condition::new(
            "the session is unknown",
            legacy,
            invalid(InvalidRequest::SessionNotFound),
        ),
        Condition::new(
            "the origin is not allowed",
            None,
            refused(Refusal::ForbiddenOrigin),
        ),
        Condition::new("the message is too large", None, refused(Refusal::TooLarge)),
        Condition::new(
            "headers contradict the body",
            modern,
            ErrorKind::HeaderMismatch,
        ),
        Condition::new("nobody serves the method", None, method),
    ]
}

fn of_the_parameters() -> Vec<Condition> {
    let uri = || "file:///example".to_owned();
    let invalid = ErrorKind::InvalidParams;
    let modern = |what, detail| Condition::new(what, Some(Era::Modern), invalid(detail));
    let keys = Vec::new();
    let answer = InvalidParams::InvalidInputResponse { key: String::new() };
    let too_large = InvalidParams::ResourceTooLarge {
        uri: uri(),
        size: 2,
        limit: 1,
    };
    let tool = InvalidParams::UnknownTool {
        name: "example".to_owned(),
    };
    let prompt = InvalidParams::UnknownPrompt {
        name: "example".to_owned(),
    };
    let missing = ErrorKind::ResourceNotFound { uri: Some(uri()) };
    let collection = InvalidParams::NotACollection { uri: uri() };
    vec![
        Condition::new(
            "params is no object",
            None,
            invalid(InvalidParams::NotAnObject),
        ),
        modern(
            "required _meta is missing",
            InvalidParams::MissingMeta { keys },
        ),
        Condition::new(
            "a parameter is wrong",
            None,
            invalid(InvalidParams::Malformed),
        ),
        Condition::new("the tool does not exist", None, invalid(tool)),
        Condition::new("the prompt does not exist", None, invalid(prompt)),
        Condition::new(
            "the cursor is not valid",
            None,
            invalid(InvalidParams::InvalidCursor),
        ),
        modern(
            "the requestState is not valid",
            InvalidParams::InvalidRequestState,
        ),
        modern("an answer is not what was asked for", answer),
        modern("the task does not exist", InvalidParams::UnknownTask),
        Condition::new(
            "the URI is not valid",
            None,
            invalid(InvalidParams::InvalidUri { uri: uri() }),
        ),
        Condition::new("the resource does not exist", None, missing),
        Condition::new("the resource is no collection", None, invalid(collection)),
        Condition::new("the resource is too large", None, invalid(too_large)),
    ]
}

fn of_what_it_takes() -> Vec<Condition> {
    let version = ErrorKind::UnsupportedProtocolVersion {
        supported: Vec::new(),
        requested: String::new(),
    };
    let capability = ErrorKind::MissingRequiredClientCapability {
        required: Map::new(),
    };
    let urls = ErrorKind::UrlElicitationRequired {
        elicitations: vec![UrlElicitation::new("1", "https://example.com/", "example")],
    };
    vec![
        Condition::new("the version is not spoken", None, version),
        Condition::new("the client lacks a capability", None, capability),
        Condition::new(
            "the user must visit a URL, and no result can say so",
            None,
            urls,
        ),
    ]
}

fn of_the_server() -> Vec<Condition> {
    let late = Internal::DeadlineExceeded { limit_ms: 1 };
    let large = Internal::ReplyTooLarge { limit: 1 };
    let internal = ErrorKind::Internal;
    let unavailable = ErrorKind::Unavailable;
    vec![
        Condition::new("something failed inside", None, internal(Internal::Failed)),
        Condition::new("it took too long", None, internal(late)),
        Condition::new("the reply is too large", None, internal(large)),
        Condition::new(
            "the server is overloaded",
            None,
            unavailable(Unavailable::Overloaded),
        ),
        Condition::new(
            "the server shuts down",
            None,
            unavailable(Unavailable::ShuttingDown),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::policy::may_emit;
    use crate::registry::{Emit, registry};

    #[test]
    fn each_is_written_with_a_code_that_may_be_sent() {
        for dialect in [Dialect::Uniform, Dialect::PerRevision] {
            for revision in Revision::ALL {
                for condition in conditions() {
                    if let Some((code, _)) = condition.written(dialect, revision) {
                        assert!(may_emit(code, revision, dialect), "{}", condition.name);
                    }
                }
            }
        }
    }

    #[test]
    fn each_code_that_servers_send_states_one() {
        let written: HashSet<Code> = conditions()
            .iter()
            .flat_map(|it| Revision::ALL.map(|revision| it.written(Dialect::PerRevision, revision)))
            .flatten()
            .map(|(code, _)| code)
            .collect();
        for entry in registry().iter().filter(|it| it.emit != Emit::Never) {
            let is_client_s = entry.name == "UserRejected";
            assert_eq!(
                written.contains(&entry.code),
                !is_client_s,
                "{}",
                entry.name
            );
        }
    }
}
