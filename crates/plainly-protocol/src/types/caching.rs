//! How long a result is good, and for whom (Caching, from 2026-07-28). Which results carry the hint is not known here.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Who may be served a cached result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CacheScope {
    /// Everybody: nothing in the result depends on who asked.
    Public,
    /// Those who share the authorization of the one who asked. A scope that we don't know is read as this, the narrowest.
    #[default]
    #[serde(other)]
    Private,
}

/// How long a result may be served from a cache, and to whom. By default not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CacheHint {
    /// How long the result is fresh. On the wire in whole milliseconds (`ttlMs`); may be as long as a `Duration` can be,
    /// so add it to a clock with `checked_add`.
    pub ttl: Duration,
    /// Who may be served.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Fresh for `ttl`, within `scope`.
    #[must_use]
    pub const fn new(ttl: Duration, scope: CacheScope) -> Self {
        Self { ttl, scope }
    }
}
