//! The rules of listings.

use std::collections::HashSet;

use plainly_protocol::types::Resource;
use plainly_server::store::{ListQuery, Store};

use super::{Check, Rule};

/// The page sizes whose listings must agree.
const SIZES: [usize; 4] = [1_000, 7, 2, 1];

/// The maximum number of entries listed in small pages.
const IN_SMALL_PAGES: usize = 500;

/// The maximum number of entries of a listing.
const MOST: usize = 100_000;

impl<S: Store> Check<'_, S> {
    /// Checks the listing of everything. Returns it as listed in large pages.
    pub(super) async fn listings(&mut self) -> Vec<Resource> {
        let everything = self.pages(None).await;
        for (index, resource) in everything.iter().enumerate() {
            let uri = &resource.uri;
            if !self.store.serves(uri) {
                self.broken(Rule::ListedIsServed, uri, "it is listed");
            }
            let before = everything.iter().take(index);
            let mut inside = before.filter(|other| is_inside(&other.uri, uri));
            if let Some(other) = inside.next() {
                let why = format!("{} is listed before it", other.uri);
                self.broken(Rule::CollectionFirst, uri, why);
            }
        }
        everything
    }

    /// Lists in pages of each size, and checks that they agree. Returns all entries.
    pub(super) async fn pages(&mut self, parent: Option<&str>) -> Vec<Resource> {
        let mut all = Vec::new();
        for size in SIZES {
            if size == SIZES[0] {
                all = self.listing(parent, size, MOST).await;
                self.are_different(parent, &all);
                continue;
            }
            let listed = self.listing(parent, size, IN_SMALL_PAGES).await;
            let expected = all.get(..listed.len()).unwrap_or(&all);
            let is_whole = listed.len() == all.len() || listed.len() >= IN_SMALL_PAGES;
            if !is_whole || !uris(expected).eq(uris(&listed)) {
                let why = format!("pages of {size} and of {} differ", SIZES[0]);
                self.broken(Rule::PagesAgree, parent.unwrap_or_default(), why);
            }
        }
        all
    }

    fn are_different(&mut self, parent: Option<&str>, all: &[Resource]) {
        let mut known = HashSet::new();
        if let Some(twice) = uris(all).find(|uri| !known.insert(*uri)) {
            let listing = parent.unwrap_or("everything");
            self.broken(Rule::ListedOnce, twice, format!("twice in {listing}"));
        }
    }

    async fn listing(&mut self, parent: Option<&str>, size: usize, most: usize) -> Vec<Resource> {
        let (mut all, mut after) = (Vec::new(), None::<String>);
        let mut seen = HashSet::new();
        let of = parent.unwrap_or_default();
        while all.len() < most {
            let mut query = ListQuery::new(size);
            (query.parent, query.after) = (parent, after.as_deref());
            match self.list(query).await {
                Some(Ok(page)) => {
                    if page.resources.len() > size {
                        let why = format!("{} entries instead of {size}", page.resources.len());
                        self.broken(Rule::PageEnds, of, why);
                    }
                    all.extend(page.resources);
                    after = page.next;
                }
                Some(Err(error)) => {
                    self.broken(Rule::Children, of, format!("its listing fails: {error}"));
                    break;
                }
                None => break,
            }
            match &after {
                None => break,
                Some(next) if seen.insert(next.clone()) => {}
                Some(next) => {
                    let why = format!("it comes to the position {next:?} again");
                    self.broken(Rule::PageEnds, of, why);
                    break;
                }
            }
        }
        all
    }

    /// Checks that everything is in a root, or contains one.
    pub(super) async fn roots(&mut self, everything: &[Resource]) {
        let roots = self.store.roots();
        for root in &roots {
            match self.metadata(root).await {
                Some(Ok(_)) => {}
                Some(Err(error)) => self.broken(Rule::Roots, root, error.to_string()),
                None => {}
            }
        }
        let is_contained = |uri: &str| {
            let mut roots = roots.iter();
            roots.any(|root| root == uri || is_inside(uri, root) || is_inside(root, uri))
        };
        let mut outside = uris(everything).filter(|uri| !is_contained(uri));
        if let Some(uri) = outside.next()
            && !roots.is_empty()
        {
            self.broken(Rule::Roots, uri, "it is in no root");
        }
    }
}

fn uris(resources: &[Resource]) -> impl Iterator<Item = &str> {
    resources.iter().map(|resource| &*resource.uri)
}

/// Whether a URI is below that of a collection.
fn is_inside(uri: &str, collection: &str) -> bool {
    let collection = collection.trim_end_matches('/');
    let rest = uri.strip_prefix(collection);
    rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}
