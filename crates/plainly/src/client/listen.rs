//! Receiving changes: with `subscriptions/listen`, and from servers before 2026-07-28 with `resources/subscribe` and
//! unsolicited notifications. The inbox holds what arrived; this module starts, reads and ends a subscription.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use plainly_errors::Revision;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    DetailedTask, EmptyResult, ServerCapabilities, SubscribeParams, SubscriptionFilter,
    UnsubscribeParams,
};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::call::Connected;
use super::error::{Error, LocalError};
use super::inbox::{Change, Inbox};
use super::link::BackgroundTask;
use super::subscriptions::SubscriptionGuard;
use super::{Client, Result};

/// The time limit for unsubscribing, on which nothing depends any more.
const FAREWELL: Duration = Duration::from_secs(5);

/// The changes that a server reports, as they arrive. The subscription ends when this is dropped.
///
/// It is also a [`Stream`]. An orderly end is `None`, which servers before 2026-07-28 can't send; an error says why the
/// subscription was cut off, and nothing follows it. After either, [`listen`](Client::listen) again and check what
/// matters to you: changes in the meantime are not reported.
///
/// Unread changes are kept once per resource; beyond 1,024 of them, they become [`Change::Missed`].
#[derive(Debug)]
#[must_use = "it ends when dropped"]
pub struct Subscription {
    honoured: SubscriptionFilter,
    inbox: Arc<Inbox>,
    _source: SubscriptionSource,
}

/// Keeps the subscription going until it is dropped.
#[derive(Debug)]
#[expect(dead_code, reason = "held to be dropped")]
enum SubscriptionSource {
    Modern(BackgroundTask),
    Legacy(LegacySubscription),
}

impl Subscription {
    /// The part of the filter that the server reports. Empty if it reports nothing.
    pub fn honoured(&self) -> &SubscriptionFilter {
        &self.honoured
    }

    /// Takes what was last told of a task, if nobody has yet.
    pub(super) fn take_task(&self, id: &str) -> Option<DetailedTask> {
        self.inbox.take_task(id)
    }

    /// Waits for the next change.
    ///
    /// Cancel-safe: nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Change>> {
        std::future::poll_fn(|context| self.inbox.poll_next(context)).await
    }
}

impl Stream for Subscription {
    type Item = Result<Change>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.inbox.poll_next(context)
    }
}

