//! A directory over MCP: every file a resource, every directory a collection, with tools to list, read and search them for hosts
//! that only know tools. What changes is told, what is hidden or ignored is not there, and nothing outside can be reached.
//!
//! ```no_run
//! use plainly::Server;
//! use plainly_directory::DirectoryStore;
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let notes = DirectoryStore::new("notes")?;
//!     let server = Server::builder("notes", env!("CARGO_PKG_VERSION"))
//!         .tools(notes.tools())
//!         .store(notes)
//!         .build()?;
//!     Ok(server.serve_stdio().await?)
//! }
//! ```
//!
//! Besides this crate it needs `plainly` and `tokio`.
//!
//! # The way of a question
//!
//! ```text
//! URI ─► store ─► job ─► request ─► mount ─► walk ─► place ─► content, or what is known of it ─► converters
//!                 on a thread                from handle to handle,
//!                 that may block             as names and ignore files allow
//! ```
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `tools` | yes | [`DirectoryStore::tools`]: the directory as tools, with a search through its files |
//! | `html`, `csv`, `json`, `pdf` | no | a [`Converter`](convert::Converter) each, which gives such files in another format too |

mod builder;
mod store;

mod request;

mod job;
mod mount;
mod uri;

mod handle;
mod ignored;
mod lists;
mod lock;
mod names;
mod place;
mod walk;

mod content;
mod describe;

pub mod convert;

#[cfg(feature = "tools")]
mod search;
#[cfg(feature = "tools")]
mod tools;

mod watch;

#[cfg(unix)]
#[cfg(test)]
mod faults;

pub use self::builder::DirectoryStoreBuilder;
pub use self::mount::{MountError, MountProblem};
pub use self::store::{DirectoryStore, Mount};

/// Holds the examples of the README to what compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
