//! Any text, as a value to encode and as a header to decode.

#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use plainly_protocol::header::{decode, encode};

fuzz_target!(|text: &str| {
    let header = encode(text);
    assert!(
        header
            .bytes()
            .all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
    );
    assert_eq!(header.trim_matches([' ', '\t']), header);
    assert_eq!(decode(&header), Ok(Cow::Borrowed(text)));

    // An encoded value must have only one spelling.
    if let Ok(Cow::Owned(value)) = decode(text) {
        let again = encode(&value);
        assert!(again == value || again == text.trim_matches([' ', '\t']));
    }
});
