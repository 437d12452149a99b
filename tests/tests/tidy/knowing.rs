//! Which part must not know what: the words that may not stand in its code, and the paths it may not name.

use crate::source::{Crate, Module};
use crate::workspace;

/// A place, what it may not know, and the files in it that may all the same.
const RULES: &[(&str, &[&str], &[&str])] = &[
    // A transport never sees a method name or a typed result.
    (
        "crates/plainly-transport/src",
        &["protocol::types", "protocol::method"],
        &[],
    ),
    (
        "crates/plainly-http/src",
        &["protocol::types", "protocol::method"],
        &[],
    ),
    // Nor does what reads and writes HTTP for a client.
    (
        "crates/plainly-client/src/http/endpoint.rs",
        &["protocol::types", "protocol::method"],
        &[],
    ),
    // Handlers, extractors and stores never see an era.
    ("crates/plainly-server/src/extract", ERAS, &[]),
    ("crates/plainly-server/src/reply", ERAS, &[]),
    ("crates/plainly-server/src/handler.rs", ERAS, &[]),
    ("crates/plainly-server/src/store", ERAS, &[]),
    ("crates/plainly-store/src", ERAS, &[]),
    ("crates/plainly-directory/src", ERAS, &[]),
    // A local error can't be written to a peer.
    ("crates/plainly-client/src/error.rs", &["Serialize"], &[]),
    // No message is decoded by trying one type after another. What is read knows its type first; in these files the
    // attribute only writes, or keeps a block of an unknown type whole.
    ("crates/plainly-errors/src", &["untagged"], &[]),
    (
        "crates/plainly-protocol/src",
        &["untagged"],
        &[
            "types/content.rs",
            "types/form/member.rs",
            "types/sampling.rs",
        ],
    ),
    ("crates/plainly-auth/src", &["untagged"], &[]),
    ("crates/plainly-client/src", &["untagged"], &[]),
    ("crates/plainly-http/src", &["untagged"], &[]),
    ("crates/plainly-server/src", &["untagged"], &[]),
    ("crates/plainly-store/src", &["untagged"], &[]),
    ("crates/plainly-transport/src", &["untagged"], &[]),
    ("crates/plainly-directory/src", &["untagged"], &[]),
    // Messages pass without a tree of values.
    ("crates/plainly-protocol/src/envelope", TREES, &[]),
    ("crates/plainly-server/src/dispatch.rs", TREES, &[]),
    ("crates/plainly-server/src/incoming/connection", TREES, &[]),
    ("crates/plainly-server/src/incoming/exchange.rs", TREES, &[]),
    ("crates/plainly-server/src/outgoing/encode.rs", TREES, &[]),
];

const ERAS: &[&str] = &["Era", "Revision", "revision"];
const TREES: &[&str] = &["Value"];
/// Which are no trees.
const OTHER_VALUES: &[&str] = &["HeaderValue", "V::Value"];

/// Where a module knows one of `words`: in a path, or as a part of any word.
fn known(module: &Module, words: &[&str]) -> Vec<String> {
    let paths = module
        .references()
        .map(|(path, line)| (path.join("::"), line));
    // What follows a colon is of a path.
    let words_alone = module.facts.words.windows(2);
    let words_alone = words_alone.filter(|pair| !pair[0].text.ends_with("::"));
    let all = words_alone.map(|pair| (pair[1].text.clone(), pair[1].line));
    all.chain(paths)
        .filter(|(text, _)| {
            let text = OTHER_VALUES
                .iter()
                .fold(text.clone(), |text, other| text.replace(other, ""));
            words.iter().any(|word| text.contains(word))
        })
        .map(|(text, line)| format!("{}:{line}: {text}", module.file))
        .collect()
}

#[test]
fn each_part_knows_nothing_but_what_it_should() {
    for (place, words, except) in RULES {
        let mut of_place = workspace::modules()
            .filter(|module| module.file.starts_with(place))
            .peekable();
        assert!(of_place.peek().is_some(), "{place} is gone");
        let found: Vec<_> = of_place
            .filter(|module| !except.iter().any(|except| module.file.ends_with(except)))
            .flat_map(|module| known(module, words))
            .collect();
        assert_eq!(found, [""; 0]);
    }
}

#[test]
fn what_may_not_be_known_is_found_however_it_is_named() {
    for (text, words) in [
        (
            "use plainly_protocol::{id, types::{self, Tool}};",
            "protocol::types",
        ),
        ("fn f() { super::super::server::g() }", "crate::server"),
        ("use super::super::{client, limits};", "crate::client"),
        ("#[serde(untagged)] enum A {}", "untagged"),
        ("fn f(now: &RevisionRow) {}", "Revision"),
    ] {
        let root = "mod outer { mod inner; }";
        let source = Crate::made_up(&[("lib.rs", root), ("outer/inner.rs", text)]);
        let found: Vec<_> = source
            .modules
            .iter()
            .flat_map(|module| known(module, &[words]))
            .collect();
        assert!(
            found
                .iter()
                .any(|found| found.starts_with("src/outer/inner.rs:1")),
            "{text}: {found:?}"
        );
    }
    let good =
        "/// No Value.\nfn f(x: HeaderValue) -> V::Value {} #[cfg(test)] use serde_json::Value;";
    let source = Crate::made_up(&[("lib.rs", good)]);
    assert_eq!(known(&source.modules[0], TREES), [""; 0]);
}
