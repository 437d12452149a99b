//! Moves messages. A transport knows bytes and headers; it never sees a method or a typed result.

#[cfg(feature = "child")]
pub(crate) mod child;
mod duplex;
#[cfg(any(feature = "client", feature = "http-server"))]
mod escaped;
mod frame;
#[cfg(feature = "http-server")]
pub mod http;
pub mod lines;
mod messages;
#[cfg(feature = "client")]
mod meter;
#[cfg(any(feature = "server", feature = "http-server"))]
mod serve_error;
#[cfg(feature = "stdio")]
pub(crate) mod standard;

pub use duplex::Duplex;
#[cfg(any(feature = "client", feature = "http-server"))]
pub(crate) use escaped::Escaped;
pub use frame::{ConnectionMemory, Event, Exchange, Feed, Frame, Pipe, Reply, ReplyBody};
pub use messages::{FlushProgress, Inbound, Messages};
#[cfg(feature = "client")]
pub(crate) use meter::Meter;
#[cfg(any(feature = "server", feature = "http-server"))]
pub use serve_error::ServeError;
