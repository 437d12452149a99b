//! Reads listings page by page until the last one: never endlessly, and never incomplete without an error.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use plainly_protocol::method::Method;
use plainly_protocol::types::Cursor;

use super::error::{Error, LocalError};
use super::link::ClientConnection;
use super::{Client, Result};

/// The longest cursor that is sent back.
const CURSOR_BYTES: usize = 16 << 10;

/// The pages of one listing that were read.
#[derive(Debug)]
pub(super) struct Pages {
    method: &'static str,
    /// The most pages that are read.
    most: usize,
    /// Hashes of the cursors received, under a key that no server knows: among so few, no two are equal by chance.
    seen: HashSet<u64>,
    hasher: RandomState,
    room: Option<Room>,
}

/// The room for all pages of a listing: few of them can be very large.
#[derive(Debug)]
struct Room {
    connection: Arc<dyn ClientConnection>,
    /// What the connection had received before.
    before: u64,
    /// The most bytes.
    limit: u64,
}

impl Client {
    /// The pages of a listing by `method`.
    pub(super) fn pages_of(&self, method: Method) -> Pages {
        let limits = self.connected.limits();
        let connection = Arc::clone(self.connected.link.connection());
        let room = Some(Room {
            before: connection.received(),
            connection,
            limit: limits.listing_bytes,
        });
        Pages {
            room,
            ..Pages::of(method.name(), limits.pages)
        }
    }
}

impl Pages {
    /// A listing by `method` with at most `most` pages, none of them read yet.
    pub(super) fn of(method: &'static str, most: usize) -> Self {
        Self {
            method,
            most,
            seen: HashSet::new(),
            hasher: RandomState::new(),
            room: None,
        }
    }

    /// The cursor of the next page after a page that says `next`; `None` after the last one.
    pub(super) fn after(&mut self, next: Option<Cursor>) -> Result<Option<Cursor>> {
        let method = self.method;
        let Some(cursor) = next else {
            return Ok(None);
        };
        if cursor.as_str().len() > CURSOR_BYTES {
            let why = format!("its cursor is longer than {CURSOR_BYTES} bytes");
            return Err(Error::invalid_response(method, why));
        }
        if !self.seen.insert(self.hasher.hash_one(&cursor)) {
            return Err(LocalError::EndlessListing { method }.into());
        }
        if let Some(limit) = self.room.as_ref().and_then(Room::exceeded) {
            let why = format!("its pages are larger than {limit} bytes");
            return Err(Error::invalid_response(method, why));
        }
        let limit = self.most;
        if self.seen.len() >= limit {
            return Err(LocalError::TooManyPages { method, limit }.into());
        }
        Ok(Some(cursor))
    }
}

impl Room {
    /// The limit, if more has been received.
    fn exceeded(&self) -> Option<u64> {
        let received = self.connection.received() - self.before;
        (received > self.limit).then_some(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: usize = 1_000;

    #[test]
    fn the_last_page_that_is_read_is_the_thousandth() {
        let mut pages = Pages::of("tools/list", PAGES);
        for page in 1..PAGES {
            let next = pages.after(Some(page.to_string().into())).unwrap();
            assert!(next.is_some());
        }
        assert!(pages.after(None).unwrap().is_none());
        let error = pages.after(Some("more".into())).unwrap_err();
        assert!(matches!(
            error.local(),
            Some(LocalError::TooManyPages { limit: PAGES, .. })
        ));
    }

    #[test]
    fn a_cursor_may_be_long_but_not_endless() {
        let mut pages = Pages::of("tools/list", PAGES);
        let cursor = |bytes| Cursor::from("é".repeat(bytes / 2));
        assert!(pages.after(Some(cursor(CURSOR_BYTES))).unwrap().is_some());
        let error = pages.after(Some(cursor(CURSOR_BYTES + 2))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid reply to `tools/list`: its cursor is longer than 16384 bytes"
        );
    }

    #[test]
    fn a_cursor_that_comes_again_ends_the_listing_with_an_error() {
        let mut pages = Pages::of("tools/list", PAGES);
        // Empty text is a cursor like any other.
        assert_eq!(pages.after(Some("".into())).unwrap(), Some("".into()));
        pages.after(Some("a".into())).unwrap();
        let error = pages.after(Some("".into())).unwrap_err();
        assert!(matches!(
            error.local(),
            Some(LocalError::EndlessListing { .. })
        ));
    }
}
