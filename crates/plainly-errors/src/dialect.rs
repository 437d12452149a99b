//! Encodes each typed error for each revision, and recognises the errors that peers send. This is
//! the only place where an error becomes a number, which comes from the
//! [table](crate::registry::table). The data is the same on every revision.
//!
//! Every error that a peer sends can be read. The result depends on the code and the shape of
//! `data`, never on the message or on where the error was built. A [problem](crate::problem) in the
//! data accompanies the kind, and determines the kind if the code has no meaning.

use serde_json::Value;

use crate::code::{ApplicationCode, Code};
use crate::habit::{AnsweredRequest, Certainty, Meaning};
use crate::kind::{ErrorKind, InvalidParams, InvalidRequest, tagged};
use crate::problem::{Problem, ProblemCode};
use crate::protocol_error::ProtocolError;
use crate::registry::table::{INTERNAL_ERROR, INVALID_PARAMS, UNAVAILABLE, condition};
use crate::registry::{Dialect, lookup};
use crate::revision::Revision;
use crate::wire_error::WireError;

impl Dialect {
    /// The code of `error` for a peer of `revision`.
    pub fn code(self, error: &ProtocolError, revision: Revision) -> Code {
        self.number(error.kind(), revision).0
    }

    fn number(self, kind: &ErrorKind, revision: Revision) -> (Code, u16) {
        match condition(kind) {
            Some(condition) => condition.number(self, revision),
            // The code of another peer is passed on only if any application may use it.
            None => {
                let code = kind.own_code().filter(|code| code.is_application());
                (code.unwrap_or(INTERNAL_ERROR), 200)
            }
        }
    }

    /// Writes `error` for a peer of `revision`.
    pub fn encode(self, error: &ProtocolError, revision: Revision) -> WireError {
        let kind = error.kind();
        let (code, http_status) = self.number(kind, revision);
        // Data in addition to that of the kind is written unchanged, like that of a peer's error
        // that is passed on.
        let data = error.own_data().cloned();
        WireError {
            code,
            message: error.owned_message(),
            data: data.or_else(|| kind.data()),
            http_status,
            retry_after: None,
        }
    }
}

impl WireError {
    /// The typed error, whatever revision the peer speaks, because peers also send codes of newer
    /// and older revisions. It depends on the code and the shape of the data only;
    /// [`recognise_as`](Self::recognise_as) also uses the request.
    pub fn recognise(&self) -> ProtocolError {
        self.read(None)
    }

    /// The typed error of this response to `asked`. With [`Certainty::Likely`], an error without a
    /// meaning beyond its code is also recognised by the [habits](crate::habit) of other
    /// implementations.
    ///
    /// ```
    /// use plainly_errors::{AnsweredRequest, Certainty, Code, WireError};
    ///
    /// let asked = AnsweredRequest { method: "resources/read", subject: Some("a:b") };
    /// let error = WireError::received(Code::new(0), "Unknown resource: a:b", None);
    /// let likely = error.recognise_as(asked, Certainty::Likely);
    /// assert!(likely.is_resource_not_found());
    /// assert_eq!(likely.certainty(), Certainty::Likely);
    /// assert!(!error.recognise_as(asked, Certainty::Certain).is_resource_not_found());
    /// ```
    pub fn recognise_as(&self, asked: AnsweredRequest<'_>, least: Certainty) -> ProtocolError {
        let certain = self.read(Some(asked));
        let is_clear = !certain.kind().is_vague();
        // A problem states its meaning, unless it is `NotFound`, which may be about the requested
        // item.
        let is_other = certain
            .problem()
            .is_some_and(|problem| *problem.code() != ProblemCode::NotFound);
        // Only plainly writes a `kind` for a code that has a meaning, even if the request is merely
        // malformed.
        let kind = self.data.as_ref().and_then(|data| data.get("kind"));
        let is_unknown = matches!(certain.kind(), ErrorKind::Unrecognised { .. });
        let is_ours = kind.is_some() && !is_unknown;
        if least == Certainty::Certain || is_clear || is_other || is_ours {
            return certain;
        }
        let Some(habit) = self.habits(Some(asked.method)).next() else {
            return certain;
        };
        let recognised = match (habit.read)(asked.subject, self.data.as_ref()) {
            Some(Meaning::Kind(kind)) => {
                ProtocolError::with_all_data(kind, self.message.clone(), None)
                    .with_problem(certain.problem().cloned())
            }
            Some(Meaning::Problem(code)) => {
                Problem::new(code, self.message.clone()).to_protocol_error()
            }
            None => return certain,
        };
        recognised
            .with_received(self.clone())
            .with_habit(Some(habit))
    }

