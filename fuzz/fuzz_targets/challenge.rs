//! Any text as a value of `WWW-Authenticate`. A parsed challenge must be the same after writing and
//! parsing it again, and must not come from quoted text.

#![no_main]

#[path = "../../crates/plainly-client/src/error/challenge/grammar.rs"]
mod grammar;

use grammar::WrittenChallenge;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (found, broken) = grammar::read(text);
    let written: Vec<_> = found.iter().map(write).collect();
    assert_eq!(grammar::read(&written.join(" ,\t, ")), (found, None));
    if let Some((broken, why)) = broken {
        assert!(!why.is_empty() && text.contains(broken.scheme));
    }

    // As the value of a parameter, the text must not change.
    if text.contains(|it: char| it.is_control() && it != '\t') {
        return;
    }
    let challenge = WrittenChallenge {
        scheme: "Basic",
        parameters: vec![("realm", text.to_owned())],
    };
    let written = write(&challenge);
    assert_eq!(grammar::read(&written), (vec![challenge], None));
});

fn write(challenge: &WrittenChallenge<'_>) -> String {
    let parameters = challenge.parameters.iter();
    let parameters = parameters.map(|(name, value)| {
        let value = value.replace('\\', r"\\").replace('"', "\\\"");
        format!("{name}=\"{value}\"")
    });
    let parameters: Vec<_> = parameters.collect();
    format!("{} {}", challenge.scheme, parameters.join(","))
}
