//! Layers around dispatch, the same for every transport: code between a request whose peer is known and its handler,
//! which also sees the outcome. A layer is a [`tower_layer::Layer`] over [`Next`], or a function turned into one by
//! [`from_fn`]:
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
//! A layer sees every request for a method that the server has, from any peer that could be identified. It does not see
//! `initialize`, notifications, or anything that is not a request. What a handler sends before the outcome, progress and
//! log messages, bypasses it. Without layers a request goes straight to its handler.

mod next;
mod outcome;
mod request;

pub use self::next::{FromFn, Next, NextFuture, from_fn};
pub use self::outcome::Outcome;
pub use self::request::Request;

/// Any error of a layer.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
