//! The record of one task, and the events that change it. A record and an event produce the next
//! record, independently of stores and handlers.

mod iso_8601;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use plainly_errors::WireError;
use plainly_protocol::types::{
    DetailedTask, InputRequest, InputResponses, JsonObject, RawJson, TaskState,
};
use plainly_transport::quota::Holder;
use serde::{Deserialize, Serialize};

use self::iso_8601::iso_8601;

/// The record of one task, which a [`TaskStore`](super::TaskStore) stores. Its JSON is complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskRecord {
    /// The task as reported to clients. Its `taskId` is the key of the record.
    pub task: DetailedTask,
    /// The principal that may access the task; without one, any client that knows its id may.
    pub principal: Option<String>,
    /// The client's answers so far, by the keys of the questions.
    pub answers: InputResponses,
    /// The time until which the record must be stored; forever if absent.
    pub expires: Option<SystemTime>,
    /// The number of the record's changes.
    pub version: u64,
    /// The id of the replica that runs the handler, if it is one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// The version of the record in shared storage.
    #[serde(skip)]
    pub(super) stored: Option<u64>,
    /// The caller whose share of the tasks in memory the record takes of.
    #[serde(skip)]
    pub(super) holder: Option<Holder>,
    /// Members of newer servers.
    #[serde(flatten)]
    others: JsonObject,
}

/// An event of a task.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TaskEvent {
    /// The handler's open questions to the client are now exactly these.
    Asks(BTreeMap<String, InputRequest>),
    /// The client sends answers. Answers to questions that are not open are ignored.
    Answered(InputResponses),
    /// The handler sends a status message.
    Said(String),
    /// The task ends with a result.
    Completed(RawJson),
    /// The task ends with an error.
    Failed(WireError),
    /// The client cancels the task.
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
            holder: None,
            others: JsonObject::new(),
        }
    }

    /// The id of the task.
    pub fn id(&self) -> &str {
        &self.task.task_id
    }

    /// Whether the task has ended, so that it can't change any more.
    pub fn is_over(&self) -> bool {
        self.task.state.status().is_terminal()
    }

    /// The record after `event`; `None` if the event changes nothing.
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
                // The status message repeats the error for clients that show nothing else ("Task
                // Execution Errors": SHOULD).
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
        // A key stands for the same question as long as the task exists, so an answered one is not
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
