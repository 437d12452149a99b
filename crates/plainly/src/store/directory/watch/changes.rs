//! What is to be told at one time: each resource once and up to a bound, and the listing last.

use std::collections::BTreeSet;

use crate::store::Change;

/// The most resources that are named at a time. Of more it is only said that there were changes.
const MOST_RESOURCES: usize = 1024;

/// Changes that are told together.
#[derive(Debug, Default)]
pub(super) struct Changes {
    resources: BTreeSet<String>,
    is_listing: bool,
    is_full: bool,
}

impl Changes {
    pub(super) fn resource(&mut self, uri: impl Into<String>) {
        if self.is_full {
            return;
        }
        self.resources.insert(uri.into());
        if self.resources.len() > MOST_RESOURCES {
            self.resources.clear();
            self.is_full = true;
            self.is_listing = true;
        }
    }

    pub(super) fn listing(&mut self) {
        self.is_listing = true;
    }

    pub(super) fn into_iter(self) -> impl Iterator<Item = Change> + Send {
        let listing = self.is_listing.then_some(Change::Listing);
        self.resources
            .into_iter()
            .map(Change::Resource)
            .chain(listing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_can_be_named_is_the_listing_alone() {
        let mut changes = Changes::default();
        for index in 0..MOST_RESOURCES {
            changes.resource(index.to_string());
        }
        changes.resource("0");
        assert!(!changes.is_listing);
        changes.resource("one more");
        changes.resource("and one");
        assert_eq!(changes.into_iter().collect::<Vec<_>>(), [Change::Listing]);
    }
}
