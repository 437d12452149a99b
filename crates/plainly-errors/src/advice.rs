//! The side at fault for an error, and the advice to its receiver. The compiler requires an arm for
//! each kind.

use std::borrow::Cow;
use std::fmt;

use crate::code::Code;
use crate::kind::{ErrorKind, Internal, InvalidParams, InvalidRequest, Refusal, Unavailable};
use crate::problem::{CodeForm, ProblemCode};
use crate::protocol_error::ProtocolError;
use crate::registry::table::condition;
use crate::registry::{Condition, lookup};

/// The side that has to act before a failed request can succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The client, which sent the request.
    Client,
    /// The server, or its operator.
    Server,
    /// The user, who has to do something first.
    User,
    /// Unknown, because only the author of the code knows.
    Unknown,
}

impl Fault {
    /// The name of the side: `client`, `server`, `user` or `unknown`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::User => "user",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl ProtocolError {
    /// The row of the error in the [table of conditions](crate::conditions), which describes the
    /// error. `None` for codes of applications and codes without a meaning.
    pub fn condition(&self) -> Option<&'static Condition> {
        condition(self.kind())
    }

    /// The side at fault, by the problem of the error or otherwise by its kind.
    ///
    /// ```
    /// use plainly_errors::{Fault, ProtocolError};
    ///
    /// assert_eq!(ProtocolError::invalid_params("no such column").fault(), Fault::Client);
    /// assert_eq!(ProtocolError::internal("disk full").fault(), Fault::Server);
    /// ```
    pub fn fault(&self) -> Fault {
        match self.problem() {
            Some(problem) => problem.code().fault(),
            None => self.kind().guidance().0,
        }
    }

    /// The advice, in one sentence without a full stop: the problem's suggestion, or otherwise the
    /// advice of the kind.
    ///
    /// ```
    /// use plainly_errors::{Problem, ProtocolError};
    ///
    /// let missing = ProtocolError::resource_not_found("file:///nope.md");
    /// assert_eq!(missing.advice(), "list the resources again, and use one of their URIs");
    /// let taken = Problem::already_exists("user", "ada").suggest("Choose another name.");
    /// assert_eq!(taken.to_protocol_error().advice(), "Choose another name");
    /// ```
    pub fn advice(&self) -> Cow<'_, str> {
        let Some(problem) = self.problem() else {
            return self.kind().guidance().1.into();
        };
        match problem.suggestion() {
            Some(suggestion) => suggestion.trim_end_matches('.').into(),
            None => problem.code().retry().advice().into(),
        }
    }
}

/// The fault and the advice of one row.
type Guidance = (Fault, &'static str);

impl ErrorKind {
    fn guidance(&self) -> Guidance {
        use Fault::{Client, Unknown, User};
        match self {
            Self::Parse => (
                Client,
                "fix the sender: a message is valid JSON in UTF-8, and nothing else",
            ),
            Self::InvalidRequest(detail) => (Client, detail.advice()),
            Self::MethodNotFound { .. } => (
                Client,
                "call only methods that the server's declared capabilities cover",
            ),
            Self::InvalidParams(detail) => (Client, detail.advice()),
            Self::ResourceNotFound { .. } => (
                Client,
                "list the resources again, and use one of their URIs",
            ),
            Self::Internal(detail) => (Fault::Server, detail.advice()),
            Self::Unavailable(reason) => (Fault::Server, reason.advice()),
            Self::HeaderMismatch => (
                Client,
                "list the tools again, derive the headers from the body, and send the request again",
            ),
            Self::MissingRequiredClientCapability { .. } => (
                Client,
                "declare the capabilities in data.requiredCapabilities if the client has them, and send the request again",
            ),
            Self::UnsupportedProtocolVersion { .. } => (
                Client,
                "choose one of data.supported, and send the request again",
            ),
            Self::UrlElicitationRequired { .. } => (
                User,
                "let the user visit the URLs in data.elicitations, then send the request again",
            ),
            Self::Application { code, .. } => (Unknown, Code::from(*code).range().advice()),
            Self::Unrecognised { code, .. } => {
                // Meanings that a code has without data are excluded, because the error was not
                // recognised as one of them.
                let known = lookup(*code).filter(|entry| (entry.read)(None).is_none());
                let known = known.map(|entry| entry.advice);
                (Unknown, known.unwrap_or(code.range().advice()))
            }
        }
    }
}

impl InvalidRequest {
    fn advice(&self) -> &'static str {
        match self {
            Self::Malformed => {
                "send a JSON-RPC 2.0 message as the server's revision has it, and correct what the error names"
            }
            Self::DuplicateId => "give each request an id that no other request in flight has",
            Self::SessionRequired => {
                "send initialize first, and its Mcp-Session-Id with every request after it"
            }
            Self::SessionNotFound => "send initialize again, without a session id",
            Self::Refused { refusal } => refusal.advice(),
        }
    }
}

