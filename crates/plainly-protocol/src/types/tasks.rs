//! Tasks (extension `io.modelcontextprotocol/tasks`, from 2026-07-28): work that continues after
//! its request was answered with a handle. Clients poll a task by `tasks/get`, send it input by
//! `tasks/update` and stop it by `tasks/cancel`. The allowed order of states is checked elsewhere.

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

/// The status of a task in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::exhaustive_enums, reason = "the extension has these five")]
pub enum TaskStatus {
    /// The server is working on the task.
    Working,
    /// The task waits for input from the client.
    InputRequired,
    /// The task has its result, which may be a tool error.
    Completed,
    /// The task ended with a protocol error.
    Failed,
    /// The task was stopped before it was complete.
    Cancelled,
}

impl TaskStatus {
    /// Whether this is a final status.
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
    /// The server is working on the task.
    Working,
    /// The task waits for input from the client.
    InputRequired {
        /// The unanswered questions, at least one. Each answer must have the same key as its
        /// question.
        input_requests: BTreeMap<String, InputRequest>,
    },
    /// The task has its result.
    Completed {
        /// The result that the request would have had without a task. For `tools/call` it is a tool
        /// result, which may be a tool error.
        result: RawJson,
    },
    /// The task ended with a protocol error.
    Failed {
        /// The error.
        error: WireError,
    },
    /// The task was stopped before it was complete.
    Cancelled,
}

impl TaskState {
    /// The status in one word.
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

/// All facts about a task: the result of `tasks/get` and the parameters of `notifications/tasks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "ObjectOnly<WireTask>")]
#[non_exhaustive]
pub struct DetailedTask {
    /// The task's id. Any client that knows the id can ask for the task.
    pub task_id: String,
    /// The state of the task.
    #[serde(flatten)]
    pub state: TaskState,
    /// A short description of the current step, for users or a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// The start time of the task, as ISO 8601.
    pub created_at: String,
    /// The time of the task's last change, as ISO 8601.
    pub last_updated_at: String,
    /// The time that the task is stored after its creation, in milliseconds; unlimited if absent.
    pub ttl_ms: Option<u64>,
    /// The minimum time between two polls, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
}

impl DetailedTask {
    /// A task that began at `created_at` and is stored for `ttl_ms` milliseconds from then on.
    pub fn new(
        task_id: impl Into<String>,
        created_at: impl Into<String>,
        ttl_ms: Option<u64>,
    ) -> Self {
        // The last change of a new task is its creation.
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
        /// Sets the minimum time between two polls, in milliseconds.
        poll_interval_ms: u64;
    }
}

/// The handle of a task, which replaces the result of the request that started the task. On the
/// wire its `resultType` is `task`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "ObjectOnly<WireTask>")]
#[non_exhaustive]
pub struct CreateTaskResult {
    /// The task's id. Any client that knows the id can ask for the task.
    pub task_id: String,
    /// The status of the task.
    pub status: TaskStatus,
    /// A short description of the current step, for users or a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// The start time of the task, as ISO 8601.
    pub created_at: String,
    /// The time of the task's last change, as ISO 8601.
    pub last_updated_at: String,
    /// The time that the task is stored after its creation, in milliseconds; unlimited if absent.
    pub ttl_ms: Option<u64>,
    /// The minimum time between two polls, in milliseconds.
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
        /// The id of the task.
        pub task_id: String,
    }

    /// Requests the state of this task.
    pub fn new(task_id: impl Into<String>);
}

record! {
    /// The parameters of `tasks/cancel`.
    #[derive(Eq)]
    pub struct CancelTaskParams {
        /// The id of the task.
        pub task_id: String,
    }

    /// Cancels this task.
    pub fn new(task_id: impl Into<String>);
}

record! {
    /// The parameters of `tasks/update`.
    #[derive(Eq)]
    pub struct UpdateTaskParams {
        /// The id of the task.
        pub task_id: String,
        /// The answers, each under the key of its question.
        pub input_responses: InputResponses,
    }

    /// Sends these answers to this task.
    pub fn new(task_id: impl Into<String>, input_responses: InputResponses);
}

/// The fields of all states together, as on the wire.
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

/// A field is missing that the task's status requires.
#[derive(Debug, thiserror::Error)]
#[error("missing field `{0}`")]
struct Incomplete(&'static str);
