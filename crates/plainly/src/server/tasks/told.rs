//! What a client that listens hears of tasks: of those that are its own, all that `tasks/get` would tell, whenever it is
//! another.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use plainly_errors::ProtocolError;
use plainly_protocol::types::SubscriptionFilter;

use crate::server::Server;
use crate::server::changes::{Topic, TopicSubscription};
use crate::server::incident::chain;
use crate::server::notices;
use crate::server::request::Scope;
use crate::server::request::check_tasks;

impl Server {
    /// The names of the tasks that are asked for, once each.
    pub(in crate::server) fn tasks_asked_for(
        &self,
        asked: &mut SubscriptionFilter,
        scope: &Scope,
    ) -> Result<Vec<String>, ProtocolError> {
        let Some(mut ids) = asked.task_ids.take() else {
            return Ok(Vec::new());
        };
        check_tasks(scope.peer())?;
        let limit = self.limits().listen_uris;
        if ids.len() > limit {
            let why = format!("Invalid params: a subscription to more than {limit} tasks");
            return Err(ProtocolError::invalid_params(why));
        }
        let mut seen = HashSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        Ok(ids)
    }

    /// Subscribes to those of the tasks that are the caller's; what the client is promised then, on the subscription of the
    /// request `id`. What each is by now it hears at once: what happened before it listened is lost to nobody.
    pub(in crate::server) async fn listen_to_tasks(
        self,
        id: Box<str>,
        mut told: SubscriptionFilter,
        tasks: Vec<String>,
        scope: Scope,
        subscription: Arc<TopicSubscription>,
    ) -> Option<Bytes> {
        let mut own = Vec::new();
        for task in tasks {
            match self.task(&task, &scope).await {
                Ok(_) => own.push(task),
                Err(error) => {
                    tracing::debug!(error = %chain(&error), "a task's change could not be reported")
                }
            }
        }
        for task in &own {
            let topic = Topic::Task(task.as_str().into());
            subscription.add([topic.clone()]);
            subscription.mark(&topic);
        }
        told.task_ids = (!own.is_empty()).then_some(own);
        Some(notices::acknowledged(&id, &told))
    }

    /// What the task is by now, on the subscription of the request `id`; nothing if it is no more.
    pub(in crate::server) async fn told_of_task(
        self,
        task: Arc<str>,
        id: Option<Box<str>>,
    ) -> Option<Bytes> {
        match self.0.tasks.store.get(&task).await {
            Ok(record) => record.map(|record| notices::task_changed(&record.task, id.as_deref())),
            Err(error) => {
                tracing::error!(task = &*task, error = %chain(&error), "a task's change could not be reported");
                None
            }
        }
    }
}
