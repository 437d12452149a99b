//! Which part of the library must not know what: the words that may not stand in its code.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file at `path`, or below it.
fn sources(path: PathBuf) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path];
    }
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    entries
        .flat_map(|entry| sources(entry.unwrap().path()))
        .collect()
}

/// No code at `place`, tests and comments aside, has any of these words; what stands in `except` is not looked at.
#[track_caller]
fn knows_nothing_of(place: &str, words: &[&str], except: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for path in sources(root.join(place)) {
        if except.iter().any(|except| path.ends_with(except)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text
            .lines()
            .take_while(|line| *line != "#[cfg(test)]")
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let found = words.iter().find(|word| line.contains(**word));
            assert_eq!(found, None, "{}: {line}", path.display());
        }
    }
}

#[test]
fn a_transport_knows_no_method_and_no_result() {
    let words = [
        "protocol::types",
        "protocol::method",
        "crate::server",
        "crate::client",
    ];
    knows_nothing_of("plainly/src/transport", &words, &[]);
}

#[test]
fn handlers_extractors_and_stores_know_no_era() {
    for place in [
        "plainly/src/server/extract",
        "plainly/src/server/reply",
        "plainly/src/server/handler.rs",
        "plainly/src/store",
        "plainly-directory/src",
    ] {
        knows_nothing_of(place, &["Era", "Revision", "revision"], &[]);
    }
}

#[test]
fn a_local_error_can_not_be_written_to_a_peer() {
    knows_nothing_of("plainly/src/client/error.rs", &["Serialize"], &[]);
}

#[test]
fn no_message_is_decoded_by_trying() {
    // What is read knows its type first; there the attribute only writes, or keeps a block of an unknown type whole.
    let except = [
        "types/content.rs",
        "types/form/member.rs",
        "types/sampling.rs",
    ];
    for place in [
        "plainly-errors/src",
        "plainly-protocol/src",
        "plainly/src",
        "plainly-directory/src",
    ] {
        knows_nothing_of(place, &["untagged"], &except);
    }
}
