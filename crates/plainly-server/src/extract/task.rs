//! The point at which a call becomes a task.

use std::future::poll_fn;

use super::{Extract, Needs, ToolCall, ToolChannel};
use crate::failure::Failure;
use crate::request::Scope;

/// Marks the point in a handler where its call becomes a task, for a tool that
/// [may become one](crate::Tool::task).
///
/// Code before [`begin`](Self::begin) runs within the request: it can still ask the client in the
/// ordinary way, and a failure means that the task never began. Code after it continues in the
/// background.
///
/// ```
/// use plainly::{Task, TaskSupport, Tool};
///
/// async fn render(task: Task) -> String {
///     // ... looks whether there is anything to render
///     task.begin().await;
///     for page in 1..=3 {
///         task.say(format!("rendering page {page}")).await;
///         // ... renders it
///     }
///     "3 pages".to_owned()
/// }
///
/// let tool = Tool::new("render", render).task(TaskSupport::Optional);
/// ```
#[derive(Clone, Debug)]
pub struct Task {
    scope: Scope,
}

impl Task {
    /// Converts the call to a task: the client has its handle when this returns. If the task can't
    /// be created, the client gets an error and the handler is dropped here. If the client does not
    /// support tasks and the tool does not require them, this does nothing.
    pub async fn begin(&self) {
        poll_fn(|context| self.scope.stage().poll_begin(context)).await;
    }

    /// Sets the status message of the task. It is not sent before the call is a task. The message
    /// of [`Context::progress`](super::Context::progress) does the same, and also reaches clients
    /// that wait for a call that is not a task.
    pub async fn say(&self, message: impl AsRef<str>) {
        self.scope.stage().say(message.as_ref()).await;
    }
}

impl Extract<ToolChannel> for Task {
    fn extract(call: &ToolCall<'_>) -> Result<Self, Failure> {
        Ok(Self {
            scope: call.scope.clone(),
        })
    }

    fn needs(needs: &mut Needs) {
        needs.begins_task = true;
    }
}
