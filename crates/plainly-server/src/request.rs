//! The context of a request: all data that serving it depends on, and the channels by which its
//! handler reaches the client before the reply.
//!
//! ```text
//!           ┌─► telling  progress, log messages ───┐
//! context ──┤                                      ├─► outbox ─► the client, before the reply
//!           └─► asking   questions to the client ──┘
//! ```

mod clock;

mod task_stage;
mod task_support;

mod context;
mod method_call;

mod asking;
mod telling;

pub(super) use self::context::{Interest, Scope};
pub(super) use self::method_call::{MethodCall, read};
pub(super) use self::task_stage::{StatusSink, TaskStart};
pub use self::task_support::TaskSupport;
pub(super) use self::task_support::{can_follow_tasks, check_tasks};
