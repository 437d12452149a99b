//! A directory over MCP: every file is a resource, every directory a collection, with tools to list, read and search them for
//! hosts that only support tools. Changes are announced, hidden and ignored files are left out, and nothing outside the
//! directory can be reached.
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
//! Besides this crate you need `plainly` and `tokio`.
//!
//! # The path of a request
//!
//! ```text
//! URI ─► store ─► job ─► request ─► mount ─► walk ─► place ─► content or metadata
//!                 on a thread                from handle to handle,
//!                 that may block             as names and ignore files allow
//! ```
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `tools` | yes | [`DirectoryStore::tools`]: tools over the directory, including a search through its files |
//! | `skills` | no | `SkillDirectory`: the skills in a directory (SEP-2640) |

mod builder;
mod store;

mod everything;
mod request;

mod current;
mod job;
mod mount;
mod uri;
mod visible;

mod above;
mod handle;
mod ignored;
mod lists;
mod lock;
mod name_locks;
mod names;
mod own_names;
mod place;
mod walk;
mod withheld;

mod content;
mod describe;
mod encoding;
mod title;
mod types;
#[cfg(any(feature = "tools", feature = "skills"))]
mod version;

mod restore;
mod step;
mod system;
mod trash;
mod write;

#[cfg(feature = "tools")]
mod search;
#[cfg(feature = "tools")]
mod tools;

mod watch;

#[cfg(feature = "skills")]
mod skills;

pub use self::builder::DirectoryStoreBuilder;
pub use self::mount::{MountError, MountProblem};
pub use self::restore::{Trash, TrashError, TrashedResource};
#[cfg(feature = "skills")]
pub use self::skills::{BrokenSkill, SkillDirectory};
pub use self::store::{DirectoryStore, Mount};
#[cfg(feature = "tools")]
pub use self::tools::FilesystemTools;

/// Compiles the examples of the README as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
