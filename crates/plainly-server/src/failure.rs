//! The failures of handlers, which can be any error. The kind of handler determines what the peer
//! gets, in [`reply`](super::reply).

mod ask_error;
mod declared;
pub(super) mod incident;
mod meaning;
mod pointer;

use std::error::Error;
use std::fmt;
use std::ops::Deref;

use plainly_errors::{ErrorKind, ProblemBag, ProblemCode, Problems, ProtocolError};
use plainly_protocol::types::InputRequiredResult;

pub use self::ask_error::{AskError, AskErrorKind};
pub use self::declared::{ByDeclaration, DeclaredFailure, DeclaredProblems};
pub(super) use self::meaning::Meaning;
use self::pointer::{Pointee, Pointer};

/// An error that a handler returns. `?` converts any error to it, and [`Failure::of`] converts
/// `anyhow`, `eyre` and boxed errors, which do not implement `Error` themselves.
///
/// A handler with errors of several kinds returns `Result<T, Failure>`. The outermost
/// [`Problem`](plainly_errors::Problem) or [`ProtocolError`] in the chain of sources determines
/// what the peer gets; without one, the peer gets the error's own message. Your own error type
/// becomes a problem by `impl From<MyError> for Problem`; handlers then return
/// `Result<T, Problem>`.
///
/// ```
/// use plainly::server::Failure;
///
/// async fn port() -> Result<String, Failure> {
///     let port: u16 = "80".parse()?;
///     Ok(format!("{port}"))
/// }
/// ```
pub struct Failure(Box<FailureParts>);

struct FailureParts {
    cause: FailureCause,
    /// The codes that the problems can have, if they are declared.
    declared: &'static [ProblemCode],
}

enum FailureCause {
    Error(Box<dyn Error + Send + Sync>),
    Pointer(Box<dyn Pointer>),
    Text(String),
    Asks(InputRequiredResult),
    /// An error of the server itself, which replaces that of a handler.
    Server(ProtocolError),
}

/// The message if a handler asks a client that can't answer.
const ASKS: &str = "the client must be asked first";

impl Failure {
    fn new(cause: FailureCause) -> Self {
        Self(Box::new(FailureParts {
            cause,
            declared: &[],
        }))
    }

    /// Adds the codes that the problems of the handler can have.
    fn declaring(mut self, codes: &'static [ProblemCode]) -> Self {
        self.0.declared = codes;
        self
    }

