//! What can go wrong in the Model Context Protocol, and how each revision of it writes that down.
//!
//! Three audiences, three types. This crate has the one for a peer's *code*: [`ProtocolError`], a JSON-RPC error
//! response. (A *tool error*, read by a model, is a successful result; a *local error*, such as a timeout, never
//! travels and has no code: both live where they are made.)
//!
//! ```text
//! ProtocolError --dialect::encode(Revision)--> WireError { code, message, data } + HTTP status
//! ProtocolError <-----recognise::decode------- WireError
//! ```
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

pub use code::{ApplicationCode, Code, CodeRange, ReservedCode};
pub use dialect::Dialect;
pub use protocol_error::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError, Refusal, Unavailable,
    UrlElicitation,
};
pub use registry::{Retry, registry};
pub use revision::{Era, Revision, UnknownRevision};
pub use wire_error::WireError;
