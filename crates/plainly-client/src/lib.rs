//! Calls MCP servers of every revision, over HTTP, as child processes or over any byte stream.
//!
//! ```text
//! call -> request + _meta + headers -> transport -> reply -> recognise -> typed result or typed error
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use plainly::client::Client;
//!
//! let (reader, writer) = tokio::io::split(tokio::io::empty());
//! let client = Client::over(reader, writer).connect().await?;
//! match client.read("file:///docs/nope.md").await {
//!     Ok(read) => println!("{} contents", read.contents.len()),
//!     Err(error) if error.is_resource_not_found() => println!("there is none"),
//!     Err(error) => return Err(error.into()),
//! }
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Dropping the future of a call cancels its request. A timeout cancels it, too. The connection
//! ends when the last client is dropped.
//!
//! Child processes and HTTP are features of this crate, `child` and `http`. Without them, a client
//! connects over byte streams and to servers in the same process. The feature `client` of the crate
//! `plainly` has both.

mod cache;
mod call;
mod connect;
mod error;
mod features;
#[cfg(feature = "http")]
mod http;
mod link;
mod message;

pub use self::cache::{Cache, Change};
pub use self::call::{
    Call, ForwardCall, InputRequired, Round, StartedCall, Subscription, TaskHandle,
};
#[cfg(feature = "http")]
pub use self::connect::Http;
#[cfg(feature = "child")]
pub use self::connect::Spawn;
pub use self::connect::{Builder, Client, InMemory, Operation, Over, OverMessages, Retries};
pub use self::error::{
    AuthError, AuthorizerError, Challenge, CloseReason, ConnectionEnd, Error, LocalError, Mismatch,
    Result, Stderr,
};
#[cfg(feature = "skills")]
pub use self::features::LoadedSkill;
pub use self::features::{Metadata, MetadataSource, ReadResult, ResourcePages};
#[cfg(feature = "http")]
pub use self::http::authorization::{
    Again, Authorizer, Credentials, Head, Refusal, UnsentRequest, dpop_nonce,
};
pub use self::message::clocks::{ClockPause, Clocks};
pub use self::message::limits;
pub use self::message::progress::ProgressUpdate;
pub use self::message::trace_context::TraceContext;
pub use self::message::traffic::Traffic;
#[cfg(feature = "http")]
pub use plainly_transport::tls::TlsError;
