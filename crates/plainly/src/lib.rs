//! MCP that says plainly what it serves and what went wrong.

#[cfg(feature = "client")]
pub mod client;
pub mod limits;
#[cfg(feature = "client")]
mod pending;

pub mod shutdown;

pub mod transport;

#[cfg(feature = "server")]
mod schema;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod store;

pub use plainly_errors as errors;
pub use plainly_protocol as protocol;
