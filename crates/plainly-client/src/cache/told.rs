//! The time of each change that a server reported last: an earlier result has to be requested
//! again. Its size does not depend on how often a server reports. Knows neither results nor
//! audiences.

use std::collections::HashMap;

use plainly_protocol::method::Method;

use crate::cache::Change;
use crate::cache::change::is_inside;
use plainly_transport::lock::Lock;

/// The most resources whose changes are stored, and the most bytes of their URIs. Beyond that, all
/// earlier results count as changed.
const MOST_URIS: usize = 1024;
const MOST_BYTES: usize = 256 << 10;

/// The last changes at a server, each by the number of the cache's clock.
#[derive(Debug, Default)]
pub(super) struct ServerChanges(Lock<LastChanges>);

#[derive(Debug, Default)]
struct LastChanges {
    /// The last time when anything may have changed.
    missed: u64,
    tools: u64,
    prompts: u64,
    resources: u64,
    /// The last change of any resource.
    updated: u64,
    by_uri: HashMap<String, u64>,
    /// The length of the URIs.
    bytes: usize,
}

/// The change that drops the pages of a listing by `method`.
pub(super) fn listing(method: Method) -> Option<Change> {
    Change::of_listing(method.row().listing_changed?)
}

impl ServerChanges {
    /// Notes a change. Changes may be noted in another order than they were numbered.
    pub(super) fn note(&self, change: Change, now: u64) {
        let mut last = self.0.lock();
        match change {
            Change::Tools => last.tools = last.tools.max(now),
            Change::Prompts => last.prompts = last.prompts.max(now),
            Change::Resources => last.resources = last.resources.max(now),
            Change::Resource(uri) => last.update(uri, now),
            Change::Missed => last.missed = last.missed.max(now),
            // Results of tasks are not cached.
            Change::Task(_) => {}
        }
    }

    /// Whether the result of `method` may have changed since then. It is about the resource at
    /// `uri`, or about all resources.
    pub(super) fn has_changed(&self, method: Method, uri: Option<&str>, since: u64) -> bool {
        let last = self.0.lock();
        let listed = match listing(method) {
            Some(Change::Tools) => last.tools,
            Some(Change::Prompts) => last.prompts,
            Some(Change::Resources) => last.resources,
            Some(Change::Resource(_) | Change::Task(_) | Change::Missed) | None => 0,
        };
        // Listings contain the metadata of resources, too.
        let updated = match method == Method::ReadResource || method == Method::ListResources {
            true => last.updated_below(uri),
            false => 0,
        };
        listed.max(updated).max(last.missed) > since
    }
}

impl LastChanges {
    fn update(&mut self, uri: String, now: u64) {
        self.updated = self.updated.max(now);
        self.bytes += uri.len();
        if let Some(last) = self.by_uri.get_mut(&uri) {
            *last = (*last).max(now);
            self.bytes -= uri.len();
        } else if self.by_uri.len() < MOST_URIS && self.bytes <= MOST_BYTES {
            self.by_uri.insert(uri, now);
        } else {
            self.bytes = 0;
            self.by_uri = HashMap::new();
            self.missed = self.updated;
        }
    }

    /// The time of the last change of the resource at `uri`, or of one inside of it; for `None`, of
    /// any resource.
    fn updated_below(&self, uri: Option<&str>) -> u64 {
        let Some(uri) = uri else {
            return self.updated;
        };
        let updates = self.by_uri.iter();
        let below = updates.filter(|(updated, _)| is_inside(updated, uri));
        below.map(|(_, last)| *last).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(changes: &ServerChanges, uri: impl Into<String>, now: usize) {
        changes.note(Change::Resource(uri.into()), now as u64);
    }

    fn is_other(changes: &ServerChanges, uri: &str, since: usize) -> bool {
        changes.has_changed(Method::ReadResource, Some(uri), since as u64)
    }

    #[test]
    fn each_listing_has_the_change_that_drops_it() {
        let rows = plainly_protocol::method::methods().iter();
        for row in rows.filter(|row| row.listing.is_some()) {
            assert!(listing(row.method).is_some(), "{}", row.name);
        }
    }

    #[test]
    fn so_many_resources_are_told_apart_and_with_one_more_all_count_as_changed() {
        let changes = ServerChanges::default();
        // Repeated changes of a resource need no more room.
        for now in 1..=3 * MOST_URIS {
            update(&changes, format!("a:{}", now % MOST_URIS), now);
        }
        assert!(is_other(&changes, "a:7", 2 * MOST_URIS));
        assert!(!is_other(&changes, "a:7", 3 * MOST_URIS));
        assert!(!is_other(&changes, "b:c", 0));
        let now = 3 * MOST_URIS + 1;
        update(&changes, "a:new", now);
        assert!(is_other(&changes, "b:c", now - 1));
        assert!(changes.has_changed(Method::ListTools, None, now as u64 - 1));
        assert!(!is_other(&changes, "b:c", now));
        assert!(changes.0.lock().by_uri.is_empty());
    }

    #[test]
    fn a_change_that_is_noted_late_makes_nothing_good_again() {
        let uri = "a:b";
        let noted = [
            Change::Tools,
            Change::Prompts,
            Change::Resources,
            Change::Resource(uri.to_owned()),
            Change::Missed,
        ];
        let methods = [
            (Method::ListTools, None),
            (Method::ListPrompts, None),
            (Method::ListResources, None),
            (Method::ReadResource, Some(uri)),
            (Method::Discover, None),
        ];
        for (change, (method, uri)) in noted.into_iter().zip(methods) {
            let changes = ServerChanges::default();
            for now in [2, 1] {
                changes.note(change.clone(), now);
                assert!(changes.has_changed(method, uri, 1), "{change:?} {now}");
            }
        }
    }

    #[test]
    fn so_many_bytes_of_uris_are_remembered() {
        let changes = ServerChanges::default();
        let long = "a".repeat(MOST_BYTES / 2);
        update(&changes, format!("{long}1"), 1);
        update(&changes, &long[1..], 2);
        assert_eq!(changes.0.lock().bytes, MOST_BYTES);
        assert!(!is_other(&changes, "b:c", 0));
        update(&changes, "a", 3);
        assert!(is_other(&changes, "b:c", 2) && !is_other(&changes, "b:c", 3));
        for now in 4..100 {
            update(&changes, format!("{now}{long}{long}"), now);
            assert_eq!(changes.0.lock().bytes, 0);
            assert!(is_other(&changes, "b:c", now - 1));
        }
    }
}
