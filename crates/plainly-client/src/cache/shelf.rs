//! The cache as one client uses it: the server, the credentials, and the steps from a call to its
//! cached result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use plainly_errors::Revision;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CacheScope, ClientCapabilities, ResourceUpdatedParams, ResultFields, ResultType,
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::kept::{KeptKey, KeptResult};
use super::told::{self, ServerChanges};
use super::{Cache, Fingerprint, tags};
use crate::cache::Change;
use crate::error::Error;

/// The longest time for which a result is cached, regardless of its server.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The cache as one client uses it.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    cache: Cache,
    changes: Arc<ServerChanges>,
    public: Fingerprint,
    private: Fingerprint,
    /// Whether the client was closed.
    is_closed: Arc<AtomicBool>,
}

/// A call whose result may be cached.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    shelf: Shelf,
    /// The keys of the public result, and of the one for the same credentials.
    public: KeptKey,
    private: KeptKey,
    uri: Option<String>,
    is_page: bool,
    /// Whether the result has to come from the server.
    is_fresh: bool,
    /// Whether the server answers conditional reads.
    is_conditional: bool,
    /// The time of the request, by the cache's clock.
    asked: u64,
    /// Whether the request was sent with other credentials than `private` is for, because a
    /// client's credentials may change.
    is_of_others: Arc<AtomicBool>,
}

/// The parameters that name the subject of a call. A call that has one of them twice is not cached,
/// because servers might read either.
#[derive(Deserialize)]
struct AskedAbout<'a> {
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    cursor: Option<IgnoredAny>,
    #[serde(rename = "_meta")]
    meta: Option<IgnoredAny>,
}

impl Shelf {
    /// The shelf for a server that no other client can reach.
    pub(crate) fn alone(cache: Cache) -> Self {
        let number = cache.shared.alone.fetch_add(1, Ordering::Relaxed);
        Self::of(cache, ("alone", number), ())
    }

    /// The shelf for the server at a URL, which other clients can reach, with these credentials.
    #[cfg(feature = "http")]
    pub(crate) fn at(self, server: impl Hash, credentials: impl Hash) -> Self {
        Self::of(self.cache, ("at", server), credentials)
    }

    pub(super) fn of(cache: Cache, server: impl Hash, credentials: impl Hash) -> Self {
        let shared = &cache.shared;
        let server = shared.fingerprint(server);
        Self {
            changes: shared.changes_at(server),
            public: server,
            private: shared.fingerprint((server, credentials)),
            is_closed: Arc::default(),
            cache,
        }
    }

    /// Limits the shelf to clients that declare these capabilities, because servers may answer
    /// other clients differently.
    pub(crate) fn for_capabilities(mut self, declared: &ClientCapabilities) -> Self {
        let declared = serde_json::to_string(declared).unwrap_or_default();
        for audience in [&mut self.public, &mut self.private] {
            *audience = self.cache.shared.fingerprint((*audience, &declared));
        }
        self
    }

    /// Stops all lookups, because the connection is closed.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Notes that something has changed at the server.
    pub(crate) fn note(&self, change: Change) {
        let now = self.cache.shared.clock.fetch_add(1, Ordering::Relaxed) + 1;
        self.changes.note(change, now);
    }

    /// Notes the change that a notification reports, if it reports one.
    pub(crate) fn take(&self, method: Method, params: &[u8]) {
        if let Some(change) = Change::of_listing(method) {
            self.note(change);
        } else if method == Method::ResourceUpdated {
            let updated = serde_json::from_slice::<ResourceUpdatedParams>(params);
            self.note(updated.map_or(Change::Missed, |it| Change::Resource(it.uri)));
        }
    }

    /// The lookup for a call; `None` if the result of this call is never cached.
    pub(crate) fn fetch(
        &self,
        revision: Revision,
        method: Method,
        params: &impl Serialize,
        is_fresh: bool,
    ) -> Option<Fetch> {
        if !method.row().cacheable || self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let params: Arc<str> = serde_json::to_string(params).ok()?.into();
        let about: AskedAbout<'_> = serde_json::from_str(&params).ok()?;
        if about.meta.is_some() {
            return None;
        }
        let key = |audience| KeptKey {
            audience,
            revision,
            method,
            params: Arc::clone(&params),
        };
        Some(Fetch {
            shelf: self.clone(),
            public: key(self.public),
            private: key(self.private),
            uri: about.uri.map(Cow::into_owned),
            is_page: about.cursor.is_some(),
            is_fresh,
            is_conditional: false,
            asked: self.cache.shared.clock.load(Ordering::Relaxed),
            is_of_others: Arc::default(),
        })
    }

    /// The audience with these credentials, in addition to those that the client was built with.
    fn holder(&self, credentials: &[(HeaderName, HeaderValue)]) -> Fingerprint {
        let headers = credentials.iter();
        let headers = headers.map(|(name, value)| (name.as_str(), value.as_bytes()));
        // A DPoP proof differs for each request (RFC 9449), so only the token counts.
        let lasting: BTreeMap<_, _> = headers.filter(|(name, _)| *name != "dpop").collect();
        match lasting.is_empty() {
            true => self.private,
            false => self.cache.shared.fingerprint((self.private, lasting)),
        }
    }
}

