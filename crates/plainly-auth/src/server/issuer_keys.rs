//! The keys of an issuer, from the URL in its metadata. They are read again when they are old or
//! lack a token's key, by one task at a time, and not often.

use std::sync::Arc;

use http::header::CACHE_CONTROL;
use plainly_oauth::jose::Jwks;
use plainly_oauth::metadata::{ServerMetadata, server_metadata_urls};
use tokio::sync::Mutex;

use crate::fetch::{FetchResponse, Fetcher};
use plainly_transport::lock::Lock;

/// The lifetime of keys in seconds: the default for an answer without one, and the bounds for
/// others.
const USUALLY: u64 = 60 * 60;
const LEAST: u64 = 60;
const MOST: u64 = 24 * 60 * 60;
/// The seconds between two attempts, while there are keys and while there are none.
const PAUSE: u64 = 60;
const SHORT_PAUSE: u64 = 5;

/// The keys of an issuer.
#[derive(Debug)]
pub(super) struct IssuerKeys {
    issuer: String,
    /// The URL of the keys, if it does not come from the metadata.
    jwks_uri: Option<String>,
    fetcher: Fetcher,
    state: Lock<KeyState>,
    /// The lock of the task that reads the keys.
    reading: Mutex<()>,
}

#[derive(Debug, Default)]
struct KeyState {
    keys: Option<Arc<Jwks>>,
    /// The time when the keys were read, and their lifetime.
    read_at: u64,
    lasts: u64,
    tried_at: Option<u64>,
    failure: String,
}

impl KeyState {
    fn may_try(&self, now: u64) -> bool {
        let pause = if self.keys.is_some() {
            PAUSE
        } else {
            SHORT_PAUSE
        };
        self.tried_at.is_none_or(|at| now.abs_diff(at) >= pause)
    }

    /// Whether the keys must be read again, and the pause since the last attempt is over.
    fn is_old(&self, now: u64) -> bool {
        self.age(now) >= self.lasts && self.may_try(now)
    }

    /// The keys, unless they are older than a day.
    fn usable(&self, now: u64) -> Option<Arc<Jwks>> {
        let keys = self.keys.as_ref()?;
        (self.age(now) < MOST).then(|| Arc::clone(keys))
    }

    /// The time since the last reading. If the clock was set back, the reading may be in the
    /// future, which does not count as new.
    fn age(&self, now: u64) -> u64 {
        now.abs_diff(self.read_at)
    }
}

impl IssuerKeys {
    pub(super) fn new(issuer: &str, jwks_uri: Option<String>, fetcher: Fetcher) -> Self {
        Self {
            issuer: issuer.to_owned(),
            jwks_uri,
            fetcher,
            state: Lock::default(),
            reading: Mutex::default(),
        }
    }

    /// The last read keys. If there are none, they are read now. The error is for the operator.
    pub(super) async fn current(self: &Arc<Self>, now: u64) -> Result<Arc<Jwks>, String> {
        let (keys, is_old) = {
            let state = self.state.lock();
            (state.usable(now), state.is_old(now))
        };
        if let Some(keys) = keys {
            if is_old {
                // The old keys are used meanwhile.
                let this = Arc::clone(self);
                tokio::spawn(async move { this.read(now).await });
            }
            return Ok(keys);
        }
        self.read_by_itself(now).await;
        let state = self.state.lock();
        state.usable(now).ok_or_else(|| state.failure.clone())
    }

    /// Newer keys than these, if there are any. The keys are read now, unless they were read
    /// shortly before.
    pub(super) async fn newer_than(
        self: &Arc<Self>,
        seen: &Arc<Jwks>,
        now: u64,
    ) -> Option<Arc<Jwks>> {
        let is_newer = |keys: &Arc<Jwks>| !Arc::ptr_eq(keys, seen);
        let current = self.state.lock().usable(now);
        if let Some(newer) = current.filter(is_newer) {
            return Some(newer);
        }
        self.read_by_itself(now).await;
        self.state.lock().usable(now).filter(is_newer)
    }

    /// Reads the keys in a separate task, so that a client that disconnects does not stop the wait
    /// of others.
    async fn read_by_itself(self: &Arc<Self>, now: u64) {
        let this = Arc::clone(self);
        let task = tokio::spawn(async move { this.read(now).await });
        if let Err(error) = task.await {
            tracing::error!(%error, "reading the keys of an issuer failed");
        }
    }

    /// Reads the keys, unless another task just has.
    async fn read(&self, now: u64) {
        let _reading = self.reading.lock().await;
        {
            let mut state = self.state.lock();
            if !state.may_try(now) {
                return;
            }
            state.tried_at = Some(now);
        }
        let found = self.fetch().await;
        let mut state = self.state.lock();
        match found {
            Ok((keys, lasts)) => {
                state.keys = Some(Arc::new(keys));
                state.read_at = now;
                state.lasts = lasts;
            }
            Err(why) => {
                tracing::warn!(
                    issuer = self.issuer,
                    why,
                    "the keys of an issuer can't be read"
                );
                state.failure = why;
            }
        }
    }

