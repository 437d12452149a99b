//! The errors of the Model Context Protocol, and how each revision writes them.
//!
//! An error has one of three audiences. Each has its own type, so that the three can't be confused:
//!
//! - A **protocol error** is read by the peer's *code*. It travels as a JSON-RPC error response
//!   with a code, and the model never sees it. This crate has its type: [`ProtocolError`].
//! - A **tool error** is read by a *model*, which can correct its call: a successful result with
//!   `isError: true`. It has no code. Failures in a tool belong here, even a missing record or an
//!   invalid argument.
//! - A **local error** is read by the *caller of the library*: a timeout, a closed connection. It
//!   never travels and has no code, so it can't be mistaken for an error that the peer sent.
//!
//! The last two are defined where they are created. This crate has the errors that travel, and
//! converts them both ways:
//!
//! ```text
//!               Dialect::encode(error, revision)
//! ProtocolError ---------------------------------> WireError { code, message, data } and an HTTP status
//!               <---------------------------------
//!                      WireError::recognise()
//! ```
//!
//! A single table, the [`registry()`], lists the meaning of each number, who may send it and which
//! document defines it.
//!
//! A server states what happened. The peer's revision determines the number, data and HTTP status:
//!
//! ```
//! use plainly_errors::{Dialect, ProtocolError, Revision};
//!
//! let error = ProtocolError::resource_not_found("file:///nope.md");
//! let wire = Dialect::Uniform.encode(&error, Revision::V2026_07_28);
//! assert_eq!(
//!     serde_json::to_string(&wire).unwrap(),
//!     r#"{"code":-32602,"message":"Resource not found: file:///nope.md","data":{"uri":"file:///nope.md"}}"#,
//! );
//! assert_eq!(wire.recognise(), error);
//! ```
//!
//! A failure in an application's own terms, such as a user that does not exist or a limit that was
//! reached, is a [`Problem`]. It has a name that clients know, a suggestion, details and a time to
//! try again, and becomes either a protocol error or a tool error. Several together are
//! [`Problems`].
//!
//! ```
//! use plainly_errors::{Dialect, Problem, Revision};
//!
//! let problem = Problem::already_exists("user", "ada").suggest("Choose another name.");
//!
//! // For a model: text, and an object for programs.
//! assert_eq!(problem.text(), "The user 'ada' already exists. Choose another name.");
//! assert_eq!(problem.to_object()["code"], "ALREADY_EXISTS");
//!
//! // For the peer's code: a protocol error that reads back as the problem.
//! let wire = Dialect::Uniform.encode(&problem.to_protocol_error(), Revision::LATEST);
//! assert_eq!(wire.code.get(), 409);
//! assert_eq!(wire.recognise().problem(), Some(&problem));
//! ```
//!
//! The receiver of an error can query [whether](ProtocolError::is_retryable) and
//! [when](ProtocolError::retry_after) to try again.
//!
//! No I/O, no async, and no panic on any input.
//!
//! # Features
//!
//! No feature is on by default.
//!
//! | feature | adds |
//! |---|---|
//! | `rmcp` | conversions to and from `ErrorData`, the error type of the SDK [`rmcp`](https://docs.rs/rmcp). Adds a dependency on that crate, and on tokio |

mod with_causes;

pub mod revision;

pub mod code;

pub mod retry;

pub mod mistake;

pub mod visible;

pub mod number;

pub mod kind;

pub mod registry;

pub mod habit;

pub mod problem;

pub mod wire_error;

pub mod protocol_error;

mod advice;

mod http_status;

mod problem_error;

mod dialect;

#[cfg(feature = "rmcp")]
mod rmcp;

pub use advice::Fault;
pub use code::{ApplicationCode, Code, CodeRange, ReservedCode};
pub use habit::{AnsweredRequest, Certainty, Habit, habits};
pub use http_status::HttpStatus;
pub use kind::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, Refusal, Unavailable, UrlElicitation,
};
pub use mistake::Mistake;
pub use problem::{Problem, ProblemBag, ProblemCode, Problems};
pub use protocol_error::ProtocolError;
pub use registry::{Condition, Dialect, conditions, registry};
pub use retry::Retry;
pub use revision::{Era, Revision, UnknownRevision};
pub use wire_error::WireError;
pub use with_causes::with_causes;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
