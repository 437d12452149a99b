//! Layers around dispatch, the same for every transport: code between a request with a known peer
//! and its handler, which also sees the outcome. A layer is a [`tower_layer::Layer`] over [`Next`],
//! or a function converted by [`from_fn`]:
//!
//! ```
//! use std::time::Instant;
//!
//! use plainly::server::layer::{Next, Outcome, Request, from_fn};
//! use plainly::{Server, Tool};
//!
//! async fn hello() -> &'static str {
//!     "Hello!"
//! }
//!
//! /// Says how long each request took, and how it ended.
//! async fn timed(request: Request, next: Next) -> Outcome {
//!     let (method, name) = (request.method().name(), request.name().map(str::to_owned));
//!     let begun = Instant::now();
//!     let outcome = next.run(request).await;
//!     let ended = match outcome.error() {
//!         Some(error) => error.message(),
//!         None if outcome.is_tool_error() => "the tool failed".into(),
//!         None => "ok".into(),
//!     };
//!     eprintln!("{method} {name:?}: {ended} after {:?}", begun.elapsed());
//!     outcome
//! }
//!
//! let server = Server::builder("greeter", "1.0.0")
//!     .tool(Tool::new("hello", hello))
//!     .layer(from_fn(timed))
//!     .build()?;
//! # Ok::<(), plainly::server::BuildErrors>(())
//! ```
//!
//! A layer sees every request for a method that the server has, from any peer that could be
//! identified. It does not see `initialize`, notifications, or any message that is not a request.
//! Messages that a handler sends before the outcome, such as progress and log messages, bypass it.
//! Without layers a request goes directly to its handler.

mod next;
mod outcome;
mod request;

pub use self::next::{FromFn, Next, NextFuture, from_fn};
pub use self::outcome::Outcome;
pub use self::request::Request;

/// Any error of a layer.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
