//! Receives changes, with `subscriptions/listen`, or from servers before 2026-07-28 with
//! `resources/subscribe` and unsolicited notifications. The inbox stores the changes that arrived;
//! this module reads a subscription, and opens it again if it is lost.

mod opening;

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::Stream;
use plainly_protocol::method::Method;
use plainly_protocol::types::{DetailedTask, RECURSIVE, RawJson, SubscriptionFilter};
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::opening::OpenSubscription;
use crate::cache::Change;
use crate::connect::Client;
use crate::error::{Error, LocalError, Result};
use crate::link::backoff::Backoff;
use crate::message::request::RawMembers;

/// The changes that a server reports, as they arrive. The subscription ends when this is dropped.
///
/// It is also a [`Stream`]. An orderly end is `None`, which servers before 2026-07-28 can't send.
/// An error says why the subscription was interrupted, and is the last item.
///
/// Over Streamable HTTP, a lost stream is opened again, after the time that the server asks for,
/// otherwise after increasing pauses of at most half a minute. A session that the server has
/// forgotten is opened again, too. [`Change::Missed`] reports each gap. The subscription ends with
/// an error only after thirty failed tries, or if the server refuses. Over other transports, it
/// ends with the connection.
///
/// Unread changes are stored once per resource; beyond 1,024 of them, they become
/// [`Change::Missed`].
#[derive(Debug)]
#[must_use = "it ends when dropped"]
pub struct Subscription {
    client: Client,
    asked: Asked,
    open: OpenSubscription,
    backoff: Backoff,
    /// Opens the subscription again; empty unless it was lost.
    reopening: JoinSet<Result<OpenSubscription>>,
}

/// The changes that the caller asks for.
#[derive(Clone, Debug)]
struct Asked {
    filter: SubscriptionFilter,
    /// Whether everything below the resources of the filter is included.
    is_recursive: bool,
}

impl Asked {
    /// The `_meta` of the request.
    fn meta(&self) -> RawMembers {
        let is_recursive = RawJson::encode(&true).ok().filter(|_| self.is_recursive);
        let recursive = is_recursive.map(|is| (RECURSIVE.to_owned(), is));
        recursive.into_iter().collect()
    }
}

impl Subscription {
    /// The part of the filter that the server reports; empty if it reports nothing.
    pub fn honoured(&self) -> &SubscriptionFilter {
        &self.open.honoured
    }

    /// Removes and returns the last report of a task, if there is a new one.
    pub(crate) fn take_task(&self, id: &str) -> Option<DetailedTask> {
        self.open.inbox.take_task(id)
    }

    /// Waits for the next change.
    ///
    /// Cancel-safe: nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Change>> {
        std::future::poll_fn(|context| self.poll_change(context)).await
    }

    fn poll_change(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Change>>> {
        loop {
            // The result is `None` if the subscription is not being opened.
            let lost = match ready!(self.reopening.poll_join_next(context)) {
                Some(Ok(Ok(open))) => {
                    self.open = open;
                    self.backoff.opened();
                    return Poll::Ready(Some(Ok(Change::Missed)));
                }
                Some(Ok(Err(error))) => error,
                // The runtime is shutting down.
                Some(Err(_cancelled)) => return Poll::Ready(None),
                None => match ready!(self.open.inbox.poll_next(context)) {
                    Some(Err(error)) if self.is_lost(&error) => error,
                    told => {
                        self.backoff.came();
                        return Poll::Ready(told);
                    }
                },
            };
            if !self.reopen(&lost) {
                return Poll::Ready(Some(Err(lost)));
            }
        }
    }

    /// Whether a subscription that ended with this error can be opened again.
    fn is_lost(&self, error: &Error) -> bool {
        let is_lost = is_session_lost(error) || self.open.is_its_stream() && error.is_passing();
        is_lost && self.client.has_streams()
    }

    /// Opens the subscription again after a pause; `false` if another try is useless.
    fn reopen(&mut self, lost: &Error) -> bool {
        let mut asked = lost.retry_after();
        if is_session_lost(lost) {
            self.open.forget();
            // The server answers, perhaps already for a long time, so no pause is needed at first.
            asked = self.backoff.is_fresh().then_some(Duration::ZERO);
        }
        let pause = lost.is_passing().then(|| self.backoff.pause(asked));
        let Some(pause) = pause.flatten() else {
            return false;
        };
        tracing::warn!(error = %lost, "the subscription was lost, and it is opened again");
        let (client, asked) = (self.client.clone(), self.asked.clone());
        self.reopening.spawn(async move {
            client.pause(pause).await;
            let open = client.subscription(asked).await?;
            client.connected.link.subscriptions().missed();
            match open.honoured == SubscriptionFilter::new() {
                true => Err(Error::invalid_response(
                    Method::Listen.name(),
                    "the server no longer reports these changes",
                )),
                false => Ok(open),
            }
        });
        true
    }
}

fn is_session_lost(error: &Error) -> bool {
    matches!(error.local(), Some(LocalError::SessionLost))
}

impl Stream for Subscription {
    type Item = Result<Change>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_change(context)
    }
}

impl Client {
    /// Subscribes to the changes in `filter`. [`Subscription::honoured`] is the part that the
    /// server agreed to.
    ///
    /// On a server before 2026-07-28, this subscribes to each URI, if the server's capabilities say
    /// that it reports changes.
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
    /// An error for which [`is_method_not_found`](crate::Error::is_method_not_found) holds, if the
    /// server can't report changes at all. [`LocalError::Timeout`], if it doesn't say in time what
    /// it will report; after that, it may be silent for any time. The subscription itself ends with
    /// [`LocalError::InvalidResponse`], if the server's report of a change can't be read.
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription> {
        self.listen_to(Asked {
            filter,
            is_recursive: false,
        })
        .await
    }

    /// Subscribes like [`listen`](Self::listen), and also to everything below the resources in
    /// `filter`, at any depth. Each change there has its own URI. Where many come at once,
    /// [`Change::Resource`] may name the collection instead.
    ///
    /// A server that does not [know](Self::knows_recursion) this reports only changes of the
    /// resources themselves.
    ///
    /// # Errors
    ///
    /// The errors of [`listen`](Self::listen).
    pub async fn listen_recursively(&self, filter: SubscriptionFilter) -> Result<Subscription> {
        self.listen_to(Asked {
            filter,
            is_recursive: true,
        })
        .await
    }

    async fn listen_to(&self, asked: Asked) -> Result<Subscription> {
        Ok(Subscription {
            open: self.subscription(asked.clone()).await?,
            client: self.clone(),
            asked,
            backoff: Backoff::default(),
            reopening: JoinSet::new(),
        })
    }

    fn has_streams(&self) -> bool {
        self.connected.link.http().is_some()
    }

    /// Waits for `pause`, or until the client is closed.
    async fn pause(&self, pause: Duration) {
        tokio::select! {
            () = sleep(pause) => {}
            () = self.connected.closing.notified() => {}
        }
    }
}
