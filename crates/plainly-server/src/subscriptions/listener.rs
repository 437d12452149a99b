//! A stream of change notifications to a client. Each is encoded when there is room to send it.
//! Independent of the transport.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use futures_util::future::BoxFuture;
use plainly_protocol::peer::Peer;
use tokio::task::JoinSet;

use super::listeners::ListenerPlace;
use super::watch::Watching;
use crate::changes::{Topic, TopicSubscription};
use crate::failure::incident::chain;
use crate::outgoing::notifications;
use crate::sessions::session::OpenStream;
use crate::tasks::Tasks;
use plainly_transport::{Event, Feed};

/// A stream of change notifications to a client. Dropping it ends it silently.
pub(crate) struct Listener {
    /// The id of the request that it answers, a JSON token; `None` for the stream of a session.
    pub(super) id: Option<Arc<str>>,
    /// The next notification, if it is already determined. It may resolve to none.
    pub(super) next: Option<BoxFuture<'static, Option<Bytes>>>,
    /// Whether the stream must end. The subscription of a session continues, because there may be
    /// another stream.
    pub(super) is_ending: bool,
    pub(super) place: ListenerPlace,
    /// The watches of the stores for this listener.
    pub(super) _watching: Option<Watching>,
    /// The guard for the only stream of a session.
    pub(super) _stream: Option<OpenStream>,
    /// The task that keeps the record of the session from expiring, if servers share it. The stream
    /// ends with the task.
    pub(super) keeping: Option<JoinSet<()>>,
}

impl Listener {
    /// Whether another server has taken over the stream of the session.
    fn is_taken(&mut self, context: &mut Context<'_>) -> bool {
        let keeping = self.keeping.as_mut();
        keeping.is_some_and(|keeping| keeping.poll_join_next(context).is_ready())
    }

    fn poll_notification(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            // A cancelled subscription gets no more notifications, not even one that is already
            // encoded.
            if self.place.topics.is_closed() {
                return Poll::Ready(None);
            }
            if let Some(next) = &mut self.next {
                let next = ready!(next.as_mut().poll(context));
                self.next = None;
                if next.is_some() {
                    return Poll::Ready(next);
                }
            }
            if self.is_ending || self.is_taken(context) {
                return Poll::Ready(None);
            }
            match ready!(self.place.topics.poll_next(context)) {
                // The record is read only when there is room to send it, so that the client gets
                // the latest state.
                Some(Topic::Task(task)) => {
                    let tasks = Arc::clone(&self.place.subscriptions.tasks);
                    let id = self.id.clone();
                    self.next = Some(Box::pin(task_changed(tasks, task, id)));
                }
                Some(topic) => {
                    return Poll::Ready(notifications::changed(&topic, self.id.as_deref()));
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

/// Adds the tasks with these ids to `topics`, if they belong to the peer. Returns their ids, if
/// there are any.
pub(super) async fn add_tasks(
    topics: &TopicSubscription,
    ids: Vec<String>,
    tasks: &Arc<Tasks>,
    peer: &Peer,
) -> Option<Vec<String>> {
    let mut own = Vec::new();
    for id in ids {
        if let Err(error) = tasks.find(&id, peer).await {
            tracing::debug!(
                error = chain(&error),
                "a task's change could not be reported"
            );
            continue;
        }
        let topic = Topic::Task(id.as_str().into());
        if topics.add([topic.clone()]).is_err() {
            tracing::debug!("there is no room for another subscription to a task");
            continue;
        }
        // The client gets the current state at once, so that it misses no change from before it
        // listened.
        topics.mark(&topic);
        own.push(id);
    }
    (!own.is_empty()).then_some(own)
}

/// The notification with the current state of the task; `None` if the task no longer exists.
async fn task_changed(tasks: Arc<Tasks>, task: Arc<str>, id: Option<Arc<str>>) -> Option<Bytes> {
    let record = tasks.get(&task).await.unwrap_or_else(|error| {
        tracing::error!(
            error = chain(&error),
            "a task's change could not be reported"
        );
        None
    })?;
    Some(notifications::task_changed(&record.task, id.as_deref()))
}

impl Feed for Listener {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.poll_notification(context)
            .map(|notification| notification.map(Event::from))
    }

    fn end(&mut self) {
        self.is_ending = true;
    }
}

impl Stream for Listener {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.get_mut().poll_notification(context)
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
