//! The frontmatter of a skill as JSON. A converted frontmatter must equal itself after repeated
//! conversions, and no text may need more than a limited number of values.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_protocol::types::JsonObject;
use plainly_skills::Frontmatter;

fuzz_target!(|text: &str| {
    let Ok(frontmatter) = Frontmatter::of(&format!("---\n{text}\n---\n")) else {
        return;
    };
    let Ok(json) = frontmatter.to_json() else {
        return;
    };
    assert_eq!(frontmatter.compare(&json), Ok(()), "it differs from itself");
    let written = serde_json::to_string(&json).expect("it is JSON");
    let read: JsonObject = serde_json::from_str(&written).expect("it is JSON");
    assert_eq!(
        frontmatter.compare(&read),
        Ok(()),
        "it differs once it was sent"
    );
});
