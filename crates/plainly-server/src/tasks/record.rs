//! The record of one task, and the events that change it. Knows neither stores nor handlers: a
//! record and an event give the record that follows.

mod iso_8601;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use plainly_errors::WireError;
use plainly_protocol::types::{
    DetailedTask, InputRequest, InputResponses, JsonObject, RawJson, TaskState,
};
use serde::{Deserialize, Serialize};

use self::iso_8601::iso_8601;

/// The stored record of one task: what a [`TaskStore`](super::TaskStore) keeps. As JSON, it is
/// complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskRecord {
    /// The task as reported to clients. Its `taskId` is the key of the record.
    pub task: DetailedTask,
    /// The principal that may access it; without one, any client that knows its id may.
    pub principal: Option<String>,
    /// The client's answers so far, by the keys of the questions.
    pub answers: InputResponses,
    /// The time until which it must be stored; forever if absent.
    pub expires: Option<SystemTime>,
    /// The number of its changes.
    pub version: u64,
    /// The id of the replica that runs its handler, if it is one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// The version under which shared records have it.
    #[serde(skip)]
    pub(super) stored: Option<u64>,
    /// Members that newer servers add.
    #[serde(flatten)]
    others: JsonObject,
}

/// An event in the life of a task.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TaskEvent {
    /// Its handler now asks the client these questions, and no others.
    Asks(BTreeMap<String, InputRequest>),
    /// The client answers. Answers to anything that is not asked, or no longer, are ignored.
    Answered(InputResponses),
    /// Its handler reports what it does.
    Said(String),
    /// It ends with a result.
    Completed(RawJson),
    /// It ends with an error.
    Failed(WireError),
    /// Its client cancels it.
    Cancelled,
}

impl TaskRecord {
    /// A task that begins `now`.
    pub(super) fn new(
        id: String,
        principal: Option<String>,
        now: SystemTime,
        ttl: Duration,
        poll_interval: Duration,
    ) -> Self {
        let expires = now.checked_add(ttl);
        let ttl_ms = expires.map(|_| millis(ttl));
        let task = DetailedTask::new(id, iso_8601(now), ttl_ms);
        Self {
            task: task.poll_interval_ms(millis(poll_interval)),
            principal,
            answers: InputResponses::new(),
            expires,
            version: 0,
            runner: None,
            stored: None,
            others: JsonObject::new(),
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.task.task_id
    }

    /// Whether it has ended, so that nothing more can happen to it.
    pub fn is_over(&self) -> bool {
        self.task.state.status().is_terminal()
    }

    /// The record after `event`; nothing if the event changes nothing.
    pub(super) fn after(&self, event: TaskEvent, now: SystemTime) -> Option<Self> {
        if self.is_over() {
            return None;
        }
        let mut next = self.clone();
        let changes = match event {
            TaskEvent::Asks(questions) => next.ask(questions),
            TaskEvent::Answered(answers) => next.answer(&answers),
            TaskEvent::Said(message) => next.say(message),
            TaskEvent::Completed(result) => next.end(TaskState::Completed { result }),
            TaskEvent::Failed(error) => {
                // The status message repeats it for clients that show nothing else ("Task Execution
                // Errors": SHOULD).
                next.say(error.message.clone().into_owned());
                next.end(TaskState::Failed { error })
            }
            TaskEvent::Cancelled => next.end(TaskState::Cancelled),
        };
        next.version += 1;
        next.task.last_updated_at = iso_8601(now);
        changes.then_some(next)
    }

    /// Sets the open questions.
    fn ask(&mut self, mut questions: BTreeMap<String, InputRequest>) -> bool {
        // A key stands for one question as long as the task lives: one that is answered is not
        // asked again.
        questions.retain(|key, _| self.answers.get(key).is_none());
        let state = match questions.is_empty() {
            true => TaskState::Working,
            false => TaskState::InputRequired {
                input_requests: questions,
            },
        };
        let changes = state != self.task.state;
        self.task.state = state;
        changes
    }

    fn answer(&mut self, answers: &InputResponses) -> bool {
        let mut questions = self.asked().cloned().unwrap_or_default();
        for (key, answer) in answers.iter() {
            if questions.remove(key).is_some() {
                self.answers.insert(key, answer.clone());
            }
        }
        self.ask(questions)
    }

    /// The questions that wait for answers.
    pub(super) fn asked(&self) -> Option<&BTreeMap<String, InputRequest>> {
        match &self.task.state {
            TaskState::InputRequired { input_requests } => Some(input_requests),
            TaskState::Working
            | TaskState::Completed { .. }
            | TaskState::Failed { .. }
            | TaskState::Cancelled => None,
        }
    }

    fn say(&mut self, message: String) -> bool {
        let changes = self.task.status_message.as_ref() != Some(&message);
        self.task.status_message = Some(message);
        changes
    }

    fn end(&mut self, state: TaskState) -> bool {
        self.task.state = state;
        true
    }
}

/// The largest integer that every reader of JSON can hold.
const LARGEST: u64 = (1 << 53) - 1;

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).map_or(LARGEST, |millis| millis.min(LARGEST))
}

#[cfg(test)]
mod tests;
