//! `tasks/get`, `tasks/update` and `tasks/cancel`: for clients that can deal with tasks, each its own principal's.

use std::time::SystemTime;

use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::types::{CancelTaskParams, GetTaskParams, InputResponses, UpdateTaskParams};

use super::making::principal;
use super::record::{TaskEvent, TaskRecord};
use crate::server::Server;
use crate::server::answer::{Answer, MethodResult};
use crate::server::asking::read;
use crate::server::audience::{Answering, Audience};
use crate::server::failure::Failure;
use crate::server::request::Scope;

/// Bytes of the longest name that a task can have.
const LONGEST_NAME: usize = 256;

impl Server {
    /// Serves `tasks/get`.
    pub(in crate::server) fn get_task(&self, params: GetTaskParams, scope: &Scope) -> Answering {
        let (server, scope) = (self.clone(), scope.clone());
        later(async move {
            let record = server.task(&params.task_id, &scope).await?;
            Ok(MethodResult::new(record.task, None).into())
        })
    }

    /// Serves `tasks/update`.
    pub(in crate::server) fn update_task(
        &self,
        params: UpdateTaskParams,
        scope: &Scope,
    ) -> Answering {
        let (server, scope) = (self.clone(), scope.clone());
        let UpdateTaskParams {
            task_id: id,
            input_responses: answers,
            ..
        } = params;
        later(async move {
            let record = server.task(&id, &scope).await?;
            check_answers(&record, &answers, scope.peer().revision)?;
            server.happen(&id, TaskEvent::Answered(answers)).await
        })
    }

    /// Serves `tasks/cancel`.
    pub(in crate::server) fn cancel_task(
        &self,
        params: CancelTaskParams,
        scope: &Scope,
    ) -> Answering {
        let (server, scope) = (self.clone(), scope.clone());
        later(async move {
            server.task(&params.task_id, &scope).await?;
            server.happen(&params.task_id, TaskEvent::Cancelled).await
        })
    }

    /// The task of this name, if it is the caller's.
    pub(in crate::server) async fn task(
        &self,
        id: &str,
        scope: &Scope,
    ) -> Result<TaskRecord, ProtocolError> {
        if id.len() > LONGEST_NAME {
            return Err(InvalidParams::UnknownTask.into());
        }
        let record = self.0.tasks.store.get(id).await?;
        let now = SystemTime::now();
        let is_there = |record: &TaskRecord| {
            record.principal == principal(scope)
                && record.expires.is_none_or(|expires| expires > now)
        };
        record
            .filter(is_there)
            .ok_or_else(|| InvalidParams::UnknownTask.into())
    }

    /// What the client does to its task: its handler hears of it.
    async fn happen(&self, id: &str, event: TaskEvent) -> Result<Answer, Failure> {
        let happened = self
            .happened(id, event)
            .await
            .map_err(ProtocolError::from)?;
        if happened.is_none() {
            return Err(ProtocolError::from(InvalidParams::UnknownTask).into());
        }
        self.0.tasks.live.tell(id);
        Ok(Answer::empty())
    }
}

fn later(answering: impl Future<Output = Result<Answer, Failure>> + Send + 'static) -> Answering {
    Answering::Later(Audience::Code, Box::pin(answering))
}

/// Whether the answers to what is asked can be ones. Others are nothing to anybody.
fn check_answers(
    record: &TaskRecord,
    answers: &InputResponses,
    revision: Revision,
) -> Result<(), ProtocolError> {
    for (key, question) in record.asked().into_iter().flatten() {
        if let Some(answer) = answers.get(key)
            && let Err(why) = read(question, answer, revision)
        {
            let detail = InvalidParams::InvalidInputResponse { key: key.clone() };
            let error = ProtocolError::from(detail);
            let message = format!("{}: {why}", error.message());
            return Err(error.with_message(message));
        }
    }
    Ok(())
}
