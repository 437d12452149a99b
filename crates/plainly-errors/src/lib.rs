//! What can go wrong in the Model Context Protocol, and how each revision of it writes that down.
//!
//! An error has one of three audiences, and each has a type of its own, so that none can pass for another:
//!
//! - A **protocol error** is read by the peer's *code*. It travels as a JSON-RPC error response with a code, and the model
//!   never sees it. This crate has its type: [`ProtocolError`].
//! - A **tool error** is read by a *model*, which can mend its call: a successful result that says `isError: true`. It has
//!   no code. A failure in a tool belongs here, even a missing record or a bad argument.
//! - A **local error** is read by the *caller of the library*: a timeout, a closed connection. It never travels and has no
//!   code, so it can't be mistaken for something that the peer said.
//!
//! The last two live where they are made; here is what travels, and the way it goes there and back:
//!
//! ```text
//!               Dialect::encode(error, revision)
//! ProtocolError ---------------------------------> WireError { code, message, data } and an HTTP status
//!               <---------------------------------
//!                      WireError::recognise()
//! ```
//!
//! What each number means, who may send it and which document says so is one table, the [`registry()`].
//!
//! A server states what happened; the right number, data and HTTP status for *this* peer's revision follow:
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
//! No I/O, no async, and no panic on any input.

pub mod revision;

pub mod code;

pub mod registry;

pub mod protocol_error;

pub mod wire_error;

pub mod dialect;

pub mod recognise;

pub mod problem;

pub mod retry;

pub use code::{ApplicationCode, Code, CodeRange, ReservedCode};
pub use dialect::Dialect;
pub use problem::{Problem, ProblemBag, ProblemCode};
pub use protocol_error::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError, Refusal, Unavailable,
    UrlElicitation,
};
pub use registry::{Retry, registry};
pub use revision::{Era, Revision, UnknownRevision};
pub use wire_error::WireError;
