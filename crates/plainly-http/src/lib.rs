//! Streamable HTTP: one message per POST, its answer in the response; and, where it was asked for, HTTP with SSE, its
//! predecessor. Knows the heads and bodies of HTTP, and which of them to turn away; never a method, a session or a revision.
//!
//! ```text
//! listener -> connection -> server: origin -> gate -> checks -> read -> Exchange -> body
//! ```
//!
//! A refusal is a JSON-RPC error without an id, and its status. Only what hyper can't read as a head never gets this far: it
//! is answered with 400, 414 (the target is too long) or 431 (the headers are) and no body, and the connection closes.

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
