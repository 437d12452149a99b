//! The interface between the replicas of one server. They share an [`Engine`]: a [`Bus`] for events
//! and questions, [`Records`] for small values that expire, and [`Journals`] for ordered events.
//!
//! This crate contains the traits, and [`InProcess`], an engine for the replicas of one process.
//! Independent of messages and servers.
//!
//! ```
//! use std::time::Duration;
//!
//! use plainly_cluster::{InProcess, Records};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let engine = InProcess::new();
//! let (first, second) = (engine.replica(), engine.replica());
//! first.put("greeting", "Hello!".into(), None, Duration::from_secs(60)).await?;
//! let stored = second.get("greeting").await?;
//! assert_eq!(stored.map(|record| record.value), Some("Hello!".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bus;
pub mod check;
mod engine;
pub mod erased;
mod error;
mod in_process;
mod journals;
mod records;
mod replica_id;

pub use self::bus::{Bus, Heard, Responder, Unanswered};
pub use self::engine::{Engine, EngineReport};
pub use self::error::EngineError;
pub use self::in_process::{Faults, InProcess, Replica};
pub use self::journals::Journals;
pub use self::records::{Records, StoredRecord};
pub use self::replica_id::{InvalidReplicaId, ReplicaId};
