//! Transports for messages. A transport handles bytes and headers; it never sees a method or a
//! typed result.
//!
//! The crate `plainly` re-exports the parts of this crate that programs use. The other parts are
//! for the server and client crates, and may change with any release.

#[cfg(feature = "child")]
pub mod child;
#[cfg(feature = "tls")]
pub mod cryptography;
mod duplex;
mod escaped;
pub mod file_look;
mod frame;
pub mod health;
pub mod limits;
pub mod lines;
pub mod lock;
pub mod lru;
mod messages;
mod meter;
pub mod pending;
pub mod quota;
#[cfg(feature = "seal")]
pub mod seal;
mod serve;
mod serve_error;
pub mod shutdown;
#[cfg(feature = "stdio")]
pub mod standard;
#[cfg(feature = "tls-client")]
pub mod tls;

pub use duplex::Duplex;
pub use escaped::EscapedText;
pub use frame::{ConnectionMemory, Event, Exchange, Feed, Frame, Pipe, Reply, ReplyBody};
pub use messages::{FlushProgress, Inbound, Messages};
pub use meter::{Meter, MeteredReader};
pub use serve::Serve;
pub use serve_error::ServeError;
