//! MCP that says plainly what it serves and what went wrong.

#[cfg(feature = "client")]
pub mod client;
pub mod limits;
#[cfg(feature = "client")]
mod pending;

#[cfg(feature = "server")]
pub mod store;
pub mod transport;

pub use plainly_errors as errors;
pub use plainly_protocol as protocol;