    async fn fetch(&self) -> Result<(Jwks, u64), String> {
        let url = match &self.jwks_uri {
            Some(url) => url.clone(),
            None => {
                let metadata = metadata(&self.fetcher, &self.issuer).await?;
                let named = metadata.jwks_uri;
                named.ok_or_else(|| format!("the metadata of {} lacks `jwks_uri`", self.issuer))?
            }
        };
        let fetched = self
            .fetcher
            .get(&url)
            .await
            .map_err(|error| error.to_string())?;
        if !fetched.status.is_success() {
            return Err(format!("{url} was answered with {}", fetched.status));
        }
        if fetched.url != url {
            return Err(format!("{url} redirects: configure its target"));
        }
        let keys = Jwks::read(&fetched.body).map_err(|why| format!("{url}: {why}"))?;
        Ok((keys, lasts(&fetched)))
    }
}

/// The metadata of an issuer. The error is for the operator.
pub(super) async fn metadata(fetcher: &Fetcher, issuer: &str) -> Result<ServerMetadata, String> {
    let mut tried = Vec::new();
    for url in server_metadata_urls(issuer) {
        let fetched = fetcher.get(&url).await.map_err(|error| error.to_string())?;
        if fetched.status.is_client_error() {
            tried.push(format!("{url} was answered with {}", fetched.status));
            continue;
        }
        // Other URLs must not be tried when a server is only down.
        if !fetched.status.is_success() {
            return Err(format!("{url} was answered with {}", fetched.status));
        }
        match ServerMetadata::read(&fetched.body) {
            Ok(metadata) if metadata.issuer == issuer => return Ok(metadata),
            Ok(metadata) => {
                let other = plainly_errors::mistake::quoted(&metadata.issuer);
                tried.push(format!("{url} is the metadata of another issuer, {other}"));
            }
            Err(why) => tried.push(format!("{url} {why}")),
        }
    }
    match tried.is_empty() {
        true => Err(format!("{issuer} is not the URL of an issuer")),
        false => Err(tried.join("; ")),
    }
}

/// The seconds for which an answer may be cached, within bounds.
fn lasts(fetched: &FetchResponse) -> u64 {
    let values = fetched.headers.get_all(CACHE_CONTROL).iter();
    let mut directives = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    let seconds = directives.find_map(|directive| {
        let seconds = directive.trim().strip_prefix("max-age=")?;
        seconds.parse::<u64>().ok()
    });
    seconds.map_or(USUALLY, |seconds| seconds.clamp(LEAST, MOST))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue, StatusCode};

    use super::*;

    #[test]
    fn an_issuer_says_within_bounds_how_long_its_keys_are_kept() {
        for (said, expected) in [
            (&[][..], USUALLY),
            (&["max-age=120"], 120),
            (&["public, max-age=120"], 120),
            (&["no-transform", "max-age=120"], 120),
            (&["max-age=0"], LEAST),
            (&["max-age=9999999999"], MOST),
            (&["max-age=soon"], USUALLY),
            (&["no-store"], USUALLY),
        ] {
            let mut headers = HeaderMap::new();
            for value in said {
                headers.append(CACHE_CONTROL, HeaderValue::from_static(value));
            }
            let fetched = FetchResponse {
                url: String::new(),
                status: StatusCode::OK,
                headers,
                body: Bytes::new(),
            };
            assert_eq!(lasts(&fetched), expected, "{said:?}");
        }
    }

    #[test]
    fn keys_are_read_again_when_they_are_old_and_used_for_a_day() {
        let point = r#"{"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
        let keys = Jwks::read(format!("{{\"keys\": [{point}]}}").as_bytes()).unwrap();
        let mut state = KeyState {
            keys: Some(Arc::new(keys)),
            read_at: 1000,
            lasts: 3600,
            tried_at: Some(1000),
            failure: String::new(),
        };
        for (after, is_old, is_usable) in [
            (0, false, true),
            (PAUSE, false, true),
            (3599, false, true),
            (3600, true, true),
            (MOST - 1, true, true),
            (MOST, true, false),
        ] {
            assert_eq!(state.is_old(1000 + after), is_old, "{after}");
            assert_eq!(state.usable(1000 + after).is_some(), is_usable, "{after}");
        }
        // The keys do not last longer if the clock was set back.
        state.read_at = 1000 + MOST;
        state.tried_at = Some(state.read_at);
        assert!(state.is_old(1000) && state.usable(1000).is_none());
        state.read_at = 1000;
        // There is no attempt before the pause is over, which is a long one while there are keys.
        state.tried_at = Some(4600);
        let tries = |state: &KeyState, pause| state.may_try(4600 + pause);
        assert!(!tries(&state, PAUSE - 1) && tries(&state, PAUSE));
        assert!(!state.is_old(4600 + PAUSE - 1) && state.is_old(4600 + PAUSE));
        state.keys = None;
        assert!(!tries(&state, SHORT_PAUSE - 1) && tries(&state, SHORT_PAUSE));
        assert!(state.usable(4600).is_none());
    }
}
