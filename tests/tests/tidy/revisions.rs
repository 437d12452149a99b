//! What differs between revisions stands in tables: nobody else names one, or asks which is older.

use crate::facts::Word;
use crate::source::Crate;
use crate::source::Module;
use crate::workspace::{breaches, count_in, is_in, modules};

/// The tables, and what reads the evidence of an era. Nothing but these names `Revision::V…` or `Era::…`, or compares two
/// revisions; ask `revision.traits()`, `Method::is_in` or `Feature::is_in`.
const TABLES: &[&str] = &[
    "crates/plainly-errors/src/revision",
    "crates/plainly-protocol/src/method.rs",
    "crates/plainly-protocol/src/question.rs",
    "crates/plainly-protocol/src/shape",
    "crates/plainly-client/src/connect/handshake.rs",
    "crates/plainly-server/src/resolve.rs",
];

fn names_one(words: &[Word]) -> bool {
    let [first, colons, name, ..] = words else {
        return false;
    };
    let is_revision = first.text == "Revision" && name.text.starts_with("V2");
    let is_era = first.text == "Era" && name.text.starts_with(char::is_uppercase);
    colons.text == "::" && (is_revision || is_era)
}

#[test]
fn revisions_are_named_in_tables_alone() {
    assert_eq!(breaches(TABLES, names_one), [""; 0]);
}

/// Where a module asks which revision is less than another.
fn comparisons(module: &Module) -> Vec<String> {
    let found = module.facts.comparisons.iter();
    found
        .filter(|found| found.text.to_lowercase().contains("revision"))
        .map(|found| format!("{}:{}: {}", module.file, found.line, found.text))
        .collect()
}

#[test]
fn revisions_are_compared_in_tables_alone() {
    let found = modules()
        .filter(|module| !is_in(&module.file, &["crates/plainly-errors/src/revision"]))
        .flat_map(comparisons);
    assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_revision_that_is_named_or_compared_is_found() {
    for named in [
        "fn f() { x == Revision::V2025_03_26 }",
        "fn f() { matches!(era, Era::Modern) }",
        "use a::Era; const X: Era = Era::Legacy;",
        "fn f() { match r { errors::Revision::V2026_07_28 => {} } }",
    ] {
        assert_eq!(count_in(named, names_one), 1, "{named}");
    }
    for good in [
        "fn f(r: Revision) -> Revision { Revision::LATEST }",
        "#[cfg(test)] fn f() { Era::Modern }",
    ] {
        assert_eq!(count_in(good, names_one), 0, "{good}");
    }
    let compares = |text: &str| comparisons(&Crate::made_up(&[("lib.rs", text)]).modules[0]).len();
    assert_eq!(
        compares("fn f() { if peer.revision() >= oldest { g() } }"),
        1
    );
    assert_eq!(
        compares("fn f() { matches!(x, y) && newest < Revision::LATEST }"),
        1
    );
    assert_eq!(compares("fn f(x: Vec<Revision>) { x.len() > 1 }"), 0);
}
