//! Servers and clients of the Model Context Protocol, of every revision from 2024-11-05 to
//! 2026-07-28. MCP that says plainly what it serves and what went wrong.
//!
//! # A server
//!
//! Handlers are plain async functions. Their parameters and return types determine what is served:
//! the input schema of this tool is derived from `Args<Greet>`, and an error of any type becomes
//! what the peer's revision expects.
//!
//! ```no_run
//! use plainly::{Args, Server, Tool};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! async fn greet(Args(Greet { name }): Args<Greet>) -> String {
//!     format!("Hello, {name}!")
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder("greeter", env!("CARGO_PKG_VERSION"))
//!         .tool(Tool::new("greet", greet).description("Greets someone").read_only())
//!         .build()?;
//!     Ok(server.serve_stdio().await?)
//! }
//! ```
//!
//! Besides this crate you need `tokio`, and for `Args` also `serde` and `schemars` 1, which their
//! derives refer to. To avoid depending on a version of schemars, derive with
//! `#[schemars(crate = "plainly::schemars")]`.
//!
//! The command of the package `plainly-cli` tries a server while you write it:
//! `plainly tools -- cargo run -q`, then `plainly call greet name=Ada -- cargo run -q`. For HTTP,
//! replace the last line with [`HttpServer`](transport::http::HttpServer), or mount
//! [`Server::http`] in an axum application.
//!
//! # A client
//!
//! With the feature `client`, a program calls servers: here one in the same process, which is also
//! how you test a server. To reach other servers, use `Client::http(url)`, or
//! `Client::spawn(command)` with a [`std::process::Command`].
//!
//! ```
//! use plainly::{Client, ProtocolError, Resource, ResourceUri, Server};
//!
//! async fn gone(uri: ResourceUri) -> Result<String, ProtocolError> {
//!     Err(ProtocolError::resource_not_found(uri))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("notes", "1.0.0")
//!     .resource(Resource::new("app://motd", async || "Be kind."))
//!     .resource(Resource::new("app://gone", gone))
//!     .build()?;
//! let client = Client::in_memory(&server).connect().await?;
//! let read = client.read("app://motd").await?;
//! assert_eq!(read.contents[0].body.as_bytes(), b"Be kind.");
//!
//! let error = client.read("app://gone").await.unwrap_err();
//! assert!(error.is_resource_not_found());
//! # Ok(())
//! # }
//! ```
//!
//! # The path of a message
//!
//! ```text
//! server   bytes ─► envelope ─► peer ─► route ─► extract ─► handler ─► reply ─► dialect ─► bytes
//!                   borrowed    era,     table    typed      your       result   per
//!                   JSON-RPC    revision          arguments  code       or error revision
//!
//! client   call ─► request + _meta + headers ─► transport ─► reply ─► recognise ─► typed result or typed error
//! ```
//!
//! A handler never needs to know which revision it serves, and a caller never needs to know the
//! number of an error.
//!
//! # Features
//!
//! Each feature only adds API.
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `server` | yes | [`Server`]: tools, resources, resource templates, prompts, and any [`Store`](store::Store) of resources |
//! | `stdio` | yes | [`Server::serve_stdio`] |
//! | `http` | yes | [`HttpServer`](transport::http::HttpServer): Streamable HTTP, on its own or mounted in a router |
//! | `schema-patterns` | yes | schemas with `pattern` and `patternProperties`; without it, building a server with such a schema fails |
//! | `tls` | no | HTTPS and HTTP/2 for [`HttpServer`](transport::http::HttpServer) |
//! | `auth` | no | `ResourceServer`: authorization over HTTP, by access tokens or keys |
//! | `store-check` | no | `store::check`: a test of any store |
//! | `tools` | no | `StoreTools`: the resources of any store as tools |
//! | `anyhow`, `eyre` | no | finds a [`Problem`] attached to an error with `context` or `wrap_err` |
//! | `client` | no | `Client`: servers in the same process, as child processes, over Streamable HTTP and any byte stream |
//! | `oauth` | no | `client::oauth::OAuth`: logs in at the authorization server that an MCP server names (OAuth 2.1) |
//! | `skills` | no | `Client::skills`: the skills of servers, read and verified (SEP-2640) |
//!
//! For a client without HTTP, or without child processes, depend on the crate `plainly-client`,
//! which has a feature for each. The crate `plainly-directory` provides a store for directories of
//! files.
//!
//! The names that nearly every program needs are here at the root; everything else is in a module.

pub use plainly_errors as errors;
pub use plainly_protocol as protocol;
pub use plainly_transport::shutdown;
/// The version of schemars whose `JsonSchema` [`Args`], [`Vars`] and [`Json`] require.
#[cfg(feature = "server")]
pub use schemars;

/// Clients of servers.
#[cfg(feature = "client")]
pub mod client {
    pub use plainly_client::*;

    /// Logging in at the authorization servers of MCP servers (OAuth 2.1).
    #[cfg(feature = "oauth")]
    pub use plainly_auth::client as oauth;
}

/// Every limit, with its default.
#[cfg(any(feature = "client", feature = "server"))]
pub mod limits {
    #[cfg(feature = "client")]
    pub use plainly_client::limits::ClientLimits;
    #[cfg(feature = "server")]
    pub use plainly_server::limits::{
        Limits, QuestionLimits, ResumptionLimits, SchemaLimits, SessionLimits, SubscriptionLimits,
        TaskLimits,
    };
}

/// Servers.
#[cfg(feature = "server")]
pub mod server {
    pub use plainly_server::*;

    /// Authenticates and authorizes callers over HTTP: a resource server of OAuth 2.1, and keys.
    #[cfg(feature = "auth")]
    pub use plainly_auth::server as auth;
}

/// Sources of resources: directories, databases, buckets.
#[cfg(feature = "server")]
pub mod store {
    pub use plainly_server::store::*;

    #[cfg(feature = "store-check")]
    pub use plainly_store::{check, check_writes};

    #[cfg(feature = "tools")]
    pub use plainly_store::Filter;

    /// The resources of any store as tools, for hosts that only know tools.
    #[cfg(feature = "tools")]
    pub use plainly_store as tools;
}

/// Connections that carry messages.
pub mod transport {
    #[cfg(feature = "http")]
    pub use plainly_http as http;
    pub use plainly_transport::{
        ConnectionMemory, Duplex, Event, Exchange, Feed, FlushProgress, Frame, Inbound, Messages,
        Pipe, Reply, ReplyBody, ServeError, lines,
    };
}

#[cfg(feature = "client")]
pub use self::client::{Client, InMemory};
pub use self::errors::{Problem, ProblemCode, ProtocolError, Revision};
#[cfg(feature = "server")]
pub use self::protocol::types::{Content, PromptMessage};
#[cfg(feature = "server")]
pub use self::server::extract::{
    Args, Ask, Context, PartialArgument, Progress, ResourceUri, State, Task, Vars,
};
#[cfg(feature = "server")]
pub use self::server::reply::{Blob, Json, Text};
#[cfg(feature = "server")]
pub use self::server::{
    App, AskError, Failure, Principal, Prompt, Resource, ResourceTemplate, Server, TaskSupport,
    Tool,
};

/// Holds the examples of the README to what compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
