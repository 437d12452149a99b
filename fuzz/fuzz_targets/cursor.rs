//! Any text as a cursor, and any position as one to seal: what is sealed opens, and nothing else does.

#![no_main]

#[path = "../../crates/plainly/src/server/cursor.rs"]
mod cursor;
#[path = "../../crates/plainly/src/server/seal.rs"]
mod seal;

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use plainly_protocol::types::Cursor;

fuzz_target!(|text: &str| {
    let cursors = cursor::Cursors::new(seal::Keys::random().unwrap(), "fuzz", Duration::MAX);
    assert!(cursors.open("tools/list", &Cursor::from(text)).is_err());
    let _ = text.parse::<seal::Keys>();
    let (listing, position) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let sealed = cursors.seal(listing, position).unwrap();
    assert_eq!(cursors.open(listing, &sealed).unwrap(), position);
});
