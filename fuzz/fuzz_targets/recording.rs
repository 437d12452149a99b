//! Any bytes as a recording, which must be read or rejected with a line number; and as a message
//! between a client and a server, which must be masked and stay on one line as the same JSON.

#![no_main]

#[path = "../../crates/plainly-commands/src/trace/recording.rs"]
#[expect(dead_code, reason = "the rest is for those who replay")]
mod recording;
#[path = "../../crates/plainly-commands/src/shell_word.rs"]
mod shell_word;
#[path = "../../crates/plainly-commands/src"]
#[expect(dead_code, reason = "the rest is for headers and commands")]
mod rooms {
    pub(crate) mod secrets;
}

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;

use self::recording::{Recording, RecordingHeader, Side, line, to_line};
use self::rooms::secrets::Mask;

fuzz_target!(|bytes: &[u8]| {
    let lines = bytes.split(|byte| *byte == b'\n').count();
    match Recording::read(bytes) {
        Ok(recording) => {
            let messages = recording.messages.iter();
            assert!(messages.map(|message| message.line).is_sorted());
            assert!(
                recording
                    .messages
                    .iter()
                    .all(|message| message.line <= lines)
            );
        }
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
    let masked = Mask::default().json(bytes);
    if let Some(masked) = &masked {
        // Numbers are kept as written, and some are out of range for a `Value`.
        if let Ok(before) = serde_json::from_slice::<Value>(bytes) {
            let after: Value = serde_json::from_str(masked).expect("it is JSON");
            assert_eq!(is_like(&before), is_like(&after));
        }
        assert!(!masked.contains('\n'));
    }
    let text = String::from_utf8_lossy(bytes);
    let passed = masked.as_deref().ok_or(&*text);
    let kept = line(Duration::ZERO, Side::Server, passed);
    assert_eq!(kept.lines().count(), 1);
    let kept = to_line(&RecordingHeader::new("fuzz".to_owned())) + &kept;
    let read = Recording::read(kept.as_bytes());
    assert!(read.is_ok() || masked.is_some());
});

/// The type of the value, and the length of a list.
fn is_like(value: &Value) -> (u8, usize) {
    match value {
        Value::Null => (0, 0),
        Value::Bool(_) => (1, 0),
        Value::Number(_) => (2, 0),
        Value::String(_) => (3, 0),
        Value::Array(values) => (4, values.len()),
        Value::Object(_) => (5, 0),
    }
}
