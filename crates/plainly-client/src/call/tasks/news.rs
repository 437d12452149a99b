//! The reports of a task that a server sends on its own (`subscriptions/listen` with `taskIds`). A
//! server that sends none causes no error, because the task is polled anyway.

use std::fmt;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_protocol::types::{DetailedTask, SubscriptionFilter};
use tokio::time::timeout;

use crate::cache::Change;
use crate::call::listen::Subscription;
use crate::connect::Client;
use crate::error::Result;

/// Receives the reports of one task, until it is dropped.
pub(super) struct TaskNews {
    id: String,
    source: NewsSource,
}

/// The source of reports.
enum NewsSource {
    /// The server has not answered yet whether it will report.
    Opening(BoxFuture<'static, Result<Subscription>>),
    Open(Box<Subscription>),
    /// The server does not report.
    Silent,
}

impl TaskNews {
    /// Asks the server to report this task, once the first report is awaited.
    pub(super) fn of(client: &Client, id: &str) -> Self {
        let (client, id) = (client.clone(), id.to_owned());
        let filter = SubscriptionFilter::new().task_ids([id.as_str()]);
        Self {
            id,
            source: NewsSource::Opening(async move { client.listen(filter).await }.boxed()),
        }
    }

    /// Whether the server has agreed to report.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.source, NewsSource::Open(_))
    }

    /// Waits for a report, for at most `pause`.
    pub(super) async fn within(&mut self, pause: Duration) -> Option<DetailedTask> {
        timeout(pause, self.next()).await.ok()
    }

    /// Waits for a report. Nothing is lost if the future is dropped.
    async fn next(&mut self) -> DetailedTask {
        loop {
            match &mut self.source {
                NewsSource::Opening(opening) => {
                    let opened = opening.await;
                    self.source = match opened {
                        Ok(subscription) if subscription.honoured().task_ids.is_some() => {
                            NewsSource::Open(Box::new(subscription))
                        }
                        Ok(_) | Err(_) => NewsSource::Silent,
                    };
                }
                NewsSource::Open(subscription) => match subscription.next().await {
                    Some(Ok(Change::Task(_))) => {
                        if let Some(task) = subscription.take_task(&self.id) {
                            return task;
                        }
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => self.source = NewsSource::Silent,
                },
                NewsSource::Silent => std::future::pending().await,
            }
        }
    }
}

impl fmt::Debug for TaskNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskNews")
            .field("id", &self.id)
            .field("is_open", &self.is_open())
            .finish()
    }
}
