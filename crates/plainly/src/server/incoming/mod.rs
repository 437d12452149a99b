//! The way in: from what a transport received, over HTTP or a stream, to the requests that are dispatched.

mod batch;
mod connection;
mod exchange;
#[cfg(feature = "http-server")]
mod http;
mod malformed;
pub(in crate::server) mod pipes;
pub(in crate::server) mod serving;
