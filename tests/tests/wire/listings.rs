//! Listings page by page over all sources: no duplicates, no omissions, no page above its limit.

use std::fmt;
use std::time::Duration;

use plainly::limits::Limits;
use plainly::protocol::types::{CacheHint, CacheScope, Resource as Described, ResourceContents};
use plainly::server::{Resource, ServerBuilder};
use plainly::store::{ListQuery, Page, Store, StoreError};
use serde_json::Value;

use crate::fixture::Fixture;
use crate::sender::{Sender, request};
use crate::stream::Stream;

/// A flat store of one collection, `SCHEME://all`, with numbered children.
#[derive(Debug)]
struct Flat {
    scheme: &'static str,
    count: usize,
    ttl: Duration,
}

impl Flat {
    fn uri(&self, number: impl fmt::Display) -> String {
        format!("{}://{number}", self.scheme)
    }
}

impl Store for Flat {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with(&self.uri(""))
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let start: usize = match query.after {
            None => 0,
            Some(after) => after.parse().map_err(|_| StoreError::InvalidCursor)?,
        };
        let end = self.count.min(start + query.limit);
        let page = (start..end).map(|number| {
            let uri = self.uri(number);
            Described::new(uri.clone(), uri).is_collection(false)
        });
        let next = (end < self.count).then(|| end.to_string());
        Ok(Page::new(page.collect(), next))
    }

    async fn metadata(&self, uri: &str) -> Result<Described, StoreError> {
        Ok(Described::new(uri, uri).is_collection(uri == self.uri("all")))
    }

    async fn read(&self, _: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Err(StoreError::NotFound)
    }

    fn cache_hint(&self) -> CacheHint {
        CacheHint::new(self.ttl, CacheScope::Public)
    }
}

const SHORT: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(9);

/// Adds static resources and two stores to the fixture.
fn fixture(page: usize, fixed: usize, stored: &[usize]) -> Fixture {
    let mut limits = Limits::default();
    limits.page_entries = page;
    Fixture::build(|builder| {
        let add = |builder: ServerBuilder, number| {
            builder.resource(Resource::new(format!("fixed://{number}"), || async { "x" }))
        };
        let mut builder = (0..fixed).fold(builder.limits(limits), add);
        for ((scheme, ttl), count) in [("one", SHORT), ("two", LONG)].into_iter().zip(stored) {
            let count = *count;
            builder = builder.store(Flat { scheme, count, ttl });
        }
        builder
    })
}

async fn list(stream: &mut Stream, cursor: Option<&str>) -> Value {
    let params = cursor.map(|cursor| format!(r#""cursor":"{cursor}""#));
    let sent = request("1", "resources/list", &params.unwrap_or_default());
    serde_json::from_str(&stream.ask(&sent).await).unwrap()
}

#[tokio::test]
async fn every_page_is_within_its_limit_and_all_together_are_everything() {
    // The fixture has five resources of its own.
    for (page, fixed, stored) in [
        (3, 0, vec![]),
        (1, 2, vec![2, 3]),
        (4, 3, vec![4]),
        (7, 20, vec![0, 5]),
        (5, 0, vec![0, 0]),
        (100, 95, vec![1]),
        (1_000, 1_499, vec![10]),
    ] {
        let fixture = fixture(page, fixed, &stored);
        let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
        let mut uris = Vec::new();
        let mut cursor = None;
        loop {
            let reply = list(&mut stream, cursor.as_deref()).await;
            let entries = reply["result"]["resources"].as_array().unwrap();
            assert!(entries.len() <= page, "{page}: {}", entries.len());
            uris.extend(entries.iter().map(|entry| entry["uri"].clone()));
            match reply["result"]["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        let expected = 5 + fixed + stored.iter().sum::<usize>();
        assert_eq!(uris.len(), expected, "page {page}");
        let mut once = uris.clone();
        once.sort_by_key(ToString::to_string);
        once.dedup();
        assert_eq!(once.len(), expected, "page {page}");
    }
}

#[tokio::test]
async fn children_are_kept_as_long_as_their_own_store_says() {
    let fixture = fixture(100, 0, &[1, 1]);
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for (params, ttl) in [
        ("", 1_000),
        (r#""uri":"one://all""#, 1_000),
        (r#""uri":"two://all""#, 9_000),
    ] {
        let reply = stream.ask(&request("1", "resources/list", params)).await;
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["result"]["ttlMs"], ttl, "{params}: {reply}");
    }
}
