//! The typed protocol error, created where the fact is known. It has no number and no HTTP status: those follow from
//! its type and the peer's revision in [`Dialect::encode`](crate::Dialect::encode), and nowhere else.

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

/// A JSON-RPC error response before it is written, or after it was recognised. One word wide.
///
/// Two errors are equal if their [`kind`](Self::kind), [`message`](Self::message) and [`own_data`](Self::own_data) are, whatever their source and other information for logs.
#[derive(Clone, Debug)]
// Boxed, so that every `Result` on the way of a reply stays small.
pub struct ProtocolError(Box<ErrorParts>);

/// The parts of an error. Also the [source](Error::source) of every error, as that of a problem is.
#[derive(Clone, Debug)]
struct ErrorParts {
    kind: ErrorKind,
    message: Option<Cow<'static, str>>,
    /// Only if `kind` has no data of its own.
    data: Option<Value>,
    /// The error object that it was recognised from, for showing it unchanged.
    received: Option<WireError>,
    /// The habit that it was recognised by, if its code and data alone don't determine the meaning.
    habit: Option<&'static Habit>,
    /// The problem in its data, or from which it was made.
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

    /// An error with data for which its kind has no place.
    pub(crate) fn with_all_data(
        kind: ErrorKind,
        message: Cow<'static, str>,
        data: Option<Value>,
    ) -> Self {
        let mut error = Self::new(kind).with_message(message);
        error.0.data = data;
        error
    }

    /// Adds the object that it was read from.
    pub(crate) fn with_received(mut self, received: WireError) -> Self {
        self.0.received = Some(received);
        self
    }

    /// Adds the habit that it was recognised by.
    pub(crate) fn with_habit(mut self, habit: Option<&'static Habit>) -> Self {
        self.0.habit = habit;
        self
    }

    /// Adds the problem that it states.
    pub(crate) fn with_problem(mut self, problem: impl Into<Option<Problem>>) -> Self {
        self.0.problem = problem.into();
        self
    }

    /// The bytes received are not JSON in UTF-8; `why` names the fault and its place.
    pub fn parse_error(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Parse).with_message(why)
    }

    /// The JSON received is not a JSON-RPC message; `why` names the fault.
    pub fn invalid_request(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidRequest(InvalidRequest::Malformed)).with_message(why)
    }

    /// The method `method` does not exist here.
    pub fn method_not_found(method: impl Into<String>) -> Self {
        Self::new(ErrorKind::MethodNotFound {
            method: Some(method.into()),
        })
    }

    /// The parameters are invalid; `why` names them, and the valid ones.
    pub fn invalid_params(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidParams(InvalidParams::MALFORMED)).with_message(why)
    }

    /// There is no resource at `uri`, or not for this caller (SEP-2164).
    pub fn resource_not_found(uri: impl Into<String>) -> Self {
        Self::new(ErrorKind::ResourceNotFound {
            uri: Some(uri.into()),
        })
    }

    /// Something failed internally; `why` is shown to the peer, so it must not contain secrets.
    pub fn internal(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Internal(Internal::Failed)).with_message(why)
    }

    /// A mirrored header is missing, malformed or contradicts the body; `why` names it.
    pub fn header_mismatch(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::HeaderMismatch).with_message(why)
    }

    /// Serving the request requires client capabilities that were not declared.
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

    /// The user must visit these URLs first (2025-11-25; peers of other revisions get what their revision has).
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

    /// Adds a member to its `data`, for programs: any JSON.
    ///
    /// Only where the specification leaves the data free: for invalid parameters and internal errors of no special kind, and
    /// for an application's own. Any other error has data that clients rely on, and sends that alone.
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

    /// Sets the error that caused it, for logs; it is never sent.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// The kind of error, to match on.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The message for the user: as set, or derived from the kind.
    pub fn message(&self) -> Cow<'_, str> {
        match &self.0.message {
            Some(message) => Cow::Borrowed(message),
            None => words(&self.0.kind),
        }
    }

    /// The message as an owned text; a fixed sentence is not copied.
    pub(crate) fn owned_message(&self) -> Cow<'static, str> {
        match &self.0.message {
            Some(message) => message.clone(),
            None => words(&self.0.kind),
        }
    }

    /// The problem that it states: the one it was made from, or for a received error the one whose known code is the
    /// `code` in its data, whatever its number. A custom code is the peer's own and stays in the data.
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

    /// The problems that it states, if they are several: those in its data, each with message, code, suggestion and
    /// details. [`problem`](Self::problem) is their summary then.
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

    /// Data in the sender's own form, such as a problem's, where the [kind](Self::kind) follows from the code and
    /// contains none of it.
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

    /// The code as received, with its name where that is certain: `InvalidParams -32602`, or
    /// `code -32000`. `None` for an error created here.
    pub fn named_code(&self) -> Option<String> {
        let code = self.received()?.code;
        // Some codes mean something else to those who never had their revision.
        let is_ambiguous = lookup(code).is_some_and(|entry| entry.emit == Emit::PerRevision);
        Some(match is_ambiguous && !self.is_resource_not_found() {
            true => format!("code {code}"),
            false => named(code),
        })
    }

    /// The protocol error that `error` is or that it wraps so that nothing else is left of it, as
    /// [`Problem::downcast`] finds problems.
    pub fn downcast(error: &(dyn Error + 'static)) -> Option<Self> {
        let stated = || error.downcast_ref::<ErrorParts>().cloned();
        let itself = error.downcast_ref::<Self>().cloned();
        itself.or_else(|| Some(Self(Box::new(stated()?))))
    }

    /// Whether a handler may fail with it: it is about what was asked for, not about the message, the connection or the
    /// session, of which only the server knows.
    pub fn may_be_a_handlers(&self) -> bool {
        condition(self.kind()).is_none_or(Condition::may_be_a_handlers)
    }

    /// The habit of the implementation that seems to have sent it, if its [kind](Self::kind) follows from one.
    pub fn habit(&self) -> Option<&'static Habit> {
        self.0.habit
    }

    /// The certainty of its [kind](Self::kind): only that of a received error may be no more than
    /// likely.
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

/// The source of an error is what it states, which leads on to its cause: so [`downcast`](ProtocolError::downcast) finds it
/// in errors that show nothing but its sources.
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
        // A cause that was set on the error itself says more than the cause of its problem.
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

/// Writes `From` each detail whose kind has its name.
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
