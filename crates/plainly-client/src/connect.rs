//! Sets a client up: its settings, the transports to a server, the handshake, and the state that
//! its clones share.

mod builder;
#[cfg(feature = "child")]
mod child;
pub(crate) mod client;
pub(crate) mod handshake;
#[cfg(feature = "http")]
mod http;
mod in_memory;
pub(crate) mod known_tools;
pub(crate) mod operation;
pub(crate) mod options;
pub(crate) mod retries;
pub(crate) mod server_description;
pub(crate) mod session;

pub use self::builder::{Builder, Over, OverMessages};
#[cfg(feature = "child")]
pub use self::child::Spawn;
pub use self::client::Client;
#[cfg(feature = "http")]
pub use self::http::Http;
pub use self::in_memory::InMemory;
pub use self::operation::Operation;
pub use self::retries::Retries;
