//! Cursors: sealed positions in listings. They can't be forged, and each is bound to its listing
//! and its client. Any process that serves the same definitions with the same name and key can
//! continue the listing.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::types::Cursor;

use crate::limits::Limits;
use plainly_transport::seal::Sealer;

/// The cursors of a server.
#[derive(Debug)]
pub(super) struct Cursors {
    sealer: Arc<Sealer>,
    /// The name of the server, to which cursors are bound.
    server: String,
    ttl: Duration,
    /// The maximum length of a cursor that is opened, in bytes.
    max_bytes: usize,
}

/// The cursors of one client. Cursors of other clients don't open.
#[derive(Clone, Copy, Debug)]
pub(super) struct CursorsOf<'a> {
    cursors: &'a Cursors,
    principal: Option<&'a Principal>,
}

impl Cursors {
    pub(super) fn new(sealer: Arc<Sealer>, server: impl Into<String>, limits: &Limits) -> Self {
        Self {
            sealer,
            server: server.into(),
            ttl: limits.cursor_ttl,
            max_bytes: limits.cursor_bytes(),
        }
    }

    /// The cursors of `peer`.
    pub(super) fn of<'a>(&'a self, peer: &'a Peer) -> CursorsOf<'a> {
        CursorsOf {
            cursors: self,
            principal: peer.principal.as_ref(),
        }
    }
}

impl CursorsOf<'_> {
    /// The cursor for the entries after `position` in `listing`.
    pub(super) fn seal(&self, listing: &str, position: &str) -> Result<Cursor, ProtocolError> {
        let Cursors { sealer, ttl, .. } = self.cursors;
        sealer
            .seal(&self.purpose(listing), position, SystemTime::now(), *ttl)
            .map(Cursor::from)
            .map_err(|error| {
                ProtocolError::internal("The listing can't be continued").with_source(error)
            })
    }

    /// The position of `cursor` in `listing`. A cursor is invalid if it is forged, expired, or
    /// belongs to another listing, server or principal.
    pub(super) fn open(&self, listing: &str, cursor: &Cursor) -> Result<String, ProtocolError> {
        let Cursors {
            sealer, max_bytes, ..
        } = self.cursors;
        if cursor.as_str().len() > *max_bytes {
            return Err(InvalidParams::InvalidCursor.into());
        }
        sealer
            .open(&self.purpose(listing), cursor.as_str(), SystemTime::now())
            .map_err(|_| InvalidParams::InvalidCursor.into())
    }

    /// A page of a list that never changes, and the cursor of the next page. Names are unique in
    /// the list.
    pub(super) fn page<'a, T>(
        &self,
        listing: &str,
        all: &'a [T],
        name: impl Fn(&T) -> String,
        after: Option<&Cursor>,
        limit: usize,
    ) -> Result<(&'a [T], Option<Cursor>), ProtocolError> {
        let rest = match after {
            None => all,
            Some(cursor) => {
                let last = self.open(listing, cursor)?;
                let mut rest = all.iter();
                rest.find(|entry| name(entry) == last)
                    .ok_or(InvalidParams::InvalidCursor)?;
                rest.as_slice()
            }
        };
        let page = rest.get(..limit).unwrap_or(rest);
        let last = page.last().filter(|_| page.len() < rest.len());
        let next = last
            .map(|last| self.seal(listing, &name(last)))
            .transpose()?;
        Ok((page, next))
    }

    /// The purpose for which cursors are sealed. A client without a principal has one part less,
    /// which no name of a principal can imitate.
    fn purpose<'a>(&'a self, listing: &'a str) -> Vec<&'a str> {
        let principal = self.principal.map(Principal::as_str);
        ["cursor", &self.cursors.server, listing]
            .into_iter()
            .chain(principal)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use plainly_errors::Revision;
    use plainly_transport::seal::Keys;

    use super::*;

    fn cursors(server: &str, ttl: Duration) -> Cursors {
        let limits = Limits {
            cursor_ttl: ttl,
            ..Limits::default()
        };
        let sealer = Sealer::new(Some(Keys::new([7; 32])));
        Cursors::new(Arc::new(sealer), server, &limits)
    }

    fn peer(principal: Option<&str>) -> Peer {
        let peer = Peer::new(Revision::LATEST, Default::default(), None);
        peer.principal(principal.map(Principal::new))
    }

    #[test]
    fn a_cursor_opens_for_its_own_listing_of_its_own_server_only() {
        let hour = Duration::from_secs(60 * 60);
        let position = "file:///docs/a\nb";
        let nobody = peer(None);
        let given = cursors("notes", hour);
        let cursor = given.of(&nobody).seal("resources/list", position).unwrap();
        for (server, ttl, listing, is_good) in [
            ("notes", hour, "resources/list", true),
            // A cursor's lifetime is fixed when it is issued.
            ("notes", Duration::ZERO, "resources/list", true),
            ("notes", hour, "resources/list db://a", false),
            ("notes", hour, "tools/list", false),
            ("other", hour, "resources/list", false),
        ] {
            let opened = cursors(server, ttl).of(&nobody).open(listing, &cursor);
            let expected = is_good
                .then(|| position.to_owned())
                .ok_or(InvalidParams::InvalidCursor.into());
            assert_eq!(opened, expected, "{server} {listing}");
        }
    }

    #[test]
    fn a_cursor_opens_for_whom_it_was_given_out_alone() {
        let cursors = cursors("notes", Duration::from_secs(60));
        let all = [None, Some(""), Some("alice"), Some("bob")];
        for giver in all {
            let owner = peer(giver);
            let cursor = cursors.of(&owner).seal("tools/list", "add").unwrap();
            for taker in all {
                let opened = cursors.of(&peer(taker)).open("tools/list", &cursor);
                assert_eq!(opened.is_ok(), giver == taker, "{giver:?} {taker:?}");
            }
        }
    }
}
