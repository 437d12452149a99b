//! The receiving side: converts messages that a transport received, over HTTP or a stream, to
//! requests that are dispatched.

mod batch;
mod connection;
mod elsewhere;
mod exchange;
mod heard;
#[cfg(feature = "http")]
mod http;
mod last_word;
mod malformed;
pub(crate) mod pipes;
pub(crate) mod serving;
mod session_replies;
