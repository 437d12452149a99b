//! Reads listings page by page until the last one: never endlessly, and never incomplete without an
//! error.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use plainly_protocol::method::Method;
use plainly_protocol::types::Cursor;

use crate::connect::Client;
use crate::error::{Error, LocalError, Result};
use crate::message::limits::ClientLimits;

/// The longest cursor that is sent back.
const CURSOR_BYTES: usize = 16 << 10;

/// A page of a listing.
#[derive(Debug)]
pub(crate) struct ListingPage<T> {
    pub(crate) body: T,
    /// The number of bytes that the page was read from.
    pub(crate) bytes: u64,
    /// Whether the page came from the cache.
    pub(crate) is_cached: bool,
}

impl<T> ListingPage<T> {
    pub(crate) fn map<U>(self, map: impl FnOnce(T) -> U) -> ListingPage<U> {
        ListingPage {
            body: map(self.body),
            bytes: self.bytes,
            is_cached: self.is_cached,
        }
    }
}

/// The pages of one listing that were read.
#[derive(Debug)]
pub(crate) struct Pages {
    method: &'static str,
    /// The most pages that are read.
    most: usize,
    /// The hashes of the received cursors. Their key is secret, and there are so few that no two
    /// are equal by chance.
    seen: HashSet<u64>,
    hasher: RandomState,
    /// The bytes of all pages so far, because even a few pages can be very large.
    bytes: u64,
    /// The most bytes of all pages together.
    most_bytes: u64,
    /// Whether any page came from the cache, so that its cursor may have become invalid.
    is_cached: bool,
    /// Whether the listing was started again.
    is_again: bool,
}

impl Client {
    /// The pages of a listing by `method`.
    pub(crate) fn pages_of(&self, method: Method) -> Pages {
        Pages::of(method.name(), self.connected.limits())
    }

    /// All entries of a listing by `method`. `page` requests the page at a cursor, and returns its
    /// entries and the next cursor.
    pub(crate) async fn all_pages<T, P>(
        &self,
        method: Method,
        page: impl Fn(Option<Cursor>) -> P,
    ) -> Result<Vec<T>>
    where
        P: Future<Output = Result<ListingPage<(Vec<T>, Option<Cursor>)>>>,
    {
        let mut pages = self.pages_of(method);
        let (mut all, mut cursor) = (Vec::new(), None);
        loop {
            let page = page(cursor.take()).await;
            let Some(ListingPage { body, bytes, .. }) = pages.take(page)? else {
                all.clear();
                continue;
            };
            let (items, next) = body;
            all.extend(items);
            cursor = pages.after(bytes, next)?;
            if cursor.is_none() {
                return Ok(all);
            }
        }
    }
}

impl Pages {
    /// A listing by `method`, of which no page was read yet.
    fn of(method: &'static str, limits: &ClientLimits) -> Self {
        Self {
            method,
            most: limits.pages,
            seen: HashSet::new(),
            hasher: RandomState::new(),
            bytes: 0,
            most_bytes: limits.listing_bytes,
            is_cached: false,
            is_again: false,
        }
    }

    /// A page; `None` if the listing starts again, and its earlier pages are to be dropped.
    pub(crate) fn take<T>(
        &mut self,
        page: Result<ListingPage<T>>,
    ) -> Result<Option<ListingPage<T>>> {
        match page {
            Ok(page) => Ok(Some(self.noted(page))),
            Err(error) => self.begin_again(error).map(|()| None),
        }
    }

    /// The page, after noting whether it came from the cache.
    pub(crate) fn noted<T>(&mut self, page: ListingPage<T>) -> ListingPage<T> {
        self.is_cached |= page.is_cached;
        page
    }

    /// Starts again after this error, but only once, if the server rejected a cursor from the cache
    /// (2026-07-28, "Caching"). The cache has dropped its pages.
    pub(crate) fn begin_again(&mut self, error: Error) -> Result<()> {
        if self.is_again || !self.is_cached || !error.is_invalid_params() {
            return Err(error);
        }
        self.is_again = true;
        self.seen.clear();
        self.bytes = 0;
        Ok(())
    }

    /// The cursor of the next page, after a page of `bytes` bytes with the cursor `next`; `None`
    /// after the last one.
    pub(crate) fn after(&mut self, bytes: u64, next: Option<Cursor>) -> Result<Option<Cursor>> {
        let method = self.method;
        self.bytes = self.bytes.saturating_add(bytes);
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
        if self.bytes > self.most_bytes {
            let why = format!("its pages are larger than {} bytes", self.most_bytes);
            return Err(Error::invalid_response(method, why));
        }
        let limit = self.most;
        if self.seen.len() >= limit {
            return Err(LocalError::TooManyPages { method, limit }.into());
        }
        Ok(Some(cursor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: usize = 1_000;

    fn pages() -> Pages {
        Pages::of("tools/list", &ClientLimits::default())
    }

    #[test]
    fn the_last_page_that_is_read_is_the_thousandth() {
        let mut pages = pages();
        for page in 1..PAGES {
            let next = pages.after(1, Some(page.to_string().into())).unwrap();
            assert!(next.is_some());
        }
        assert!(pages.after(1, None).unwrap().is_none());
        let error = pages.after(1, Some("more".into())).unwrap_err();
        assert!(matches!(
            error.local(),
            Some(LocalError::TooManyPages { limit: PAGES, .. })
        ));
    }

    #[test]
    fn the_pages_may_have_so_many_bytes_in_all() {
        let most = ClientLimits::default().listing_bytes;
        let mut pages = pages();
        assert!(pages.after(most - 1, Some("a".into())).unwrap().is_some());
        assert!(pages.after(1, Some("b".into())).unwrap().is_some());
        let error = pages.after(1, Some("c".into())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid reply to `tools/list`: its pages are larger than 134217728 bytes"
        );
    }

    #[test]
    fn a_cursor_may_be_long_but_not_endless() {
        let mut pages = pages();
        let cursor = |bytes| Cursor::from("é".repeat(bytes / 2));
        assert!(
            pages
                .after(1, Some(cursor(CURSOR_BYTES)))
                .unwrap()
                .is_some()
        );
        let error = pages.after(1, Some(cursor(CURSOR_BYTES + 2))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid reply to `tools/list`: its cursor is longer than 16384 bytes"
        );
    }

    #[test]
    fn a_cursor_that_comes_again_ends_the_listing_with_an_error() {
        let mut pages = pages();
        // An empty text is a valid cursor.
        assert_eq!(pages.after(1, Some("".into())).unwrap(), Some("".into()));
        pages.after(1, Some("a".into())).unwrap();
        let error = pages.after(1, Some("".into())).unwrap_err();
        assert!(matches!(
            error.local(),
            Some(LocalError::EndlessListing { .. })
        ));
    }
}