    /// The codes that the problems can have; empty if they are not declared.
    pub(super) fn declared(&self) -> &'static [ProblemCode] {
        self.0.declared
    }

    /// A failure with only a message.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(FailureCause::Text(text.into()))
    }

    /// Converts any error type of a handler, also those that `?` can't convert.
    ///
    /// ```
    /// use plainly::server::Failure;
    ///
    /// fn stock() -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
    ///     Ok("17".parse()?)
    /// }
    ///
    /// async fn buy() -> Result<String, Failure> {
    ///     let left = stock().map_err(Failure::of)?;
    ///     Ok(format!("{left} left"))
    /// }
    /// ```
    pub fn of<By>(error: impl IntoFailure<By>) -> Self {
        error.into_failure()
    }

    /// Not a failure, but the end of a round: the client should answer these questions and send the
    /// request again. The answers arrive in [`ReturnedAnswers`](super::extract::ReturnedAnswers),
    /// and the handler must match them to its state. [`Ask`](super::extract::Ask) does all of that
    /// for you, and works for older clients too.
    ///
    /// Clients before 2026-07-28 can't be asked in this way: they get an internal error, or a tool
    /// error if the handler is a tool's.
    ///
    /// ```
    /// use plainly::protocol::types::{ElicitFormParams, InputRequiredResult, TextField};
    /// use plainly::server::extract::ReturnedAnswers;
    /// use plainly::{Failure, Tool};
    ///
    /// async fn greet(returned: ReturnedAnswers) -> Result<String, Failure> {
    ///     if returned.answers.get("name").is_none() {
    ///         let form = ElicitFormParams::new("Who are you?").field("name", TextField::new());
    ///         return Err(Failure::input_required(InputRequiredResult::new([("name", form)])));
    ///     }
    ///     Ok("Hello!".to_owned())
    /// }
    ///
    /// let tool = Tool::new("greet", greet);
    /// ```
    pub fn input_required(asked: InputRequiredResult) -> Self {
        Self::new(FailureCause::Asks(asked))
    }

    /// The server's own error, which replaces that of a handler.
    pub(super) fn of_server(error: ProtocolError) -> Self {
        Self::new(FailureCause::Server(error))
    }

    /// Converts a source's failure to one of this server. An error about the request becomes this
    /// server's answer. An error about the source's own connection or session does not, because the
    /// client would open another session or change its revision.
    pub(super) fn of_source(self) -> Self {
        let Meaning::Protocol(error) = self.meaning() else {
            return self;
        };
        let is_of_request =
            error.may_be_a_handlers() || matches!(error.kind(), ErrorKind::MethodNotFound { .. });
        let error = match is_of_request {
            true => error,
            false => ProtocolError::internal(error.message().into_owned()),
        };
        Self::of_server(error.with_source(self.into_source()))
    }

    /// The questions that the handler ended with.
    pub(super) fn asks(&self) -> Option<&InputRequiredResult> {
        match &self.0.cause {
            FailureCause::Asks(asked) => Some(asked),
            FailureCause::Error(_)
            | FailureCause::Pointer(_)
            | FailureCause::Text(_)
            | FailureCause::Server(_) => None,
        }
    }

    /// The meaning of the failure, which is that of the outermost error in the chain of sources
    /// that has one.
    pub(super) fn meaning(&self) -> Meaning<'_> {
        match &self.0.cause {
            FailureCause::Text(text) => Meaning::Text(text),
            FailureCause::Asks(_) => Meaning::Text(ASKS),
            FailureCause::Server(error) => Meaning::Server(error.clone()),
            FailureCause::Error(error) => Meaning::along(&**error),
            FailureCause::Pointer(pointer) => match pointer.context() {
                Some(meaning) => meaning,
                None => Meaning::along(pointer.error()),
            },
        }
    }

    /// The problems of the failure, if there are several at once.
    pub(super) fn problems(&self) -> Option<Problems> {
        let Meaning::Problems(problems) = self.meaning() else {
            return None;
        };
        Some(problems)
    }

    /// Rewrites the texts of the failure, if it is one problem or several.
    pub(super) fn reworded(self, words: impl Fn(&str) -> String) -> Self {
        let declared = self.declared();
        let reworded = match self.meaning() {
            Meaning::Problem(problem) => Self::from(problem.reworded(words)),
            Meaning::Problems(problems) => {
                let problems = problems.iter().cloned();
                let bag: ProblemBag = problems.map(|one| one.reworded(&words)).collect();
                match bag.into_result() {
                    Err(problems) => Self::from(problems),
                    Ok(()) => return self,
                }
            }
            Meaning::Protocol(_)
            | Meaning::Server(_)
            | Meaning::Text(_)
            | Meaning::Panic
            | Meaning::Unknown(_) => return self,
        };
        reworded.declaring(declared)
    }

    /// Converts a problem to a failure for the resource at `uri`, which was not found.
    pub(super) fn of_resource(self, uri: &str) -> Self {
        let Meaning::Problem(problem) = self.meaning() else {
            return self;
        };
        let declared = self.declared();
        let error = problem.for_resource(uri);
        Self::from(error.with_source(self.into_source())).declaring(declared)
    }

    /// The error itself, for logs.
    pub(super) fn into_source(self) -> Box<dyn Error + Send + Sync> {
        match self.0.cause {
            FailureCause::Error(error) => error,
            FailureCause::Pointer(pointer) => Pointee(pointer).into(),
            FailureCause::Text(text) => text.into(),
            FailureCause::Asks(_) => ASKS.into(),
            FailureCause::Server(error) => error.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.cause {
            FailureCause::Error(error) => error.fmt(f),
            FailureCause::Pointer(pointer) => fmt::Display::fmt(pointer.error(), f),
            FailureCause::Text(text) => f.pad(text),
            FailureCause::Asks(_) => f.pad(ASKS),
            FailureCause::Server(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.cause {
            FailureCause::Error(error) => error.fmt(f),
            FailureCause::Pointer(pointer) => fmt::Debug::fmt(pointer.error(), f),
            FailureCause::Text(text) => text.fmt(f),
            FailureCause::Asks(asked) => asked.fmt(f),
            FailureCause::Server(error) => fmt::Debug::fmt(error, f),
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(FailureCause::Error(Box::new(error)))
    }
}

/// An error type that a handler may return. `By` is always inferred.
///
/// Sealed: your own error type becomes a problem by `impl From<MyError> for Problem`.
#[diagnostic::on_unimplemented(
    message = "a handler can't fail with `{Self}`",
    label = "neither an error nor a pointer to one",
    note = "fail with an `Error + Send + Sync`, a boxed or `anyhow` error, or `Failure` where kinds are mixed",
    note = "`Failure::text` turns a sentence into an error",
    note = "an error type of your own: write `impl From<{Self}> for Problem`, return `Result<_, Problem>`, and use `?`"
)]
pub trait IntoFailure<By>: Sealed<By> {
    /// Converts the error to a failure.
    fn into_failure(self) -> Failure;

    /// The codes that the problems can have, if they are [declared](DeclaredProblems); otherwise
    /// empty.
    fn problems() -> &'static [ProblemCode] {
        &[]
    }
}

/// The existing ways to implement `IntoFailure`.
#[diagnostic::on_unimplemented(
    message = "`IntoFailure` can't be implemented for `{Self}`",
    label = "an error type of your own becomes a problem in another way",
    note = "write `impl From<{Self}> for Problem`, return `Result<_, Problem>` from handlers, and use `?`"
)]
#[expect(unnameable_types, reason = "nobody else implements it")]
pub trait Sealed<By> {}

/// Errors.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ByError {}

/// Pointers to errors: boxes, `anyhow`, `eyre`.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ByPointee {}

/// [`Failure`].
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum Itself {}

impl<E: Error + Send + Sync + 'static> Sealed<ByError> for E {}

impl<E: Error + Send + Sync + 'static> IntoFailure<ByError> for E {
    fn into_failure(self) -> Failure {
        Failure::from(self)
    }
}

impl<E> Sealed<ByPointee> for E where
    E: Deref<Target = dyn Error + Send + Sync> + Send + Sync + 'static
{
}

impl<E> IntoFailure<ByPointee> for E
where
    E: Deref<Target = dyn Error + Send + Sync> + Send + Sync + 'static,
{
    fn into_failure(self) -> Failure {
        Failure::new(FailureCause::Pointer(Box::new(self)))
    }
}

impl Sealed<Itself> for Failure {}

impl IntoFailure<Itself> for Failure {
    fn into_failure(self) -> Failure {
        self
    }
}
