//! Cursors: opaque to clients, self-contained for us, so that any process that serves the same things can continue a
//! listing. Each is bound to the listing that it was given out for.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::Cursor;

/// Parts `listing` from `position`.
const SEPARATOR: char = '\n';

/// The cursor for what comes after `position` in `listing`.
pub(super) fn seal(listing: &str, position: &str) -> Cursor {
    Cursor::from(URL_SAFE_NO_PAD.encode(format!("{listing}{SEPARATOR}{position}")))
}

/// The position that `cursor` names in `listing`; a cursor of another listing, or of nobody, is invalid.
pub(super) fn open(listing: &str, cursor: &Cursor) -> Result<String, ProtocolError> {
    let position = || {
        let bytes = URL_SAFE_NO_PAD.decode(cursor.as_str()).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let position = text.strip_prefix(listing)?.strip_prefix(SEPARATOR)?;
        Some(position.to_owned())
    };
    position().ok_or_else(|| InvalidParams::InvalidCursor.into())
}

/// One page of a list that is fixed, and where the next one begins. Names are unique in it.
pub(super) fn page<'a, T>(
    listing: &str,
    all: &'a [T],
    name: impl Fn(&T) -> String,
    after: Option<&Cursor>,
    limit: usize,
) -> Result<(&'a [T], Option<Cursor>), ProtocolError> {
    let rest = match after {
        None => all,
        Some(cursor) => {
            let last = open(listing, cursor)?;
            let mut rest = all.iter();
            rest.find(|entry| name(entry) == last)
                .ok_or(InvalidParams::InvalidCursor)?;
            rest.as_slice()
        }
    };
    let page = rest.get(..limit).unwrap_or(rest);
    let last = page.last().filter(|_| page.len() < rest.len());
    Ok((page, last.map(|last| seal(listing, &name(last)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_opens_for_its_own_listing_only() {
        let cursor = seal("resources", "file:///docs/a\nb");
        assert_eq!(open("resources", &cursor).unwrap(), "file:///docs/a\nb");
        assert!(open("tools", &cursor).is_err());
    }

    #[test]
    fn a_listing_of_any_name_can_be_continued() {
        for listing in ["", "resources db://a\nb", "\n", "é"] {
            for position in ["", "\n", "last"] {
                let cursor = seal(listing, position);
                assert_eq!(open(listing, &cursor).unwrap(), position, "{listing:?}");
            }
        }
    }

    #[test]
    fn what_we_never_gave_out_is_invalid() {
        for text in ["", "null", "%", "AAAA", "cmVzb3VyY2Vz", "ZmlsZQ==", "é"] {
            let error = open("resources", &Cursor::from(text.to_owned())).unwrap_err();
            assert_eq!(error, InvalidParams::InvalidCursor.into(), "{text}");
        }
    }
}
