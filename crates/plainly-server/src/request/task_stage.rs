//! The stage of a call that may become a task: whether it may become one, when, and whether it has.
//! It is part of the context, so that the handler can choose when the call becomes a task.
//! Independent of records and stores.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::future::BoxFuture;

use plainly_transport::lock::Lock;

/// Receives the status messages of a running task, for clients that poll it.
pub(crate) type StatusSink = Arc<dyn Fn(String) -> BoxFuture<'static, ()> + Send + Sync>;

/// The stage of a call on its way to becoming a task.
#[derive(Default)]
pub(crate) struct TaskStage(Lock<StageState>);

#[derive(Default)]
struct StageState {
    step: TaskStep,
    /// Wakes the tasks that wait until the call is a task.
    waiting: Vec<Waker>,
    /// Wakes the task that runs the handler when the call should become a task.
    runner: Option<Waker>,
}

#[derive(Default)]
enum TaskStep {
    /// The call is answered with its result.
    #[default]
    Foreground,
    /// The call may become a task.
    Open(TaskStart),
    /// The handler requested that the call become a task.
    Wanted,
    /// The call is becoming a task.
    Making,
    /// The call is a task.
    Background(StatusSink),
}

/// The moment when a call becomes a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskStart {
    /// Before the handler begins.
    AtOnce,
    /// At the first wait of the handler.
    Waiting,
    /// At a moment that the handler chooses.
    WhenItSays,
}

impl TaskStage {
    /// Allows the call to become a task.
    pub(crate) fn open(&self, becomes: TaskStart) {
        self.0.lock().step = TaskStep::Open(becomes);
    }

    /// Whether the call becomes a task now. `is_waiting` is whether its handler waits. Returns
    /// true only once; the caller is woken if the answer changes later.
    pub(crate) fn is_due(&self, is_waiting: bool, context: &Context<'_>) -> bool {
        let mut state = self.0.lock();
        if matches!(state.step, TaskStep::Open(TaskStart::WhenItSays)) && is_waiting {
            state.runner = Some(context.waker().clone());
        }
        let is_due = match &state.step {
            TaskStep::Open(TaskStart::AtOnce) | TaskStep::Wanted => true,
            TaskStep::Open(TaskStart::Waiting) => is_waiting,
            TaskStep::Open(TaskStart::WhenItSays)
            | TaskStep::Foreground
            | TaskStep::Making
            | TaskStep::Background(_) => false,
        };
        if is_due {
            state.step = TaskStep::Making;
        }
        is_due
    }

    /// Makes the call a task, and is pending until it is one. Ready at once if it can't become one,
    /// or already is one.
    pub(crate) fn poll_begin(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        match state.step {
            TaskStep::Foreground | TaskStep::Background(_) => return Poll::Ready(()),
            TaskStep::Open(_) => {
                state.step = TaskStep::Wanted;
                state.runner.take().into_iter().for_each(Waker::wake);
            }
            TaskStep::Wanted | TaskStep::Making => {}
        }
        let waker = context.waker();
        if !state.waiting.iter().any(|known| known.will_wake(waker)) {
            state.waiting.push(waker.clone());
        }
        Poll::Pending
    }

    /// Records that the call is a task.
    pub(crate) fn begun(&self, sink: StatusSink) {
        // The lock is released first, because woken tasks take it again.
        let waiting = {
            let mut state = self.0.lock();
            state.step = TaskStep::Background(sink);
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Stores a status message for clients that poll the task, if the call is one.
    pub(crate) async fn say(&self, message: &str) {
        let sink = match &self.0.lock().step {
            TaskStep::Background(sink) => sink.clone(),
            TaskStep::Foreground | TaskStep::Open(_) | TaskStep::Wanted | TaskStep::Making => {
                return;
            }
        };
        sink(message.to_owned()).await;
    }
}

impl fmt::Debug for TaskStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskStage").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(stage: &TaskStage) -> bool {
        stage
            .poll_begin(&Context::from_waker(Waker::noop()))
            .is_ready()
    }

    fn is_due(stage: &TaskStage, is_waiting: bool) -> bool {
        stage.is_due(is_waiting, &Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_call_becomes_a_task_once_and_when_it_may() {
        // The columns: when the call may become a task; before its handler begins; when the handler
        // is done at once; when it waits; after it requested a task.
        let cases = [
            (None, [false, false, false, false]),
            (Some(TaskStart::AtOnce), [true, false, false, false]),
            (Some(TaskStart::Waiting), [false, false, true, false]),
            (Some(TaskStart::WhenItSays), [false, false, false, true]),
        ];
        for (becomes, expected) in cases {
            let stage = TaskStage::default();
            becomes.into_iter().for_each(|becomes| stage.open(becomes));
            let seen = [
                is_due(&stage, false),
                is_due(&stage, false),
                is_due(&stage, true),
            ];
            let begins_at_once = begins(&stage);
            assert_eq!(begins_at_once, becomes.is_none(), "{becomes:?}");
            assert_eq!([seen[0], seen[1], seen[2], is_due(&stage, true)], expected);
            assert!(!is_due(&stage, true), "{becomes:?}");
        }
    }
}
