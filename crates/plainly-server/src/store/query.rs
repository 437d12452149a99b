//! Requests for listings, and the pages that are returned.

use plainly_protocol::types::Resource;

/// A request for one page of a listing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ListQuery<'a> {
    /// The collection whose direct children are requested; `None` for all resources.
    pub parent: Option<&'a str>,
    /// The position to continue from, as returned by a previous page.
    pub after: Option<&'a str>,
    /// The maximum number of entries to return, at least 1.
    pub limit: usize,
}

impl<'a> ListQuery<'a> {
    /// A request for all resources from the start, at most `limit` entries.
    pub fn new(limit: usize) -> Self {
        Self {
            parent: None,
            after: None,
            limit,
        }
    }

    /// Limits the request to the children of `parent`.
    #[must_use]
    pub fn parent(mut self, parent: &'a str) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Limits the request to entries after the position `after`.
    #[must_use]
    pub fn after(mut self, after: &'a str) -> Self {
        self.after = Some(after);
        self
    }
}

/// A part of a listing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The resources, in the store's order.
    pub resources: Vec<Resource>,
    /// The position of the next page; `None` if there is none. Plain text, because the server
    /// converts it to an opaque cursor.
    pub next: Option<String>,
}

impl Page {
    /// A page, and the position to continue from.
    pub fn new(resources: Vec<Resource>, next: Option<String>) -> Self {
        Self { resources, next }
    }
}
