//! The unread changes of one subscription. Each change is stored once, and only up to a limit,
//! however fast the server sends them and however slowly the caller reads them. Enforces the order:
//! first the acknowledgement, then changes, then the end.

use std::collections::{BTreeMap, VecDeque};
use std::task::{Context, Poll, Waker};

use plainly_protocol::method::Method;
use plainly_protocol::types::{DetailedTask, SubscriptionFilter};

use crate::cache::Change;
use crate::cache::change::is_inside;
use crate::error::Error;
use plainly_transport::lock::Lock;

/// The most changes that wait to be read. More become [`Change::Missed`].
const MOST_CHANGES: usize = 1024;
/// The most bytes of the URIs of these changes.
const MOST_BYTES: usize = 256 << 10;

/// The unread changes of one subscription.
#[derive(Debug)]
pub(crate) struct Inbox {
    asked: SubscriptionFilter,
    state: Lock<InboxState>,
}

#[derive(Debug, Default)]
struct InboxState {
    /// The changes that the server will report; `None` until it has answered.
    honoured: Option<SubscriptionFilter>,
    unread: VecDeque<Change>,
    bytes: usize,
    /// The last report of each task.
    tasks: BTreeMap<String, DetailedTask>,
    /// The end of the subscription, if it has ended: orderly or with an error.
    end: Option<Result<(), Error>>,
    /// The task that waits for the next change.
    waker: Option<Waker>,
}

impl Inbox {
    /// Creates an inbox that waits for the acknowledgement of `asked`.
    pub(crate) fn new(asked: SubscriptionFilter) -> Self {
        Self {
            asked,
            state: Lock::default(),
        }
    }

    /// The changes that the caller asked for.
    pub(crate) fn asked(&self) -> &SubscriptionFilter {
        &self.asked
    }

    /// Notes that the server will report these changes, if the caller asked for them.
    pub(crate) fn acknowledge(&self, offered: &SubscriptionFilter) {
        let mut state = self.state.lock();
        if state.honoured.is_some() {
            tracing::debug!("a subscription was acknowledged again");
            return;
        }
        state.honoured = Some(both(&self.asked, offered));
        state.wake();
    }

    /// Adds a change, if the caller asked for it.
    pub(crate) fn put(&self, change: Change) {
        let mut state = self.state.lock();
        match &state.honoured {
            None => state.finish(Err(Error::invalid_response(
                Method::Listen.name(),
                "a change was reported before the subscription was acknowledged",
            ))),
            Some(honoured) if !is_in(honoured, &change) => {
                tracing::debug!(?change, "dropped a change that was not subscribed to");
            }
            Some(_) => state.put(change),
        }
    }

    /// Adds the change of a task, and stores its report.
    pub(crate) fn put_task(&self, task: DetailedTask) {
        let id = task.task_id.clone();
        let honoured = self.state.lock().honoured.clone();
        if honoured.is_some_and(|honoured| tasks_of(&honoured).any(|asked| asked == id)) {
            self.state.lock().tasks.insert(id.clone(), task);
        }
        self.put(Change::Task(id));
    }

    /// Removes and returns the last report of a task, if there is a new one.
    pub(crate) fn take_task(&self, id: &str) -> Option<DetailedTask> {
        self.state.lock().tasks.remove(id)
    }

    /// Like `put`, for a change that is addressed to no particular subscription. It is ignored
    /// before the acknowledgement.
    pub(crate) fn put_if_acknowledged(&self, change: Change) {
        if self.state.lock().honoured.is_some() {
            self.put(change);
        }
    }

    /// Ends the subscription, orderly or with an error. Only the first end counts.
    pub(crate) fn end(&self, end: Result<(), Error>) {
        self.state.lock().finish(end);
    }

    /// Waits until the server has acknowledged the changes that it will report.
    pub(crate) async fn acknowledged(&self) -> Result<SubscriptionFilter, Error> {
        std::future::poll_fn(|context| self.poll_acknowledged(context)).await
    }

