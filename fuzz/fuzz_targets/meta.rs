//! Any JSON object as `_meta`. It must introduce its sender, or its invalid keys must be named.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_protocol::envelope::{Limits, parse_object};
use plainly_protocol::meta::{PROTOCOL_VERSION, RequestMeta};

fuzz_target!(|json: &str| {
    let params = format!(r#"{{"_meta":{json}}}"#);
    let Ok(params) = parse_object(&params, &Limits::default()) else {
        return;
    };
    let meta = RequestMeta::of(Some(&params));
    let _ = meta.progress_token();
    let wrong = meta.wrong_keys();
    assert_eq!(
        meta.protocol_version().is_none(),
        wrong.iter().any(|key| key == PROTOCOL_VERSION)
    );
    assert_eq!(meta.introduction().is_some(), wrong.is_empty());
    let _ = meta.is_malformed();
});
