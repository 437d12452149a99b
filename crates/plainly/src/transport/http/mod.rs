//! Streamable HTTP: one message per POST, its answer in the response. Knows heads and bodies of HTTP and which of them
//! to turn away; never a method, a session or a revision.
//!
//! ```text
//! listener -> connection -> server: origin -> checks -> read -> Exchange -> body
//! ```

mod limits;
mod listener;

mod connection;
mod slots;
mod socket;
mod watch;

mod server;

mod body;
mod checks;
mod origin;
mod read;

pub use body::Body;
pub use limits::HttpLimits;
pub use listener::HttpServer;
pub use origin::InvalidAllowance;
pub use server::{HttpService, ResponseFuture};
