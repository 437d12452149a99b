//! A test for stores: checks the rules that a server and its clients rely on.
//!
//! ```
//! use plainly::store::{Store, check};
//!
//! async fn test(notes: impl Store) {
//!     let report = check(&notes).await;
//!     assert!(report.is_ok(), "{report}");
//! }
//! ```

mod completing;
mod listing;
mod reading;
mod report;
mod writing;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;
use plainly_protocol::types::{Resource, ResourceContents};
use plainly_server::store::{ListQuery, Page, Store, StoreError};

pub use self::report::{BrokenRule, Report, Rule};
pub use self::writing::check_writes;

/// The maximum number of resources that are checked one by one.
const LOOKED_AT: usize = 1_000;

/// Texts that are not URIs of any store, or that lead out of one.
const ODD: [&str; 16] = [
    "",
    " ",
    "/",
    "//",
    "%",
    "%00",
    "%zz",
    "..",
    "../..",
    "%2e%2e%2f",
    "\u{0}",
    "\n",
    "é",
    "?",
    "#",
    "\u{202e}x",
];

/// Checks a store, which must not change meanwhile, and reports each rule that it breaks. If the
/// store has [views](Store::view), check a view.
///
/// It lists everything several times, and reads the first 1,000 resources.
pub async fn check<S: Store>(store: &S) -> Report {
    let mut check = Check {
        store,
        report: Report::default(),
    };
    let listed = check.listings().await;
    let looked_at = listed.get(..LOOKED_AT).unwrap_or(&listed);
    check.resources(looked_at).await;
    check.roots(&listed).await;
    check.odd(&listed).await;
    check.templates().await;
    check.report
}

/// A running check.
struct Check<'a, S> {
    store: &'a S,
    report: Report,
}

impl<S: Store> Check<'_, S> {
    /// Records that the store breaks the rule.
    fn broken(&mut self, rule: Rule, uri: &str, why: impl Into<String>) {
        self.report.add(rule, uri, why.into());
    }

    /// The result of a method; `None` if the method panics, which is recorded.
    async fn caught<T>(
        &mut self,
        uri: &str,
        answer: impl Future<Output = Result<T, StoreError>>,
    ) -> Option<Result<T, StoreError>> {
        match AssertUnwindSafe(answer).catch_unwind().await {
            Ok(answer) => Some(answer),
            Err(_) => {
                self.broken(Rule::NoPanic, uri, "a method panicked");
                None
            }
        }
    }

    /// The listed spelling of a URI. Checks that the listed spelling is its own listed spelling.
    fn spelling(&mut self, uri: &str) -> Option<String> {
        let spell = |uri: &str| self.store.spelling(uri).map(Cow::into_owned);
        let spelled = catch_unwind(AssertUnwindSafe(|| {
            let listed = spell(uri)?;
            let again = spell(&listed);
            Some((listed, again))
        }));
        let Ok(spelled) = spelled else {
            self.broken(Rule::NoPanic, uri, "a method panicked");
            return None;
        };
        let (listed, again) = spelled?;
        if again.as_ref() != Some(&listed) {
            let why = format!("it is spelled {listed:?}, and that is spelled {again:?}");
            self.broken(Rule::Spelling, uri, why);
        }
        Some(listed)
    }

    async fn list(&mut self, query: ListQuery<'_>) -> Option<Result<Page, StoreError>> {
        let uri = query.parent.unwrap_or_default();
        self.caught(uri, self.store.list(query)).await
    }

    async fn metadata(&mut self, uri: &str) -> Option<Result<Resource, StoreError>> {
        self.caught(uri, self.store.metadata(uri)).await
    }

    async fn read(&mut self, uri: &str) -> Option<Result<Vec<ResourceContents>, StoreError>> {
        self.caught(uri, self.store.read(uri)).await
    }

    /// Checks odd URIs: methods must not panic, and must agree on missing resources.
    async fn odd(&mut self, listed: &[Resource]) {
        let near = listed.iter().take(10).map(|resource| &*resource.uri);
        let near: Vec<&str> = std::iter::once("").chain(near).collect();
        let uris = near.iter().flat_map(|near| {
            ODD.map(|odd| format!("{near}{odd}"))
                .into_iter()
                .chain(ODD.map(|odd| format!("{near}/{odd}")))
                .chain(respelled(near))
        });
        for uri in uris.filter(|uri| listed.iter().all(|one| one.uri != *uri)) {
            if !self.store.serves(&uri) {
                continue;
            }
            let metadata = self.metadata(&uri).await;
            let read = self.read(&uri).await;
            let children = self.list(ListQuery::new(10).parent(&uri)).await;
            self.list(ListQuery::new(10).after(&uri)).await;
            let spelled = self.spelling(&uri);
            // The URI may be another spelling of a resource, or a resource that is not listed.
            let is_missing = match metadata {
                Some(Ok(found)) if spelled.as_ref() != Some(&found.uri) => {
                    let why = format!("it is {}, and is spelled {spelled:?}", found.uri);
                    self.broken(Rule::Spelling, &uri, why);
                    false
                }
                Some(Err(StoreError::NotFound | StoreError::InvalidUri { .. })) => true,
                Some(_) | None => false,
            };
            if is_missing && !matches!(read, Some(Err(_)) | None) {
                self.broken(Rule::Missing, &uri, "it has no metadata, but is read");
            }
            if is_missing && !matches!(children, Some(Err(_)) | None) {
                self.broken(Rule::Missing, &uri, "it has no metadata, but is listed");
            }
        }
    }
}

/// Variants of a URI: with its scheme in upper case, and with its last letter percent-encoded.
fn respelled(uri: &str) -> Vec<String> {
    let scheme = uri.split_once(':');
    let scheme = scheme.map(|(scheme, rest)| format!("{}:{rest}", scheme.to_ascii_uppercase()));
    let last = uri.char_indices().next_back();
    let last = last.filter(|(_, letter)| letter.is_ascii_alphanumeric());
    let last = last.map(|(at, letter)| format!("{}%{:02x}", &uri[..at], u32::from(letter)));
    scheme.into_iter().chain(last).collect()
}
