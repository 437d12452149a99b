//! The number of tasks in each state.

use plainly_protocol::types::TaskStatus;

use crate::Server;

/// The number of tasks in each state, as a [`TaskStore`](crate::TaskStore) counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the extension has these five states"
)]
pub struct TaskCounts {
    /// The tasks that are in progress.
    pub working: usize,
    /// The tasks that wait for their clients' answers.
    pub input_required: usize,
    /// The tasks with a result, which may be a tool error.
    pub completed: usize,
    /// The tasks that ended with a protocol error.
    pub failed: usize,
    /// The tasks that were stopped before they were complete.
    pub cancelled: usize,
}

impl TaskCounts {
    /// The number of all tasks.
    pub fn total(&self) -> usize {
        self.working + self.input_required + self.completed + self.failed + self.cancelled
    }

    pub(super) fn of_mut(&mut self, status: TaskStatus) -> &mut usize {
        match status {
            TaskStatus::Working => &mut self.working,
            TaskStatus::InputRequired => &mut self.input_required,
            TaskStatus::Completed => &mut self.completed,
            TaskStatus::Failed => &mut self.failed,
            TaskStatus::Cancelled => &mut self.cancelled,
        }
    }
}

impl Server {
    /// The current number of tasks in each state; `None` if the [store](crate::TaskStore) can't
    /// tell immediately.
    pub fn task_counts(&self) -> Option<TaskCounts> {
        self.0.tasks.counts()
    }
}
