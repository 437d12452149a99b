//! What must stay true of the source itself, as ARCHITECTURE.md promises.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file below `directory`, by its path from the root, with its text.
fn sources(directory: &str) -> Vec<(String, String)> {
    let mut waiting = vec![root().join(directory)];
    let mut sources = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
            sources.push((name.replace('\\', "/"), fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(!sources.is_empty(), "nothing in {directory}");
    sources
}

/// The code of a file: neither comments nor the tests at its end.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .take_while(|line| *line != "#[cfg(test)]")
        .filter(|line| !line.trim_start().starts_with("//"))
}

/// No file below `directory`, except those `in` it that are named, has any of these words in its code.
#[track_caller]
fn without(directory: &str, words: &[&str], except: &[&str]) {
    for (name, text) in sources(directory) {
        if except.contains(&name.as_str()) {
            continue;
        }
        for line in code(&text) {
            let found = words.iter().find(|word| line.contains(**word));
            assert_eq!(found, None, "{name}: {line}");
        }
    }
}

#[test]
fn every_file_says_first_what_it_is() {
    for directory in ["crates", "tests", "interop", "fuzz/fuzz_targets"] {
        for (name, text) in sources(directory) {
            assert!(
                text.starts_with("//! ") || text.starts_with("#!["),
                "{name}"
            );
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
    without("crates/plainly/src/transport", &words, &[]);
}

#[test]
fn handlers_and_extractors_know_no_era() {
    for directory in [
        "crates/plainly/src/server/extract",
        "crates/plainly/src/server/reply",
        "crates/plainly/src/store",
    ] {
        without(directory, &["Era", "Revision", "revision"], &[]);
    }
    let handler = fs::read_to_string(root().join("crates/plainly/src/server/handler.rs")).unwrap();
    assert!(code(&handler).all(|line| !line.contains("Revision")));
}

#[test]
fn only_the_registry_knows_numbers() {
    // The bounds of the ranges stand beside the type that knows them.
    let knowing = [
        "crates/plainly-errors/src/registry.rs",
        "crates/plainly-errors/src/code.rs",
    ];
    for directory in [
        "crates/plainly-errors/src",
        "crates/plainly-protocol/src",
        "crates/plainly/src",
        "crates/plainly-cli/src",
    ] {
        without(directory, &["-32"], &knowing);
    }
}

#[test]
fn what_is_said_and_what_can_go_wrong_needs_no_runtime() {
    for package in ["plainly-errors", "plainly-protocol"] {
        let manifest =
            fs::read_to_string(root().join("crates").join(package).join("Cargo.toml")).unwrap();
        assert!(!manifest.contains("tokio"), "{package}");
        let directory = format!("crates/{package}/src");
        without(
            &directory,
            &["std::fs", "std::net", "std::env", "async fn", ".unwrap()"],
            &[],
        );
    }
}

#[test]
fn a_local_error_can_not_be_written_to_a_peer() {
    without("crates/plainly/src/client/error.rs", &["Serialize"], &[]);
}

#[test]
fn only_the_stdio_transport_and_the_binary_write_to_standard_output() {
    without(
        "crates/plainly/src",
        &["io::stdout", "print!", "println!"],
        &["crates/plainly/src/server/stdio.rs"],
    );
    without(
        "crates/plainly-cli/src",
        &["io::stdout", "print!", "println!"],
        &["crates/plainly-cli/src/output.rs"],
    );
}

#[test]
fn no_message_is_decoded_by_trying() {
    // One block of content of an unknown type is kept as it is: that attribute only writes.
    let content = "crates/plainly-protocol/src/types/content.rs";
    for directory in [
        "crates/plainly-errors/src",
        "crates/plainly-protocol/src",
        "crates/plainly/src",
    ] {
        without(directory, &["serde(untagged)"], &[content]);
    }
}
