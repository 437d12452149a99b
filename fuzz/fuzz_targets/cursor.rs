//! Any text as a cursor, and any position to seal. Only sealed cursors may open.

#![no_main]

#[path = "../../crates/plainly-server/src/features/cursor.rs"]
#[expect(dead_code, reason = "the rest is for listings")]
mod cursor;

/// The limits, at the path where the module expects them.
mod limits {
    pub(crate) use plainly::limits::Limits;
}

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use libfuzzer_sys::fuzz_target;
use plainly_errors::Revision;
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{ClientCapabilities, Cursor};
use plainly_transport::seal::{Keys, Sealer};

fuzz_target!(|text: &str| {
    let mut limits = limits::Limits::default();
    limits.cursor_ttl = Duration::MAX;
    limits.uri_bytes = usize::MAX;
    let sealer = Arc::new(Sealer::new(Some(Keys::new([7; 32]))));
    let cursors = cursor::Cursors::new(sealer, "fuzz", &limits);
    let anybody = Peer::new(Revision::LATEST, ClientCapabilities::new(), None);
    let cursors = cursors.of(&anybody);
    let bytes = URL_SAFE_NO_PAD.encode(text);
    for cursor in [text, &bytes] {
        assert!(cursors.open("tools/list", &Cursor::from(cursor)).is_err());
    }
    let _ = text.parse::<Keys>();
    let (listing, position) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let sealed = cursors.seal(listing, position).unwrap();
    assert_eq!(cursors.open(listing, &sealed).unwrap(), position);
    for forged in forgeries(sealed.as_str(), text) {
        assert!(cursors.open(listing, &Cursor::from(forged)).is_err());
    }
});

/// Forgeries of the sealed text: with a letter replaced, removed or added, as the bytes of `text`
/// determine.
fn forgeries(sealed: &str, text: &str) -> Vec<String> {
    let mut bytes = text.bytes().map(usize::from);
    let at = bytes.next().unwrap_or(0) % sealed.len();
    let with = bytes.next().unwrap_or(0);
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ";
    let letter = &letters[with % letters.len()..][..1];
    let (before, rest) = sealed.split_at(at);
    let last = &sealed[..sealed.len() - 1];
    [
        format!("{before}{letter}{}", &rest[1..]),
        // Changes bits beyond the last byte.
        format!("{last}{letter}"),
        format!("{before}{letter}{rest}"),
        before.to_owned(),
        format!("{sealed}{letter}"),
    ]
    .into_iter()
    .filter(|forged| forged != sealed)
    .collect()
}