impl Client {
    /// Subscribes to what `filter` names. [`Subscription::honoured`] says what the server agreed to.
    ///
    /// On a server before 2026-07-28, this subscribes to each URI, as far as its capabilities say that it reports
    /// changes.
    ///
    /// ```no_run
    /// use plainly::client::{Change, Client, Result};
    /// use plainly::protocol::types::SubscriptionFilter;
    ///
    /// async fn follow(client: &Client) -> Result<()> {
    ///     let filter = SubscriptionFilter::new().resource_subscriptions(["file:///docs/a.md".to_owned()]);
    ///     let mut subscription = client.listen(filter).await?;
    ///     if subscription.honoured().resource_subscriptions.is_none() {
    ///         println!("this server does not tell");
    ///     }
    ///     while let Some(change) = subscription.next().await {
    ///         if let Change::Resource(uri) = change? {
    ///             println!("read {uri} again");
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// An error for which [`is_method_not_found`](super::Error::is_method_not_found) holds, if the server can't report
    /// changes at all. [`LocalError::Timeout`], if it doesn't say in time what it will report; after that, it may be
    /// silent for any time. The subscription itself ends with [`LocalError::InvalidResponse`], if the server tells of a
    /// change in a way that can't be read.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription> {
        let after = self.timeout;
        let opened = timeout(after, self.open(filter)).await;
        opened.map_err(|_elapsed| LocalError::Timeout {
            method: Method::Listen.name(),
            after,
            instead: None,
        })?
    }

    async fn open(&self, filter: SubscriptionFilter) -> Result<Subscription> {
        let revision = self.revision();
        let error = match self.try_open(revision, filter.clone()).await {
            Ok(subscription) => return Ok(subscription),
            Err(error) => error,
        };
        if !self.connected.is_mended(&error, revision).await? {
            return Err(error);
        }
        self.try_open(self.revision(), filter).await
    }

    async fn try_open(
        &self,
        revision: Revision,
        filter: SubscriptionFilter,
    ) -> Result<Subscription> {
        let inbox = Arc::new(Inbox::new(filter.clone()));
        let source = if Method::Listen.is_in(revision) {
            SubscriptionSource::Modern(self.send_listen(filter, &inbox))
        } else {
            SubscriptionSource::Legacy(self.subscribe(&inbox).await?)
        };
        let mut honoured = inbox.acknowledged().await?;
        if let SubscriptionSource::Legacy(subscribed) = &source {
            let uris = &subscribed.uris;
            honoured.resource_subscriptions = (!uris.is_empty()).then(|| uris.clone());
        }
        Ok(Subscription {
            honoured,
            inbox,
            _source: source,
        })
    }

    fn send_listen(&self, filter: SubscriptionFilter, inbox: &Arc<Inbox>) -> BackgroundTask {
        let (connected, inbox) = (Arc::clone(&self.connected), Arc::clone(inbox));
        BackgroundTask::spawn(async move {
            let writer = connected.writer();
            let end = connected.link.listen(&writer, filter, &inbox).await;
            inbox.end(end);
        })
    }

    async fn subscribe(&self, inbox: &Arc<Inbox>) -> Result<LegacySubscription> {
        // Before the stream is opened, whose first event may already concern it.
        let listening = self.connected.link.subscriptions().add(None, inbox);
        let connection = Arc::clone(self.connected.link.connection());
        let stream = connection.open_server_stream().await?;
        inbox.acknowledge(&match &stream {
            Some(_) => offered(self.capabilities(), inbox.asked()),
            None => SubscriptionFilter::new(),
        });
        let mut subscribed = LegacySubscription {
            client: self.clone(),
            uris: Vec::new(),
            listening: Some(listening),
            _stream: stream,
        };
        let honoured = inbox.acknowledged().await?;
        let mut refused = None;
        for uri in honoured.resource_subscriptions.unwrap_or_default() {
            // Before the outcome is known: if this is dropped meanwhile, the server is told to forget it all the same.
            subscribed.uris.push(uri.clone());
            let params = SubscribeParams::new(uri);
            let _one_at_a_time = self.connected.subscribing.lock().await;
            match self.call::<EmptyResult>(Method::Subscribe, &params).await {
                Ok(_) => {}
                // Not an error, since a modern server would leave the URI out of its acknowledgement.
                Err(error @ Error::Protocol(_)) => {
                    subscribed.uris.pop();
                    refused = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        match refused {
            Some(error) if subscribed.uris.is_empty() => Err(error),
            Some(_) | None => Ok(subscribed),
        }
    }
}

/// A subscription to resources of a legacy server.
#[derive(Debug)]
struct LegacySubscription {
    client: Client,
    uris: Vec<String>,
    /// `None` once this is being dropped.
    listening: Option<SubscriptionGuard>,
    _stream: Option<Arc<BackgroundTask>>,
}

impl Drop for LegacySubscription {
    fn drop(&mut self) {
        // First: otherwise `any_has` below would count this subscription as somebody else's.
        self.listening = None;
        let uris = std::mem::take(&mut self.uris);
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if uris.is_empty() {
            return;
        }
        let client = self.client.with_timeout(FAREWELL);
        let unsubscribe = async move {
            let Connected {
                link, subscribing, ..
            } = &*client.connected;
            for uri in uris {
                let _one_at_a_time = subscribing.lock().await;
                // Unless another subscription of this client needs it, perhaps only since a moment ago.
                if link.subscriptions().any_has(&uri) {
                    continue;
                }
                let params = UnsubscribeParams::new(uri);
                // Nobody waits for the outcome, and further notifications reach nobody.
                let _done = client
                    .call::<EmptyResult>(Method::Unsubscribe, &params)
                    .await;
            }
        };
        runtime.spawn(timeout(FAREWELL, unsubscribe));
    }
}

/// The part of `asked` that a legacy server with these capabilities reports.
fn offered(server: &ServerCapabilities, asked: &SubscriptionFilter) -> SubscriptionFilter {
    let mut offered = SubscriptionFilter::new();
    offered.tools_list_changed = server.tools.as_ref().and_then(|tools| tools.list_changed);
    offered.prompts_list_changed = server
        .prompts
        .as_ref()
        .and_then(|prompts| prompts.list_changed);
    if let Some(resources) = &server.resources {
        offered.resources_list_changed = resources.list_changed;
        if resources.subscribe == Some(true) {
            offered
                .resource_subscriptions
                .clone_from(&asked.resource_subscriptions);
        }
    }
    offered
}
