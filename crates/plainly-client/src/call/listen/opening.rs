//! Opens a subscription: with one request, or at a server before 2026-07-28 with one request per
//! resource, beside the stream on which the changes arrive.

use std::sync::Arc;

use plainly_errors::Revision;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    EmptyResult, ServerCapabilities, SubscribeParams, SubscriptionFilter, UnsubscribeParams,
};
use serde::Serialize;
use tokio::time::timeout;

use super::Asked;
use crate::call::recovery::Recovery;
use crate::connect::Client;
use crate::connect::client::ClientState;
use crate::error::{Error, LocalError, Result};
use crate::link::inbox::Inbox;
use crate::link::subscriptions::SubscriptionGuard;
use crate::link::{BackgroundTask, CallExtras};
use crate::message::request::RawMembers;

/// An open subscription.
#[derive(Debug)]
pub(super) struct OpenSubscription {
    /// The part of the filter that the server reports.
    pub(super) honoured: SubscriptionFilter,
    pub(super) inbox: Arc<Inbox>,
    source: SubscriptionSource,
}

/// Keeps the subscription open until it is dropped.
#[derive(Debug)]
enum SubscriptionSource {
    Modern(#[expect(dead_code, reason = "held to be dropped")] BackgroundTask),
    Legacy(LegacySubscription),
}

impl OpenSubscription {
    /// Whether the subscription is lost when its stream is. Otherwise it belongs to the session,
    /// which opens the stream again.
    pub(super) fn is_its_stream(&self) -> bool {
        matches!(self.source, SubscriptionSource::Modern(_))
    }

    /// Forgets all URIs, because their session is lost and there is nothing to unsubscribe from.
    pub(super) fn forget(&mut self) {
        if let SubscriptionSource::Legacy(legacy) = &mut self.source {
            legacy.uris.clear();
        }
    }
}

impl Client {
    /// Opens the subscription that is asked for, within the timeout of one request.
    pub(super) async fn subscription(&self, asked: Asked) -> Result<OpenSubscription> {
        let after = self.timeout;
        let opened = timeout(after, self.open(asked)).await;
        opened.map_err(|_elapsed| LocalError::Timeout {
            method: Method::Listen.name(),
            after,
            instead: None,
        })?
    }

    async fn open(&self, asked: Asked) -> Result<OpenSubscription> {
        let recovery = Recovery::new(self, Method::Listen, None);
        loop {
            let epoch = self.connected.epoch();
            let opening = self.try_open(epoch.revision, asked.clone());
            let error = match opening.await {
                Ok(subscription) => return Ok(subscription),
                Err(error) => error,
            };
            if !self.recover(&recovery, &error, epoch, false).await? {
                return Err(error);
            }
        }
    }

    async fn try_open(&self, revision: Revision, asked: Asked) -> Result<OpenSubscription> {
        let inbox = Arc::new(Inbox::new(asked.filter.clone()));
        let source = if Method::Listen.is_in(revision) {
            SubscriptionSource::Modern(self.send_listen(asked, &inbox))
        } else {
            SubscriptionSource::Legacy(self.subscribe(asked, &inbox).await?)
        };
        let mut honoured = inbox.acknowledged().await?;
        if let SubscriptionSource::Legacy(subscribed) = &source {
            let uris = &subscribed.uris;
            honoured.resource_subscriptions = (!uris.is_empty()).then(|| uris.clone());
        }
        Ok(OpenSubscription {
            honoured,
            inbox,
            source,
        })
    }

    fn send_listen(&self, asked: Asked, inbox: &Arc<Inbox>) -> BackgroundTask {
        let (connected, inbox) = (Arc::clone(&self.connected), Arc::clone(inbox));
        let meta = asked.meta();
        BackgroundTask::spawn(async move {
            let writer = connected.writer();
            let listening = connected.link.listen(&writer, asked.filter, &meta, &inbox);
            let end = listening.await;
            if end.is_err() {
                connected.link.subscriptions().missed();
            }
            inbox.end(end.map_err(|error| connected.link.tell_stray(error)));
        })
    }

    /// Makes a request that a subscription needs, and that is not one of the user's calls.
    async fn manage(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        meta: &RawMembers,
    ) -> Result<()> {
        self.check_declared(method)?;
        let recovery = Recovery::new(self, method, None);
        let extras = CallExtras {
            meta: Some(meta),
            ..CallExtras::default()
        };
        let result = self.made(params, extras, &recovery).await?;
        result.decode::<EmptyResult>(method).map(drop)
    }

    async fn subscribe(&self, asked: Asked, inbox: &Arc<Inbox>) -> Result<LegacySubscription> {
        // Before the stream is opened, because its first event may already concern this
        // subscription.
        let listening = self.connected.link.subscriptions().add(None, inbox);
        let stream = match self.connected.link.http() {
            Some(http) => Arc::clone(http).open_server_stream().await?,
            // All messages arrive on the same stream.
            None => {
                self.connected.link.connection().check()?;
                Some(Arc::new(BackgroundTask::NONE))
            }
        };
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
        let (meta, mut refused) = (asked.meta(), None);
        for uri in honoured.resource_subscriptions.unwrap_or_default() {
            // Before the outcome is known, so that the server is asked to unsubscribe even if this
            // is dropped meanwhile.
            subscribed.uris.push(uri.clone());
            let params = SubscribeParams::new(uri);
            let _one_at_a_time = self.connected.subscribing.lock().await;
            match self.manage(Method::Subscribe, &params, &meta).await {
                Ok(()) => {}
                // This is no error, because a modern server would leave the URI out of its
                // acknowledgement.
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
        // This comes first, because otherwise `any_has` below would count this subscription as
        // another one.
        self.listening = None;
        let uris = std::mem::take(&mut self.uris);
        if uris.is_empty() {
            return;
        }
        let client = self.client.clone();
        self.client.connected.bid_farewell(async move {
            let ClientState {
                link, subscribing, ..
            } = &*client.connected;
            for uri in uris {
                let _one_at_a_time = subscribing.lock().await;
                // Keeps the URI if another subscription of this client needs it, perhaps only since
                // a moment ago.
                if link.subscriptions().any_has(&uri) {
                    continue;
                }
                let params = UnsubscribeParams::new(uri);
                // The outcome is ignored, because no subscription receives further notifications.
                let _done = client
                    .manage(Method::Unsubscribe, &params, &RawMembers::default())
                    .await;
            }
        });
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