impl Refusal {
    fn advice(self) -> &'static str {
        match self {
            Self::BadRequest => "correct what the message names of the HTTP request",
            Self::Unauthorized => {
                "get a token for this server, and send it in a header: Authorization: Bearer TOKEN"
            }
            Self::InsufficientScope => "get a token with the scopes that WWW-Authenticate names",
            Self::ForbiddenHost => {
                "use a host name that the server answers to, or have its operator allow this one"
            }
            Self::ForbiddenOrigin => "have the server's operator allow this origin",
            Self::UnknownPath => "use the path of the endpoint, which is often /mcp",
            Self::MethodNotAllowed => "send messages by POST",
            Self::NotAcceptable => "accept both application/json and text/event-stream",
            Self::RequestTimeout => "send the whole body at once",
            Self::StreamTaken => "close the other stream of this session first",
            Self::TooLarge { .. } => "send less in one message",
            Self::UnsupportedMediaType => {
                "send the message as application/json, in UTF-8 and not compressed"
            }
            Self::TooManyFailures => "wait a second, then send a token that is for this server",
        }
    }
}

impl InvalidParams {
    fn advice(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => {
                "correct the parameters as the message says, then send the request again"
            }
            Self::NotAnObject => "send params as an object, or leave it out",
            Self::MissingMeta { .. } => {
                "put the fields that the message names into _meta of every request"
            }
            Self::UnknownTool { .. } => "list the tools again, and call one of them",
            Self::UnknownPrompt { .. } => "list the prompts again, and use one of them",
            Self::UnknownSkill { .. } => "list the skills again, and name one by its SKILL.md",
            Self::InvalidCursor => "list from the beginning, without a cursor",
            Self::InvalidRequestState => {
                "send the request from the beginning, without requestState"
            }
            Self::InvalidInputResponse { .. } => {
                "answer the question of this key in the form that it asks for"
            }
            Self::UnknownTask => "start the task again: this one is unknown, or over",
            Self::InvalidUri { .. } => {
                "use an absolute URI as the server lists it, with a part such as #line=0,100 if it has parts"
            }
            Self::NotACollection { .. } => "read this resource, rather than list what is in it",
            Self::ResourceTooLarge { .. } => {
                "read a part of it, by one of data.parts if there are any, or have the server's operator raise the limit"
            }
            Self::NoSuchPart { .. } => "read a part that begins before the end, which is data.size",
        }
    }
}

impl Internal {
    fn advice(&self) -> &'static str {
        match self {
            Self::Failed => {
                "try again after a pause if the request is safe to repeat; then ask the server's operator, whose log has the cause"
            }
            Self::Incident { .. } => {
                "give the number of the incident to the server's operator: it finds the cause in the log"
            }
            Self::DeadlineExceeded { .. } => {
                "ask for less at once, or try again later if the request is safe to repeat"
            }
            Self::ReplyTooLarge { .. } => "ask for less at once",
        }
    }
}

impl Unavailable {
    fn advice(self) -> &'static str {
        match self {
            Self::Overloaded => "wait a moment, then send the request again",
            Self::ShuttingDown => "wait until the server is back, then send the request again",
            Self::CannotVerify => "wait a little, then send the request again",
        }
    }
}

impl ProblemCode {
    /// The side at fault: the caller if the request was rejected, the server if it failed.
    pub fn fault(&self) -> Fault {
        match (self, self.written()) {
            (Self::Custom(_), _) => Fault::Unknown,
            (Self::ConfirmationRequired, _) => Fault::User,
            // These have statuses for a client's fault, because no others fit.
            (Self::Timeout | Self::MissingDependency | Self::ServiceUnavailable, _)
            | (_, CodeForm::Internal) => Fault::Server,
            (_, CodeForm::InvalidParams | CodeForm::Status) => Fault::Client,
        }
    }
}
