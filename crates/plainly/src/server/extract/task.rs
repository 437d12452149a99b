//! From where on a call is a task.

use std::future::poll_fn;

use super::{Extract, Needs, ToolCall, ToolChannel};
use crate::server::failure::Failure;
use crate::server::request::Scope;

/// The place in a handler from where on its call is a task, for a tool that [may become one](crate::server::Tool::task).
///
/// What comes before [`begin`](Self::begin) happens within the request: there a client can still be asked by the ordinary
/// way, and what fails there has not begun. What comes after it goes on in the background.
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
    /// From here on the call is a task: the client has its handle once this returns. If no task can be made of it, the
    /// client is told why, and the handler is dropped here. Where the client can't deal with tasks, and need not, this does
    /// nothing.
    pub async fn begin(&self) {
        poll_fn(|context| self.scope.stage().poll_begin(context)).await;
    }

    /// Says what it does just now to those who ask how far the task is. Before it is one, nobody does. The message of
    /// [`Context::progress`](super::Context::progress) says the same, and reaches those too who wait for a call that is no
    /// task.
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
