//! Tasks (extension `io.modelcontextprotocol/tasks`): calls of tools that go on after their request was answered with a
//! handle. Who has the handle asks how far it is, answers its questions, and stops it.
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
