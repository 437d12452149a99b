//! Tasks (extension `io.modelcontextprotocol/tasks`, from 2026-07-28): work that goes on after its request was answered
//! with a handle, asked for by `tasks/get`, told more by `tasks/update` and stopped by `tasks/cancel`. What may follow
//! what is not decided here.

use std::collections::BTreeMap;

use plainly_errors::WireError;
use serde::{Deserialize, Serialize};

use super::input::{InputRequest, InputResponses};
use super::json::{Meta, RawJson};
use super::natural;
use super::object::ObjectOnly;
use super::record::{record, setters};

/// The identifier of the extension, in the capabilities of both sides.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The state of a task, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the extension has these five")]
pub enum TaskStatus {
    /// It is being worked on.
    Working,
    /// It waits for answers of the client.
    InputRequired,
    /// It has its result, which may be a tool error.
    Completed,
    /// It ended with an error of the protocol.
    Failed,
    /// It was stopped before it was done.
    Cancelled,
}

impl TaskStatus {
    /// Whether nothing follows it.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Working | Self::InputRequired => false,
            Self::Completed | Self::Failed | Self::Cancelled => true,
        }
    }
}

/// The state of a task, with its data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(
    tag = "status",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[expect(clippy::exhaustive_enums, reason = "the extension has these five")]
pub enum TaskState {
    /// It is being worked on.
    Working,
    /// It waits for answers of the client.
    InputRequired {
        /// The questions not answered yet, at least one, under keys that the answers must have too.
        input_requests: BTreeMap<String, InputRequest>,
    },
    /// It is done.
    Completed {
        /// The result that its request would have had without a task: of `tools/call` a tool's, even a tool error.
        result: RawJson,
    },
    /// It ended with an error of the protocol.
    Failed {
        /// The error.
        error: WireError,
    },
    /// It was stopped before it was done.
    Cancelled,
}

impl TaskState {
    /// In one word.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        match self {
            Self::Working => TaskStatus::Working,
            Self::InputRequired { .. } => TaskStatus::InputRequired,
            Self::Completed { .. } => TaskStatus::Completed,
            Self::Failed { .. } => TaskStatus::Failed,
            Self::Cancelled => TaskStatus::Cancelled,
        }
    }
}

/// All facts about a task: the result of `tasks/get`, the parameters of `notifications/tasks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "ObjectOnly<WireTask>")]
#[non_exhaustive]
pub struct DetailedTask {
    /// The task's id: any client that knows it can ask for the task.
    pub task_id: String,
    /// The state of the task.
    #[serde(flatten)]
    pub state: TaskState,
    /// A short description of the current step, for users or a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// The time of its start, as ISO 8601.
    pub created_at: String,
    /// The time of its last change, as ISO 8601.
    pub last_updated_at: String,
    /// For how long after its creation it is kept, in milliseconds; without end where absent.
    pub ttl_ms: Option<u64>,
    /// The least milliseconds between two polls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
}

impl DetailedTask {
    /// A task that began at this time, and is kept for `ttl_ms` milliseconds from then on.
    pub fn new(
        task_id: impl Into<String>,
        created_at: impl Into<String>,
        ttl_ms: Option<u64>,
    ) -> Self {
        // A task that has just begun has changed at that moment.
        let created_at = created_at.into();
        Self {
            task_id: task_id.into(),
            state: TaskState::Working,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl_ms,
            poll_interval_ms: None,
        }
    }

    setters! {
        /// Sets how often to ask for it at most, in milliseconds between two requests.
        poll_interval_ms: u64;
    }
}

/// The handle of a task, in place of the result of the request that it was made of. On the wire its `resultType` is
/// `task`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "ObjectOnly<WireTask>")]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task's id: any client that knows it can ask for the task.
    pub task_id: String,
    /// The state of the task.
    pub status: TaskStatus,
    /// A short description of the current step, for users or a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// The time of its start, as ISO 8601.
    pub created_at: String,
    /// The time of its last change, as ISO 8601.
    pub last_updated_at: String,
    /// For how long after its creation it is kept, in milliseconds; without end where absent.
    pub ttl_ms: Option<u64>,
    /// The least milliseconds between two polls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl From<DetailedTask> for CreateTaskResult {
    fn from(task: DetailedTask) -> Self {
        Self {
            status: task.state.status(),
            task_id: task.task_id,
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl_ms: task.ttl_ms,
            poll_interval_ms: task.poll_interval_ms,
            meta: None,
        }
    }
}

impl From<ObjectOnly<WireTask>> for CreateTaskResult {
    fn from(ObjectOnly(wire): ObjectOnly<WireTask>) -> Self {
        Self {
            task_id: wire.task_id,
            status: wire.status,
            status_message: wire.status_message,
            created_at: wire.created_at,
            last_updated_at: wire.last_updated_at,
            ttl_ms: wire.ttl_ms,
            poll_interval_ms: wire.poll_interval_ms,
            meta: wire.meta,
        }
    }
}

record! {
    /// The parameters of `tasks/get`.
    #[derive(Eq)]
    pub struct GetTaskParams {
        /// The task.
        pub task_id: String,
    }

    /// The parameters for this task.
    pub fn new(task_id: impl Into<String>);
}

record! {
    /// The parameters of `tasks/cancel`.
    #[derive(Eq)]
    pub struct CancelTaskParams {
        /// The task.
        pub task_id: String,
    }

    /// The parameters for this task.
    pub fn new(task_id: impl Into<String>);
}

record! {
    /// The parameters of `tasks/update`.
    #[derive(Eq)]
    pub struct UpdateTaskParams {
        /// The task.
        pub task_id: String,
        /// Answers, each under the key of what it answers.
        pub input_responses: InputResponses,
    }

    /// The answers for this task.
    pub fn new(task_id: impl Into<String>, input_responses: InputResponses);
}

/// The fields of every state side by side, as they stand on the wire.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTask {
    task_id: String,
    status: TaskStatus,
    status_message: Option<String>,
    created_at: String,
    last_updated_at: String,
    #[serde(default, deserialize_with = "natural::optional")]
    ttl_ms: Option<u64>,
    #[serde(default, deserialize_with = "natural::optional")]
    poll_interval_ms: Option<u64>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
    input_requests: Option<BTreeMap<String, InputRequest>>,
    result: Option<RawJson>,
    error: Option<WireError>,
}

impl TryFrom<ObjectOnly<WireTask>> for DetailedTask {
    type Error = Incomplete;

    fn try_from(ObjectOnly(wire): ObjectOnly<WireTask>) -> Result<Self, Incomplete> {
        let state = match wire.status {
            TaskStatus::Working => TaskState::Working,
            TaskStatus::InputRequired => TaskState::InputRequired {
                input_requests: wire.input_requests.ok_or(Incomplete("inputRequests"))?,
            },
            TaskStatus::Completed => TaskState::Completed {
                result: wire.result.ok_or(Incomplete("result"))?,
            },
            TaskStatus::Failed => TaskState::Failed {
                error: wire.error.ok_or(Incomplete("error"))?,
            },
            TaskStatus::Cancelled => TaskState::Cancelled,
        };
        Ok(Self {
            task_id: wire.task_id,
            state,
            status_message: wire.status_message,
            created_at: wire.created_at,
            last_updated_at: wire.last_updated_at,
            ttl_ms: wire.ttl_ms,
            poll_interval_ms: wire.poll_interval_ms,
        })
    }
}

/// A field that the task's status promises is missing.
#[derive(Debug, thiserror::Error)]
#[error("missing field `{0}`")]
struct Incomplete(&'static str);
