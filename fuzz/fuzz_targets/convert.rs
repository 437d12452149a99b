//! Any bytes as a file of every convertible format. The converted text must be limited, and must
//! not contain terminal commands. The first byte determines the maximum size.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_convert::{Csv, Html, Json};
use plainly_fuzz::converted;

fuzz_target!(|input: &[u8]| {
    let Some((&room, content)) = input.split_first() else {
        return;
    };
    let room = usize::from(room) << 8;
    for mime_type in ["text/html", "application/xhtml+xml"] {
        converted(&Html::new(), mime_type, content, room);
    }
    for mime_type in ["text/csv", "text/tab-separated-values"] {
        let table = converted(&Csv::new(), mime_type, content, room);
        for line in table.iter().flat_map(|table| table.lines()) {
            assert!(line.starts_with('|') && line.ends_with('|'), "{line}");
        }
    }
    let indented = converted(&Json::new(), "application/json", content, room);
    if let Some(indented) = indented.filter(|text| !text.is_empty()) {
        same_value(content, &indented);
    }
});

/// Checks that only the white space between values has changed.
fn same_value(content: &[u8], indented: &str) {
    let text = String::from_utf8_lossy(content);
    if text.contains(|letter: char| letter.is_control() && !"\n\t\r".contains(letter)) {
        return;
    }
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}'))
    else {
        return;
    };
    let again = serde_json::from_str::<serde_json::Value>(indented);
    assert!(again.is_ok_and(|again| again == value), "{indented}");
}
