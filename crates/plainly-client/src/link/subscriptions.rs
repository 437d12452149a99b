//! The subscriptions on one connection, and the choice among them for each notification: the
//! subscription that it names or, before 2026-07-28, when notifications name none, all that asked
//! for such changes.

use std::sync::Arc;

use plainly_errors::Mistake;
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    AcknowledgedParams, CancelledParams, ListChangedParams, ResourceUpdatedParams,
};
use serde::de::DeserializeOwned;

use crate::cache::Change;
use crate::cache::Shelf;
use crate::error::Error;
use crate::error::mistakes;
use crate::link::inbox::Inbox;
use crate::message::reply::unquoted;
use plainly_transport::lock::Lock;

/// The subscriptions of a connection.
#[derive(Debug, Default)]
pub(crate) struct SubscriptionTable {
    entries: Lock<Vec<SubscriptionEntry>>,
    /// The cached results that changes make outdated.
    shelf: Option<Shelf>,
}

#[derive(Debug)]
struct SubscriptionEntry {
    /// The request that opened the subscription; `None` before 2026-07-28.
    id: Option<RequestId>,
    inbox: Arc<Inbox>,
}

/// The entry of a subscription in the table, removed when dropped.
#[derive(Debug)]
pub(crate) struct SubscriptionGuard {
    table: Arc<SubscriptionTable>,
    inbox: Arc<Inbox>,
}

impl SubscriptionTable {
    /// An empty table, which also reports changes to the cache.
    pub(crate) fn new(shelf: Option<Shelf>) -> Self {
        Self {
            entries: Lock::default(),
            shelf,
        }
    }

    /// Passes notifications to `inbox`, until the result is dropped.
    pub(crate) fn add(
        self: &Arc<Self>,
        id: Option<RequestId>,
        inbox: &Arc<Inbox>,
    ) -> SubscriptionGuard {
        self.entries.lock().push(SubscriptionEntry {
            id,
            inbox: Arc::clone(inbox),
        });
        SubscriptionGuard {
            table: Arc::clone(self),
            inbox: Arc::clone(inbox),
        }
    }

    /// Handles a notification. `on` is the request on whose stream it came, if any.
    pub(crate) fn take(&self, method: Method, params: &[u8], on: Option<&RequestId>) {
        if method == Method::Cancelled {
            return self.abandon(params);
        }
        // The cache comes first, because a subscriber may repeat its request as soon as it learns
        // of a change.
        if let Some(shelf) = &self.shelf {
            shelf.take(method, params);
        }
        let meta = match serde_json::from_slice(params) {
            Ok(ListChangedParams { meta, .. }) => meta,
            Err(why) => return mistakes::log(method, params, &why),
        };
        let named = meta.subscription_id.map(unquoted);
        let named = named.as_ref();
        if on.is_some() && named.is_some() && on != named {
            for inbox in self.of(on) {
                inbox.end(Err(invalid("a message of another subscription")));
            }
            return;
        }
        let id = named.or(on);
        for inbox in self.of(id) {
            if let Err(error) = tell(&inbox, method, params, id.is_some()) {
                inbox.end(Err(error));
            }
        }
    }

    /// Ends the subscription that a server cancels (2026-07-28, "Cancellation").
    fn abandon(&self, params: &[u8]) {
        self.missed();
        let request_id = match serde_json::from_slice(params) {
            Ok(CancelledParams { request_id, .. }) => request_id,
            Err(why) => return mistakes::log(Method::Cancelled, params, &why),
        };
        for inbox in self.of(Some(&unquoted(request_id))) {
            inbox.end(Err(Error::interrupted(Method::Listen.name())));
        }
    }

    /// Adds a change to all subscriptions without a request of their own, which are those before
    /// 2026-07-28.
    #[cfg(feature = "http")]
    pub(crate) fn put(&self, change: &Change) {
        if let Some(shelf) = &self.shelf {
            shelf.note(change.clone());
        }
        for inbox in self.of(None) {
            inbox.put_if_acknowledged(change.clone());
        }
    }

    /// Ends all subscriptions without a request of their own.
    pub(crate) fn end(&self, error: &Error) {
        self.missed();
        for inbox in self.of(None) {
            inbox.end(Err(error.clone()));
        }
    }

    /// Notes that reports of changes may have been lost.
    pub(crate) fn missed(&self) {
        if let Some(shelf) = &self.shelf {
            shelf.note(Change::Missed);
        }
    }

    /// Whether there is a subscription to exactly this URI.
    pub(crate) fn any_has(&self, uri: &str) -> bool {
        self.of(None).iter().any(|inbox| inbox.has(uri))
    }

    /// The inboxes opened by the request `id`; for `None`, those without a request of their own.
    fn of(&self, id: Option<&RequestId>) -> Vec<Arc<Inbox>> {
        let table = self.entries.lock();
        let found = table.iter().filter(|one| one.id.as_ref() == id);
        found.map(|one| Arc::clone(&one.inbox)).collect()
    }
}

impl Drop for SubscriptionGuard {
    fn drop(&mut self) {
        let mut table = self.table.entries.lock();
        table.retain(|one| !Arc::ptr_eq(&one.inbox, &self.inbox));
    }
}

/// Puts a notification into one inbox. With `is_its_own`, it is for this subscription alone.
fn tell(inbox: &Inbox, method: Method, params: &[u8], is_its_own: bool) -> Result<(), Error> {
    let change = if method == Method::Acknowledged {
        let params: AcknowledgedParams = read(method, params)?;
        inbox.acknowledge(&params.notifications);
        return Ok(());
    } else if method == Method::ResourceUpdated {
        let ResourceUpdatedParams { uri, .. } = read(method, params)?;
        if !is_its_own && !inbox.wants(&uri) {
            return Ok(());
        }
        Change::Resource(uri)
    } else if method == Method::TaskChanged {
        inbox.put_task(read(method, params)?);
        return Ok(());
    } else if let Some(change) = Change::of_listing(method) {
        change
    } else {
        return Ok(());
    };
    if is_its_own {
        inbox.put(change);
    } else {
        inbox.put_if_acknowledged(change);
    }
    Ok(())
}

fn read<T: DeserializeOwned>(method: Method, params: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(params).map_err(|why| {
        let mistakes = mistakes::in_params(method, params, &why);
        let (method, mistakes) = (method.name(), Mistake::list(&mistakes));
        let why = format!("`{method}` has wrong parameters: {mistakes}");
        Error::invalid_response(Method::Listen.name(), why)
    })
}

fn invalid(why: &str) -> Error {
    Error::invalid_response(Method::Listen.name(), why)
}
