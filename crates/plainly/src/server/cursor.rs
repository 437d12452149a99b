//! Cursors: sealed positions, so that any process that serves the same things under the same name with the same key can
//! continue a listing, and nobody can make one up. Each is bound to the listing that it was given out for.

use std::time::{Duration, SystemTime};

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::Cursor;

use super::seal::Keys;

/// Gives out cursors and takes them back.
#[derive(Debug)]
pub(super) struct Cursors {
    keys: Keys,
    /// The name of the server whose they are.
    server: String,
    ttl: Duration,
}

impl Cursors {
    pub(super) fn new(keys: Keys, server: impl Into<String>, ttl: Duration) -> Self {
        Self {
            keys,
            server: server.into(),
            ttl,
        }
    }

    /// The cursor for what comes after `position` in `listing`.
    pub(super) fn seal(&self, listing: &str, position: &str) -> Result<Cursor, ProtocolError> {
        self.keys
            .seal(
                &self.purpose(listing),
                position,
                SystemTime::now(),
                self.ttl,
            )
            .map(Cursor::from)
            .map_err(|error| {
                ProtocolError::internal("The listing can't be continued").with_source(error)
            })
    }

    /// The position that `cursor` names in `listing`; a cursor of another listing or server, of nobody, or of too long ago
    /// is invalid.
    pub(super) fn open(&self, listing: &str, cursor: &Cursor) -> Result<String, ProtocolError> {
        self.keys
            .open(&self.purpose(listing), cursor.as_str(), SystemTime::now())
            .map_err(|_| InvalidParams::InvalidCursor.into())
    }

    /// One page of a list that is fixed, and where the next one begins. Names are unique in it.
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

    fn purpose<'a>(&'a self, listing: &'a str) -> [&'a str; 3] {
        ["cursor", &self.server, listing]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(server: &str, ttl: Duration) -> Cursors {
        Cursors::new(Keys::new([7; 32]), server, ttl)
    }

    #[test]
    fn a_cursor_opens_for_its_own_listing_of_its_own_server_only() {
        let hour = Duration::from_secs(60 * 60);
        let position = "file:///docs/a\nb";
        let cursor = of("notes", hour).seal("resources/list", position).unwrap();
        for (server, ttl, listing, is_good) in [
            ("notes", hour, "resources/list", true),
            // How long it is good was settled when it was given out.
            ("notes", Duration::ZERO, "resources/list", true),
            ("notes", hour, "resources/list db://a", false),
            ("notes", hour, "tools/list", false),
            ("other", hour, "resources/list", false),
        ] {
            let opened = of(server, ttl).open(listing, &cursor);
            let expected = is_good
                .then(|| position.to_owned())
                .ok_or(InvalidParams::InvalidCursor.into());
            assert_eq!(opened, expected, "{server} {listing}");
        }
    }
}
