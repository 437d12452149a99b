//! What the published crates need: nothing that is not in docs/dependencies.md with what it is for, the lower two no I/O, and
//! `serde_json` as it is by default.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Map, Value};

use crate::workspace::root;

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
        "plainly-auth",
        "plainly-cli",
        "plainly-client",
        "plainly-directory",
        "plainly-errors",
        "plainly-http",
        "plainly-oauth",
        "plainly-protocol",
        "plainly-schema",
        "plainly-server",
        "plainly-store",
        "plainly-transport",
    ] {
        let manifest = root().join("crates").join(package).join("Cargo.toml");
        let declared = declared(&fs::read_to_string(manifest).unwrap());
        assert!(!declared.is_empty(), "{package}");
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

/// The packages in the lock file, and what each needs.
fn locked() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for block in text.split("[[package]]").skip(1) {
        let quoted = |line: &str| line.split('"').nth(1).map(str::to_owned);
        let name = block.lines().find(|line| line.starts_with("name = "));
        let name = name.and_then(quoted).unwrap();
        let needs = block.lines().filter(|line| line.starts_with(" \""));
        let needs = needs
            .filter_map(quoted)
            .filter_map(|need| need.split(' ').next().map(str::to_owned));
        packages.entry(name).or_default().extend(needs);
    }
    packages
}

/// The dependencies that a manifest declares, without those of its tests and those that have to be asked for.
fn always_needed(package: &str) -> Vec<String> {
    let manifest = root().join("crates").join(package).join("Cargo.toml");
    let text = fs::read_to_string(manifest).unwrap();
    let section = text
        .split("\n[")
        .find_map(|part| part.strip_prefix("dependencies]"));
    let lines = section.expect("it has dependencies").lines();
    let name = |line: &str| {
        line.split(['.', ' ', '='])
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    lines
        .filter(|line| !line.trim().is_empty() && !line.contains("optional = true"))
        .map(name)
        .collect()
}

#[test]
fn what_is_said_and_what_can_go_wrong_know_no_io() {
    let locked = locked();
    for package in ["plainly-errors", "plainly-protocol", "plainly-schema"] {
        let mut waiting = always_needed(package);
        assert!(
            waiting.iter().any(|name| name == "serde_json"),
            "{waiting:?}"
        );
        let mut seen = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            // In the lock file our own packages also need what their tests need.
            let needs = match name.starts_with("plainly") {
                true => always_needed(&name),
                false => locked[&name].iter().cloned().collect(),
            };
            if seen.insert(name) {
                waiting.extend(needs);
            }
        }
        for io in [
            "tokio",
            "mio",
            "hyper",
            "reqwest",
            "futures-util",
            "async-std",
        ] {
            assert!(!seen.contains(io), "{package} needs {io}: {seen:?}");
        }
    }
}

/// Features are united over all of a build: any dependency could turn these on for us.
#[test]
fn serde_json_is_as_we_know_it() {
    let precise: Result<Value, _> = serde_json::from_str("1e400");
    assert!(precise.is_err(), "arbitrary_precision is on");
    let number: Value = serde_json::from_str("1.0").unwrap();
    assert_eq!(number.as_f64(), Some(1.0));
    let rounded: Value = serde_json::from_str("0.1000000000000000055511151231257827").unwrap();
    assert_eq!(rounded.to_string(), "0.1", "arbitrary_precision is on");
    let map: Map<String, Value> = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
    let keys: Vec<_> = map.keys().collect();
    assert_eq!(keys, ["a", "b"], "preserve_order is on");
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(serde_json::from_str::<Value>(&nested(127)).is_ok());
    assert!(
        serde_json::from_str::<Value>(&nested(128)).is_err(),
        "depth is unbounded"
    );
}
