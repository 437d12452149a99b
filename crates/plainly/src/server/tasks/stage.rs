//! Where a call stands on its way to becoming a task: whether it may, when it does, and that it has. Part of the call's
//! scope, so that its handler can say from where on it is one.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::record::Event;
use crate::lock::Lock;
use crate::server::Server;
use crate::server::incident::chain;

/// Where a call stands.
#[derive(Debug, Default)]
pub(in crate::server) struct Stage(Lock<State>);

#[derive(Debug, Default)]
struct State {
    step: Step,
    /// Who waits until it is a task.
    waiting: Vec<Waker>,
    /// Who runs the handler, and must know once it is to become a task.
    runner: Option<Waker>,
}

#[derive(Debug, Default)]
enum Step {
    /// It is answered with its result.
    #[default]
    Foreground,
    /// It may become a task.
    Open(Becomes),
    /// Its handler said that it is to become one.
    Wanted,
    /// It is becoming one.
    Making,
    /// It is one.
    Background(Voice),
}

/// When a call becomes a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Becomes {
    /// Before its handler begins.
    AtOnce,
    /// When its handler waits for anything, rather than be done at once.
    Waiting,
    /// When its handler says so.
    WhenItSays,
}

impl Stage {
    /// It may become a task.
    pub(in crate::server) fn open(&self, becomes: Becomes) {
        self.0.lock().step = Step::Open(becomes);
    }

    /// Whether it becomes a task now: `is_waiting` if its handler is. True once; who asks is woken if it comes later.
    pub(in crate::server) fn is_due(&self, is_waiting: bool, context: &Context<'_>) -> bool {
        let mut state = self.0.lock();
        if matches!(state.step, Step::Open(Becomes::WhenItSays)) && is_waiting {
            state.runner = Some(context.waker().clone());
        }
        let is_due = match &state.step {
            Step::Open(Becomes::AtOnce) | Step::Wanted => true,
            Step::Open(Becomes::Waiting) => is_waiting,
            Step::Open(Becomes::WhenItSays)
            | Step::Foreground
            | Step::Making
            | Step::Background(_) => false,
        };
        if is_due {
            state.step = Step::Making;
        }
        is_due
    }

    /// From here on it is a task: pending until it is. Ready at once where it can't become one, or is one already.
    pub(in crate::server) fn poll_begin(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        match state.step {
            Step::Foreground | Step::Background(_) => return Poll::Ready(()),
            Step::Open(_) => {
                state.step = Step::Wanted;
                state.runner.take().into_iter().for_each(Waker::wake);
            }
            Step::Wanted | Step::Making => {}
        }
        let waker = context.waker();
        if !state.waiting.iter().any(|known| known.will_wake(waker)) {
            state.waiting.push(waker.clone());
        }
        Poll::Pending
    }

    /// It is a task now.
    pub(super) fn begun(&self, voice: Voice) {
        let waiting = {
            let mut state = self.0.lock();
            state.step = Step::Background(voice);
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Says what it does to those who ask for the task, if it is one.
    pub(in crate::server) async fn say(&self, message: &str) {
        let voice = match &self.0.lock().step {
            Step::Background(voice) => voice.clone(),
            Step::Foreground | Step::Open(_) | Step::Wanted | Step::Making => return,
        };
        voice.say(message).await;
    }
}

/// Tells those who ask for a task what its handler says.
#[derive(Clone)]
pub(super) struct Voice {
    server: Server,
    id: Arc<str>,
}

impl Voice {
    pub(super) fn new(server: Server, id: impl Into<Arc<str>>) -> Self {
        let id = id.into();
        Self { server, id }
    }

    async fn say(&self, message: &str) {
        let message = message.to_owned();
        if let Err(error) = self.server.happened(&self.id, Event::Said(message)).await {
            tracing::warn!(task = &*self.id, error = %chain(&error), "a task's message was not kept");
        }
    }
}

impl fmt::Debug for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Voice").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(stage: &Stage) -> bool {
        stage
            .poll_begin(&Context::from_waker(Waker::noop()))
            .is_ready()
    }

    fn is_due(stage: &Stage, is_waiting: bool) -> bool {
        stage.is_due(is_waiting, &Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_call_becomes_a_task_once_and_when_it_may() {
        // When it may; before its handler begins; when that is done at once; when it waits; when it has said so.
        let cases = [
            (None, [false, false, false, false]),
            (Some(Becomes::AtOnce), [true, false, false, false]),
            (Some(Becomes::Waiting), [false, false, true, false]),
            (Some(Becomes::WhenItSays), [false, false, false, true]),
        ];
        for (becomes, expected) in cases {
            let stage = Stage::default();
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
