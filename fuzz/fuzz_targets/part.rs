//! A URI with a fragment that names a part. Writing the part again must name the same part.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_protocol::part::Part;

fuzz_target!(|uri: &str| {
    let Some((resource, Ok(part))) = Part::of(uri) else {
        return;
    };
    assert!(uri.starts_with(resource));
    let written = part.uri(resource);
    assert_eq!(Part::of(&written), Some((resource, Ok(part))));
});
