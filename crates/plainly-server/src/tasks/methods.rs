//! `tasks/get`, `tasks/update` and `tasks/cancel`, for clients that support tasks. Each client has
//! access only to tasks of its own principal.

use std::sync::Arc;

use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::types::{CancelTaskParams, GetTaskParams, InputResponses, UpdateTaskParams};
use serde::Deserialize;

use super::Tasks;
use super::record::{TaskEvent, TaskRecord};
use crate::answer::{Answer, MethodResult};
use crate::asking;
use crate::audience::{Audience, MethodAnswer};
use crate::failure::Failure;
use crate::mistakes;
use crate::request::{MethodCall, check_tasks};

impl Tasks {
    /// Serves `tasks/get`.
    pub(crate) fn get_task(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let GetTaskParams { task_id: id, .. } = read(call)?;
        let (tasks, peer) = (Arc::clone(self), Arc::clone(call.scope.peer()));
        Ok(later(async move {
            let record = tasks.find(&id, &peer).await?;
            Ok(MethodResult::new(record.task, None).into())
        }))
    }

    /// Serves `tasks/update`.
    pub(crate) fn update_task(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let UpdateTaskParams {
            task_id: id,
            input_responses: answers,
            ..
        } = read(call)?;
        let (tasks, peer) = (Arc::clone(self), Arc::clone(call.scope.peer()));
        Ok(later(async move {
            let record = tasks.find(&id, &peer).await?;
            check_answers(&record, &answers, peer.revision)?;
            tasks.accept(&id, TaskEvent::Answered(answers)).await
        }))
    }

    /// Serves `tasks/cancel`.
    pub(crate) fn cancel_task(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let CancelTaskParams { task_id: id, .. } = read(call)?;
        let (tasks, peer) = (Arc::clone(self), Arc::clone(call.scope.peer()));
        Ok(later(async move {
            tasks.find(&id, &peer).await?;
            tasks.accept(&id, TaskEvent::Cancelled).await
        }))
    }

    /// Records the client's action on its task, and signals the handler.
    async fn accept(&self, id: &str, event: TaskEvent) -> Result<Answer, Failure> {
        let record = self.record(id, event).await.map_err(ProtocolError::from)?;
        record.ok_or_else(|| ProtocolError::from(InvalidParams::UnknownTask))?;
        self.local.signal(id);
        Ok(Answer::empty())
    }
}

/// The parameters from a client that supports tasks.
fn read<'a, T: Deserialize<'a>>(call: &MethodCall<'a>) -> Result<T, ProtocolError> {
    check_tasks(call.scope.peer())?;
    call.read()
}

fn later(
    answering: impl Future<Output = Result<Answer, Failure>> + Send + 'static,
) -> MethodAnswer {
    MethodAnswer::Later(Audience::Code, Box::pin(answering))
}

/// Rejects answers that don't match the open questions. Answers to other questions are ignored.
fn check_answers(
    record: &TaskRecord,
    answers: &InputResponses,
    revision: Revision,
) -> Result<(), ProtocolError> {
    for (key, question) in record.asked().into_iter().flatten() {
        if let Some(answer) = answers.get(key)
            && let Err(mistakes) = asking::read(question, answer, revision)
        {
            return Err(mistakes::in_input_response(key, mistakes));
        }
    }
    Ok(())
}
