//! Tasks (extension `io.modelcontextprotocol/tasks`): tool calls that continue after their request was answered with a
//! handle. The holder of the handle polls the task, answers its questions, and cancels it.
//!
//! ```text
//! running ─► making ─► a handle         tasks/get, tasks/update, tasks/cancel
//!               │                                  │
//!               └─► background ─► record ◄─────────┘
//!                                   │
//!                                 store
//! ```
//!
//! What is known of a task is a record in a store; the handler itself runs in the process that made the task.

mod record;

mod memory;
mod store;

mod background;
mod live;
mod making;

mod methods;
mod told;

pub(super) use self::making::{TaskCall, Tasks};
pub use self::memory::MemoryTasks;
pub use self::record::TaskRecord;
pub(super) use self::store::ErasedTasks;
pub use self::store::{TaskStore, TaskStoreError};
