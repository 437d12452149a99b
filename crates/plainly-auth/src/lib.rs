//! Authorization for MCP (2026-07-28, "Authorization"), on both sides: a client that logs in where
//! a server requires it, and a server that authenticates and authorizes callers. The crate
//! `plainly` re-exports both.

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod server;

#[cfg(any(feature = "client", feature = "server"))]
mod clock;
#[cfg(any(feature = "client", feature = "server"))]
mod fetch;
