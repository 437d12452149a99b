//! Streamable HTTP: one message per POST, with the response in the HTTP response. Optionally also
//! its predecessor, HTTP with SSE. This crate handles the heads and bodies of HTTP and rejects
//! invalid requests; it knows no methods, sessions or revisions.
//!
//! ```text
//! listener -> connection -> server: origin -> gate -> checks -> read -> Exchange -> body
//! ```
//!
//! A rejected request gets a JSON-RPC error without an id, and an HTTP status. Only a head that
//! hyper can't read is handled before: the response is 400, 414 (the target is too long) or 431
//! (the headers are too large) without a body, and the connection closes.

mod limits;
mod listener;

#[cfg(feature = "tls")]
mod certificate;
mod connection;
#[cfg(feature = "tls")]
mod handshake;
#[cfg(feature = "tls")]
mod http2;
mod paced;
mod proxies;
mod slots;
mod socket;
mod watch;

mod server;
mod service;

mod body;
mod checks;
mod cors;
mod events;
mod gate;
mod origin;
mod pages;
mod pipe;
mod read;
mod readiness;
mod response;
mod routes;

pub use body::Body;
#[cfg(feature = "tls")]
pub use certificate::{InvalidCertificate, ServerCertificate};
pub use gate::{Admission, HttpGate, PeerAddress, Recheck, TurnedAway};
pub use limits::HttpLimits;
pub use listener::HttpServer;
pub use origin::InvalidAllowance;
pub use pages::NoEndpoint;
pub use proxies::{InvalidNetwork, ProxyNetwork};
pub use readiness::Readiness;
pub use routes::Route;
pub use server::HttpService;
pub use service::ResponseFuture;
