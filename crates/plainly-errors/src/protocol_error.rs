//! The typed protocol error, created where the failure is detected. It has no number and no HTTP
//! status: only [`Dialect::encode`](crate::Dialect::encode) determines them, from the type of the
//! error and the peer's revision.

mod retry;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::code::ApplicationCode;
use crate::habit::{Certainty, Habit};
use crate::kind::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, Refusal, Unavailable, UrlElicitation,
};
use crate::problem::{Problem, Problems};
use crate::registry::table::{condition, words};
use crate::registry::{Condition, Emit, lookup, named};
use crate::wire_error::WireError;

/// A JSON-RPC error response before it is written or after it was recognised. Its size is one word.
///
/// Two errors are equal if their [`kind`](Self::kind), [`message`](Self::message) and
/// [`own_data`](Self::own_data) are. Their source and other information for logs don't matter.
#[derive(Clone, Debug)]
// Boxed, so that all `Result`s on the path of a response stay small.
pub struct ProtocolError(Box<ErrorParts>);

/// The parts of an error. Also the [source](Error::source) of every error, like the parts of a
/// problem.
#[derive(Clone, Debug)]
struct ErrorParts {
    kind: ErrorKind,
    message: Option<Cow<'static, str>>,
    /// Data of the sender, only if `kind` has no data of its own.
    data: Option<Value>,
    /// The received error object, to show it unchanged.
    received: Option<WireError>,
    /// The habit by which the error was recognised, if its code and data alone don't determine the
    /// meaning.
    habit: Option<&'static Habit>,
    /// The problem in the data, or the one that the error was made from.
    problem: Option<Problem>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl ProtocolError {
    /// An error of this kind with its default message.
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(ErrorParts {
            kind,
            message: None,
            data: None,
            received: None,
            habit: None,
            problem: None,
            source: None,
        }))
    }

    /// An error with data that its kind can't hold.
    pub(crate) fn with_all_data(
        kind: ErrorKind,
        message: Cow<'static, str>,
        data: Option<Value>,
    ) -> Self {
        let mut error = Self::new(kind).with_message(message);
        error.0.data = data;
        error
    }

    /// Adds the error object that the error was read from.
    pub(crate) fn with_received(mut self, received: WireError) -> Self {
        self.0.received = Some(received);
        self
    }

    /// Adds the habit by which the error was recognised.
    pub(crate) fn with_habit(mut self, habit: Option<&'static Habit>) -> Self {
        self.0.habit = habit;
        self
    }

    /// Adds the problem that the error states.
    pub(crate) fn with_problem(mut self, problem: impl Into<Option<Problem>>) -> Self {
        self.0.problem = problem.into();
        self
    }

    /// The received bytes are not JSON in UTF-8; `why` names the fault and its position.
    pub fn parse_error(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Parse).with_message(why)
    }

    /// The received JSON is not a JSON-RPC message; `why` names the fault.
    pub fn invalid_request(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidRequest(InvalidRequest::Malformed)).with_message(why)
    }

    /// The method `method` does not exist on this server.
    pub fn method_not_found(method: impl Into<String>) -> Self {
        Self::new(ErrorKind::MethodNotFound {
            method: Some(method.into()),
        })
    }

    /// The parameters are invalid; `why` names them, and the valid ones.
    pub fn invalid_params(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidParams(InvalidParams::MALFORMED)).with_message(why)
    }

    /// No resource exists at `uri`, or none for this caller (SEP-2164).
    pub fn resource_not_found(uri: impl Into<String>) -> Self {
        Self::new(ErrorKind::ResourceNotFound {
            uri: Some(uri.into()),
        })
    }

    /// An internal failure; `why` is sent to the peer, so it must not contain secrets.
    pub fn internal(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Internal(Internal::Failed)).with_message(why)
    }

    /// A mirrored header is missing, malformed or contradicts the body; `why` names it.
    pub fn header_mismatch(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::HeaderMismatch).with_message(why)
    }

    /// The request requires client capabilities that the client did not declare.
    pub fn missing_client_capability(required: Map<String, Value>) -> Self {
        Self::new(ErrorKind::MissingRequiredClientCapability { required })
    }

    /// The version `requested` is not one of those `supported`.
    pub fn unsupported_version<S: Into<String>>(
        supported: impl IntoIterator<Item = S>,
        requested: impl Into<String>,
    ) -> Self {
        let supported = supported.into_iter().map(Into::into).collect();
        Self::new(ErrorKind::UnsupportedProtocolVersion {
            supported,
            requested: requested.into(),
        })
    }

    /// The user must visit these URLs first (2025-11-25; peers of other revisions get the form of
    /// their revision).
    pub fn url_elicitation_required(
        elicitations: impl IntoIterator<Item = UrlElicitation>,
    ) -> Self {
        Self::new(ErrorKind::UrlElicitationRequired {
            elicitations: elicitations.into_iter().collect(),
        })
    }

    /// An application's own error.
    pub fn application(code: ApplicationCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Application { code, data: None }).with_message(message)
    }

    /// Replaces the message: one sentence for the user.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = Some(message.into());
        self
    }

    /// Adds a member to the `data`, for programs: any JSON.
    ///
    /// Only where the specification does not define the data: for invalid parameters and internal
    /// errors without a detail, and for an application's own errors. Any other error sends only its
    /// defined data, because clients rely on it.
    ///
    /// ```
    /// use plainly_errors::{Dialect, ProtocolError, Revision};
    ///
    /// let error = ProtocolError::invalid_params("`limit` is at most 100").with_data("limit", 100);
    /// let wire = Dialect::default().encode(&error, Revision::LATEST);
    /// assert_eq!(wire.data.unwrap()["limit"], 100);
    /// ```
    #[must_use]
    pub fn with_data(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let ErrorParts { kind, data, .. } = &mut *self.0;
        if !kind.leaves_data_free() {
            return self;
        }
        let data = if let ErrorKind::Application { data, .. } = kind {
            data
        } else {
            data
        };
        if !data.as_ref().is_some_and(Value::is_object) {
            *data = Some(Value::Object(Map::new()));
        }
        if let Some(Value::Object(members)) = data {
            members.insert(name.into(), value.into());
        }
        self
    }

    /// Sets the cause, for logs. It is never sent.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// The kind of error, to match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The message for the user: the one that was set, or one derived from the kind.
    pub fn message(&self) -> Cow<'_, str> {
        match &self.0.message {
            Some(message) => Cow::Borrowed(message),
            None => words(&self.0.kind),
        }
    }

    /// The message as an owned text; a static text is not copied.
    pub(crate) fn owned_message(&self) -> Cow<'static, str> {
        match &self.0.message {
            Some(message) => message.clone(),
            None => words(&self.0.kind),
        }
    }

    /// The problem that the error states: the one it was made from, or for a received error the one
    /// whose known code is the `code` in its data, whatever its number. A custom code belongs to
    /// the peer and stays in the data.
    ///
    /// ```
    /// use plainly_errors::problem::ProblemCode;
    /// use plainly_errors::{Code, WireError};
    /// use serde_json::json;
    ///
    /// let data = json!({ "code": "RATE_LIMIT_EXCEEDED", "retry_after": 60 });
    /// let error = WireError::received(Code::new(-32003), "Too fast", Some(data)).recognise();
    /// let problem = error.problem().unwrap();
    /// assert_eq!(problem.code(), &ProblemCode::RateLimitExceeded);
    /// assert_eq!(problem.retry_after_seconds(), Some(60));
    /// ```
    pub fn problem(&self) -> Option<&Problem> {
        self.0.problem.as_ref()
    }

    /// The problems that the error states, if there are several: those in its data, each with
    /// message, code, suggestion and details. In that case [`problem`](Self::problem) is their
    /// summary.
    ///
    /// ```
    /// use plainly_errors::problem::{Problem, ProblemBag};
    /// use plainly_errors::{Dialect, Revision};
    ///
    /// let bag = ProblemBag::from_iter([Problem::missing_required("name"), Problem::timeout("save")]);
    /// let problems = bag.into_result().unwrap_err();
    /// let error = problems.to_protocol_error();
    /// let received = Dialect::default().encode(&error, Revision::LATEST).recognise();
    /// assert_eq!(received.problems(), Some(problems));
    /// ```
    pub fn problems(&self) -> Option<Problems> {
        let received = self.received().and_then(|received| received.data.clone());
        let data = received.or_else(|| self.own_data().cloned());
        let data = data.or_else(|| self.kind().data())?;
        Problems::from_error_data(&data)
    }

    /// Data in the sender's own form, such as a problem's, if the [kind](Self::kind) follows from
    /// the code and contains none of the data.
    pub fn own_data(&self) -> Option<&Value> {
        self.0.data.as_ref()
    }

    /// The error object as the peer sent it; `None` for an error created here. The
    /// [kind](Self::kind) is its meaning; use this to show it unchanged.
    ///
    /// ```
    /// use plainly_errors::{Code, WireError};
    ///
    /// let received = WireError::received(Code::new(-32002), "Resource not found", None);
    /// let error = received.recognise();
    /// assert!(error.is_resource_not_found());
    /// assert_eq!(error.received(), Some(&received));
    /// ```
    pub fn received(&self) -> Option<&WireError> {
        self.0.received.as_ref()
    }

    /// The code as received, with its name if the name is certain: `InvalidParams -32602`, or
    /// `code -32000`. `None` for an error created here.
    pub fn named_code(&self) -> Option<String> {
        let code = self.received()?.code;
        // Some codes have another meaning for peers that do not implement the revision that defined
        // them.
        let is_ambiguous = lookup(code).is_some_and(|entry| entry.emit == Emit::PerRevision);
        Some(match is_ambiguous && !self.is_resource_not_found() {
            true => format!("code {code}"),
            false => named(code),
        })
    }

    /// The protocol error that `error` is or that it wraps so that only it can be found, as
    /// [`Problem::downcast`] does for problems.
    pub fn downcast(error: &(dyn Error + 'static)) -> Option<Self> {
        let stated = || error.downcast_ref::<ErrorParts>().cloned();
        let itself = error.downcast_ref::<Self>().cloned();
        itself.or_else(|| Some(Self(Box::new(stated()?))))
    }

    /// Whether a handler may return this error. It may if the error is about the requested item,
    /// and not about the message, the connection or the session, which only the server knows.
    pub fn may_be_a_handlers(&self) -> bool {
        condition(self.kind()).is_none_or(Condition::may_be_a_handlers)
    }

    /// The habit of the implementation that probably sent the error, if the [kind](Self::kind)
    /// follows from one.
    pub fn habit(&self) -> Option<&'static Habit> {
        self.0.habit
    }

    /// The certainty of the [kind](Self::kind). Only that of a received error can be less than
    /// certain.
    pub fn certainty(&self) -> Certainty {
        match self.0.habit {
            Some(_) => Certainty::Likely,
            None => Certainty::Certain,
        }
    }

    /// Whether the requested resource does not exist, whatever number the peer used.
    pub fn is_resource_not_found(&self) -> bool {
        matches!(self.0.kind, ErrorKind::ResourceNotFound { .. })
    }
}