    /// The next change; `None` after an orderly end, and after an error.
    pub(crate) fn poll_next(&self, context: &Context<'_>) -> Poll<Option<Result<Change, Error>>> {
        let mut state = self.state.lock();
        if let Some(change) = state.unread.pop_front() {
            state.bytes -= bytes(&change);
            return Poll::Ready(Some(Ok(change)));
        }
        // An error is returned once; after that, the stream has simply ended.
        match state.end.replace(Ok(())) {
            Some(Ok(())) => Poll::Ready(None),
            Some(Err(error)) => Poll::Ready(Some(Err(error))),
            None => {
                state.end = None;
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Whether this subscribes to the resource at `uri`, or to one that contains it.
    pub(crate) fn wants(&self, uri: &str) -> bool {
        let state = self.state.lock();
        let uris = state.honoured.as_ref();
        let mut uris = uris.into_iter().flat_map(uris_of);
        uris.any(|asked| is_inside(uri, asked))
    }

    /// Whether this subscribes to exactly this URI.
    pub(crate) fn has(&self, uri: &str) -> bool {
        let state = self.state.lock();
        let mut uris = state.honoured.as_ref().into_iter().flat_map(uris_of);
        uris.any(|asked| uri == asked)
    }

    fn poll_acknowledged(&self, context: &Context<'_>) -> Poll<Result<SubscriptionFilter, Error>> {
        let mut state = self.state.lock();
        if let Some(honoured) = &state.honoured {
            return Poll::Ready(Ok(honoured.clone()));
        }
        match state.end.replace(Ok(())) {
            Some(Err(error)) => Poll::Ready(Err(error)),
            Some(Ok(())) => Poll::Ready(Err(Error::invalid_response(
                Method::Listen.name(),
                "the subscription ended before it was acknowledged",
            ))),
            None => {
                state.end = None;
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl InboxState {
    fn put(&mut self, change: Change) {
        let is_known = self.unread.contains(&Change::Missed) || self.unread.contains(&change);
        if self.end.is_some() || is_known {
            return;
        }
        self.bytes += bytes(&change);
        self.unread.push_back(change);
        if self.unread.len() > MOST_CHANGES || self.bytes > MOST_BYTES {
            self.bytes = 0;
            self.unread = VecDeque::from([Change::Missed]);
        }
        self.wake();
    }

    fn finish(&mut self, end: Result<(), Error>) {
        if self.end.is_none() {
            self.end = Some(end);
            self.wake();
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

fn flag_in_both(asked: Option<bool>, offered: Option<bool>) -> Option<bool> {
    (asked == Some(true) && offered == Some(true)).then_some(true)
}

/// The intersection of the two filters.
fn both(asked: &SubscriptionFilter, offered: &SubscriptionFilter) -> SubscriptionFilter {
    let mut honoured = SubscriptionFilter::new();
    honoured.tools_list_changed =
        flag_in_both(asked.tools_list_changed, offered.tools_list_changed);
    honoured.prompts_list_changed =
        flag_in_both(asked.prompts_list_changed, offered.prompts_list_changed);
    honoured.resources_list_changed =
        flag_in_both(asked.resources_list_changed, offered.resources_list_changed);
    let uris = uris_of(asked).filter(|uri| uris_of(offered).any(|offered| offered == *uri));
    let uris: Vec<_> = uris.map(str::to_owned).collect();
    honoured.resource_subscriptions = (!uris.is_empty()).then_some(uris);
    let ids = tasks_of(asked).filter(|id| tasks_of(offered).any(|offered| offered == *id));
    let ids: Vec<_> = ids.map(str::to_owned).collect();
    honoured.task_ids = (!ids.is_empty()).then_some(ids);
    honoured
}

fn uris_of(filter: &SubscriptionFilter) -> impl Iterator<Item = &str> {
    let uris = filter.resource_subscriptions.as_deref();
    uris.unwrap_or_default().iter().map(String::as_str)
}

fn tasks_of(filter: &SubscriptionFilter) -> impl Iterator<Item = &str> {
    let ids = filter.task_ids.as_deref();
    ids.unwrap_or_default().iter().map(String::as_str)
}

fn is_in(filter: &SubscriptionFilter, change: &Change) -> bool {
    match change {
        // A resource inside another may have any URI.
        Change::Resource(_) => filter.resource_subscriptions.is_some(),
        Change::Resources => filter.resources_list_changed == Some(true),
        Change::Tools => filter.tools_list_changed == Some(true),
        Change::Prompts => filter.prompts_list_changed == Some(true),
        Change::Task(id) => tasks_of(filter).any(|asked| asked == id),
        Change::Missed => true,
    }
}

fn bytes(change: &Change) -> usize {
    match change {
        Change::Resource(text) | Change::Task(text) => text.len(),
        Change::Resources | Change::Tools | Change::Prompts | Change::Missed => 0,
    }
}
