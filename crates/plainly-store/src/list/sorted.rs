//! The children of a collection in another order than the store's. All of them are compared, page
//! by page, but only the first are stored, so a collection of any size needs the memory of one
//! page.

use std::cmp::Reverse;
use std::time::Duration;

use plainly_errors::Problem;
use plainly_protocol::types::Resource;
use plainly_server::store::{ListQuery, Store};
use tokio::time::{Instant, timeout_at};

use crate::{StoreView, entry, problems};

/// The maximum time for comparing.
const TIME: Duration = Duration::from_secs(20);

/// The number of children requested at a time.
const PAGE: usize = 1_000;

/// An order of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Largest first.
    Size,
    /// Last modified first.
    Modified,
}

/// The first resources in an order.
#[derive(Debug)]
pub(super) struct Sorted {
    pub(super) resources: Vec<Resource>,
    /// The number of resources that were compared.
    compared: usize,
    /// Whether all resources were compared.
    is_whole: bool,
}

impl Order {
    /// The first `limit` of these resources.
    pub(super) fn of(self, resources: Vec<Resource>, limit: usize) -> Sorted {
        let mut sorted = Sorted {
            resources: Vec::new(),
            compared: 0,
            is_whole: true,
        };
        sorted.add(resources, self, limit);
        sorted
    }

    /// The first `limit` children of a collection, among those that the store lists in time.
    pub(super) async fn first<S: Store>(
        self,
        source: &StoreView<S>,
        parent: Option<&str>,
        limit: usize,
    ) -> Result<Sorted, Problem> {
        let end = Instant::now() + TIME;
        let mut sorted = self.of(Vec::new(), limit);
        let mut after: Option<String> = None;
        loop {
            let mut query = ListQuery::new(PAGE);
            query.parent = parent;
            query.after = after.as_deref();
            let page = match timeout_at(end, source.store.list(query)).await {
                Ok(Ok(page)) => page,
                Ok(Err(error)) => {
                    return Err(problems::of(source, parent.unwrap_or_default(), error).await);
                }
                Err(_) if sorted.compared == 0 => {
                    return Err(Problem::timeout("list_resources")
                        .suggest("Leave out sort, or list a directory below."));
                }
                Err(_) => return Ok(sorted.cut_off()),
            };
            sorted.add(page.resources, self, limit);
            if page.next.is_none() {
                return Ok(sorted);
            }
            // The timeout doesn't interrupt a store that never waits.
            if Instant::now() >= end {
                return Ok(sorted.cut_off());
            }
            after = page.next;
        }
    }
}

/// The time of the last change, as text that sorts by time: `07Z` comes before `07.5Z`.
fn modified(resource: &Resource) -> Option<&str> {
    entry::last_modified(resource).map(|time| time.trim_end_matches('Z'))
}

impl Sorted {
    /// Adds resources. Equal ones stay in the order of being added.
    fn add(&mut self, resources: Vec<Resource>, order: Order, limit: usize) {
        self.compared += resources.len();
        self.resources.extend(resources);
        match order {
            Order::Size => self.resources.sort_by_key(|one| Reverse(one.size)),
            Order::Modified => self
                .resources
                .sort_by(|one, other| modified(other).cmp(&modified(one))),
        }
        self.resources.truncate(limit);
    }

    /// Removes all but the first `most`.
    pub(super) fn cut(&mut self, most: usize) {
        self.resources.truncate(most);
    }

    fn cut_off(self) -> Self {
        Self {
            is_whole: false,
            ..self
        }
    }

    /// A note about the resources that are left out, if any.
    pub(super) fn note(&self) -> Option<String> {
        let compared = self.compared;
        if !self.is_whole {
            return Some(format!(
                "The time was up after {compared} entries: others were not compared. List a directory below instead."
            ));
        }
        match compared - self.resources.len() {
            0 => None,
            more => Some(format!(
                "{more} more are left out: raise limit, or leave out sort to go through all."
            )),
        }
    }
}