impl Fetch {
    /// Sets the credentials of the request, in addition to those that the client was built with.
    #[must_use]
    pub(crate) fn by(mut self, credentials: &[(HeaderName, HeaderValue)]) -> Self {
        self.private.audience = self.shelf.holder(credentials);
        self
    }

    /// Sets whether the server answers conditional reads.
    #[must_use]
    pub(crate) fn conditional(mut self, is_conditional: bool) -> Self {
        self.is_conditional = is_conditional && self.private.method == Method::ReadResource;
        self
    }

    /// Notes the credentials that the request was sent with.
    #[cfg(feature = "http")]
    pub(crate) fn sent_with(&self, credentials: &[(HeaderName, HeaderValue)]) {
        let is_of_others = self.private.audience != self.shelf.holder(credentials);
        self.is_of_others.store(is_of_others, Ordering::Relaxed);
    }

    /// The cached result if it has not expired, in which case no request is needed.
    pub(crate) fn find(&self) -> Option<Bytes> {
        if self.is_fresh {
            return None;
        }
        let shared = &self.shelf.cache.shared;
        let found = self.kept_for(Duration::ZERO);
        let count = match found {
            Some(_) => &shared.hits,
            None => &shared.misses,
        };
        count.fetch_add(1, Ordering::Relaxed);
        found
    }

    /// A cached result that may have changed, and its tag, to ask the server about it.
    pub(crate) fn unproven(&self) -> Option<(Bytes, String)> {
        if self.is_fresh || !self.is_conditional {
            return None;
        }
        self.kept().find_map(|kept| Some((kept.json, kept.tag?)))
    }

    /// Whether the request was sent with other credentials than those of the lookup.
    pub(crate) fn is_of_others(&self) -> bool {
        self.is_of_others.load(Ordering::Relaxed)
    }

    /// The cached result, if it expired no longer than `stale` ago.
    fn kept_for(&self, stale: Duration) -> Option<Bytes> {
        let good = self.kept().find(|kept| self.is_good(kept, stale));
        good.map(|kept| kept.json)
    }

    fn kept(&self) -> impl Iterator<Item = KeptResult> {
        let kept = [&self.private, &self.public].map(|key| {
            let all = self.shelf.cache.shared.kept.lock();
            all.get(key).cloned()
        });
        kept.into_iter().flatten()
    }

    fn is_good(&self, kept: &KeptResult, stale: Duration) -> bool {
        let Some(fresh_until) = kept.fresh_until else {
            return false;
        };
        let until = fresh_until.checked_add(stale);
        let is_in_time = until.is_none_or(|until| Instant::now() < until);
        let KeptResult { changes, asked, .. } = kept;
        // Counts from the request, not from the reply: a change on the reply's way may be about it.
        is_in_time && !changes.has_changed(self.private.method, self.uri.as_deref(), *asked)
    }

    /// Caches the server's result in place of the earlier one, if it may be cached. If `is_cached`,
    /// the result already has memory of its own.
    pub(crate) fn keep(&self, json: &Bytes, fields: &ResultFields, is_cached: bool) {
        self.forget();
        let hint = fields.cache;
        let is_final = fields.result_type == ResultType::Complete;
        let uri = self.uri.as_deref().filter(|_| self.is_conditional);
        let tag = uri.and_then(|uri| tags::tag(json, uri));
        let fresh_until = Instant::now().checked_add(hint.ttl.min(LONGEST));
        let fresh_until = fresh_until.filter(|_| !hint.ttl.is_zero());
        if !is_final || fresh_until.is_none() && tag.is_none() {
            return;
        }
        let key = match hint.scope {
            CacheScope::Public => &self.public,
            CacheScope::Private | _ if self.is_of_others() => return,
            CacheScope::Private | _ => &self.private,
        };
        let kept = KeptResult {
            json: match is_cached {
                true => json.clone(),
                false => Bytes::copy_from_slice(json),
            },
            fresh_until,
            tag,
            asked: self.asked,
            changes: Arc::clone(&self.shelf.changes),
        };
        self.shelf.cache.shared.kept.lock().put(key.clone(), kept);
    }

    /// Removes the cached results of this call.
    pub(crate) fn forget(&self) {
        let mut all = self.shelf.cache.shared.kept.lock();
        all.remove(&self.public);
        all.remove(&self.private);
    }

    /// The expired result to return instead of this error, if one is good enough.
    pub(crate) fn instead_of(&self, error: &Error) -> Option<Bytes> {
        // A client without valid credentials gets no expired result either.
        if error.is_retryable() && error.authorization().is_none() {
            let stale = self.shelf.cache.stale;
            let is_allowed = !self.is_fresh && !stale.is_zero();
            return self.kept_for(stale).filter(|_| is_allowed);
        }
        if error.protocol().is_some() {
            self.forget();
            // The cursor has become invalid, so the cached pages belong to an older listing
            // (2026-07-28, "Caching").
            if let Some(listing) = told::listing(self.private.method).filter(|_| self.is_page) {
                self.shelf.note(listing);
            }
        }
        None
    }
}
