//! What the published crates need stands in docs/dependencies.md, each with what it is for, and nothing else does.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().to_owned()
}

/// What a manifest declares for what is built from it, on any platform; not for its tests.
fn declared(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut is_wanted = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            is_wanted = section == "dependencies" || section.ends_with(".dependencies");
        } else if is_wanted && !line.is_empty() && !line.starts_with('#') {
            let name = line.split(['.', ' ', '=']).next().unwrap();
            names.insert(name.to_owned());
        }
    }
    names
}

/// The names in the first columns of the tables.
fn told(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.flat_map(|row| row.split(" | ").next().unwrap().split(", "));
    names
        .map(|name| name.trim_matches('`').to_owned())
        .collect()
}

#[test]
fn each_dependency_has_a_row_that_says_why() {
    let mut needed = BTreeSet::new();
    for package in [
        "plainly",
        "plainly-cli",
        "plainly-directory",
        "plainly-errors",
        "plainly-protocol",
        "plainly-schema",
    ] {
        let manifest = root().join("crates").join(package).join("Cargo.toml");
        let declared = declared(&fs::read_to_string(manifest).unwrap());
        assert!(declared.contains("serde_json"), "{declared:?}");
        needed.extend(declared);
    }
    needed.retain(|name| !name.starts_with("plainly"));
    let page = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    assert_eq!(told(&page), needed);
}

#[test]
fn a_row_can_name_several() {
    let page = "| crate | what for |\n|---|---|\n| `a`, `b-c` | x `d` |\n| one | `e` |\n";
    let expected = ["a", "b-c"].map(str::to_owned);
    assert_eq!(told(page), BTreeSet::from(expected));
}
