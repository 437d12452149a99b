//! Any text as a cursor, and any position as one to seal: what is sealed opens, and nothing else does.

#![no_main]

#[path = "../../crates/plainly/src/server/cursor.rs"]
mod cursor;

use libfuzzer_sys::fuzz_target;
use plainly_protocol::types::Cursor;

fuzz_target!(|text: &str| {
    if let Ok(position) = cursor::open("tools", &Cursor::from(text.to_owned())) {
        assert_eq!(cursor::seal("tools", &position).as_str(), text);
    }
    let (listing, position) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let sealed = cursor::seal(listing, position);
    assert_eq!(cursor::open(listing, &sealed).unwrap(), position);
});