    fn read(&self, asked: Option<AnsweredRequest<'_>>) -> ProtocolError {
        let problem = Problem::from_error_data(&self.message, self.data.as_ref());
        let (kind, unread) = match (self.kind(asked), &problem, &self.data) {
            // The number has no meaning, such as one of the legacy range, but the problem's code
            // has.
            (ErrorKind::Unrecognised { .. }, Some(problem), Some(data)) => {
                problem.code().kind(data.clone())
            }
            (kind, _, data) => {
                let unread = data
                    .as_ref()
                    .filter(|data| is_left_out(&kind, data))
                    .cloned();
                (kind, unread)
            }
        };
        ProtocolError::with_all_data(kind, self.message.clone(), unread)
            .with_problem(problem)
            .with_received(self.clone())
    }

    fn kind(&self, asked: Option<AnsweredRequest<'_>>) -> ErrorKind {
        let data = self.data.as_ref();
        let defined = lookup(self.code).and_then(|entry| (entry.read)(data));
        let defined = match (defined, asked) {
            (Some(ErrorKind::ResourceNotFound { uri }), Some(asked)) => self.missing(uri, asked),
            (defined, _) => defined,
        };
        let kind = defined.or_else(|| {
            let code = ApplicationCode::try_from(self.code.get()).ok()?;
            Some(application(code, data))
        });
        kind.unwrap_or_else(|| ErrorKind::Unrecognised {
            code: self.code,
            data: self.data.clone(),
        })
    }

    /// The error for a missing resource, if the response to `asked` can mean one.
    fn missing(&self, uri: Option<String>, asked: AnsweredRequest<'_>) -> Option<ErrorKind> {
        if !asked.is_introduction() && (uri.is_some() || asked.is_about_resources()) {
            let subject = asked.subject.filter(|_| asked.is_about_resources());
            let uri = uri.or_else(|| subject.map(str::to_owned));
            return Some(ErrorKind::ResourceNotFound { uri });
        }
        let problems = Vec::new();
        let malformed = ErrorKind::InvalidParams(InvalidParams::Malformed { problems });
        (self.code == INVALID_PARAMS).then_some(malformed)
    }
}

/// Recognises this crate's own code by its data. Every other code belongs to the peer.
fn application(code: ApplicationCode, data: Option<&Value>) -> ErrorKind {
    // The number alone is not enough, because the problem SERVICE_UNAVAILABLE has it too, and any
    // application may choose it.
    match tagged(data).filter(|_| code == UNAVAILABLE) {
        Some(reason) => ErrorKind::Unavailable(reason),
        None => ErrorKind::Application {
            code,
            data: data.cloned(),
        },
    }
}

/// Whether the kind contains nothing of the peer's `data`.
fn is_left_out(kind: &ErrorKind, data: &Value) -> bool {
    let has_place = matches!(
        kind,
        ErrorKind::Application { .. } | ErrorKind::Unrecognised { .. }
    );
    let is_for_want_of_another = matches!(
        kind,
        ErrorKind::InvalidRequest(InvalidRequest::Malformed)
            | ErrorKind::InvalidParams(InvalidParams::Malformed { .. })
    );
    if is_for_want_of_another {
        // Both kinds use the same word.
        return !matches!(tagged(Some(data)), Some(InvalidParams::Malformed { .. }));
    }
    !has_place && kind.data().is_none()
}