impl PartialEq for ProtocolError {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind()
            && self.message() == other.message()
            && self.own_data() == other.own_data()
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message())
    }
}

/// The source of an error is its parts, whose source is the cause. Thereby
/// [`downcast`](ProtocolError::downcast) finds the error in errors that expose only its sources.
impl Error for ProtocolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

impl fmt::Display for ErrorParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (condition(&self.kind), self.kind.own_code()) {
            (Some(condition), _) => f.pad(condition.name),
            (None, Some(code)) => write!(f, "code {code}"),
            (None, None) => f.pad("error"),
        }
    }
}

impl Error for ErrorParts {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // A cause of the error itself takes precedence over the cause of its problem.
        match (&self.source, &self.problem) {
            (Some(source), _) => Some(&**source),
            (None, problem) => problem.as_ref()?.source(),
        }
    }
}

impl From<ErrorKind> for ProtocolError {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}

/// Implements `From` for each detail whose kind has the same name.
macro_rules! from_details {
    ($($detail:ident)*) => {
        $(impl From<$detail> for ProtocolError {
            fn from(detail: $detail) -> Self {
                Self::new(ErrorKind::$detail(detail))
            }
        })*
    };
}

from_details!(InvalidRequest InvalidParams Internal Unavailable);

impl From<Refusal> for ProtocolError {
    fn from(refusal: Refusal) -> Self {
        InvalidRequest::Refused { refusal }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_this_error_is_one_word() {
        assert_eq!(size_of::<Result<(), ProtocolError>>(), size_of::<usize>());
    }

    #[test]
    fn a_result_is_at_most_two_words_larger_than_what_is_in_it() {
        fn check<T>() {
            let most = size_of::<T>() + 2 * size_of::<usize>();
            let name = std::any::type_name::<T>();
            assert!(size_of::<Result<T, ProtocolError>>() <= most, "{name}");
        }
        check::<()>();
        check::<u8>();
        check::<u64>();
        check::<u128>();
        check::<[u64; 5]>();
        check::<String>();
        check::<Option<Box<str>>>();
        check::<Value>();
        check::<WireError>();
    }

    #[test]
    fn the_cause_is_in_the_source_and_not_in_the_message() {
        let error = ProtocolError::internal("the index is unreadable").with_source("disk on fire");
        assert_eq!(error.to_string(), "the index is unreadable");
        let stated = error.source().unwrap();
        assert_eq!(stated.to_string(), "something failed internally");
        assert_eq!(stated.source().unwrap().to_string(), "disk on fire");
    }
}
