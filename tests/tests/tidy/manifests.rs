//! The manifests: the models need no I/O, and the documentation lists the features.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::workspace::{read, root};

#[test]
fn what_is_said_and_what_can_go_wrong_know_no_io() {
    for package in ["plainly-errors", "plainly-protocol", "plainly-schema"] {
        let tree = Command::new(env!("CARGO"))
            .args([
                "tree",
                "--offline",
                "--edges",
                "normal",
                "--prefix",
                "none",
                "--package",
                package,
            ])
            .current_dir(root())
            .output()
            .unwrap();
        let tree = String::from_utf8(tree.stdout).unwrap();
        let names: BTreeSet<_> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert!(names.contains("serde_json"), "{tree}");
        for io in [
            "tokio",
            "mio",
            "hyper",
            "reqwest",
            "futures-util",
            "async-std",
        ] {
            assert!(!names.contains(io), "{package} needs {io}:\n{tree}");
        }
    }
}

/// The features of a manifest in their order, each with the features that it enables.
fn features(manifest: &str) -> Vec<(&str, Vec<&str>)> {
    let (_, section) = manifest.split_once("\n[features]\n").expect("it has some");
    let section = section.split("\n[").next().unwrap();
    let lines = section.lines().filter_map(|line| line.split_once(" = "));
    lines
        .map(|(name, list)| (name, list.split('"').skip(1).step_by(2).collect()))
        .collect()
}

/// The cell of each feature in the column `default`.
fn defaults(manifest: &str) -> BTreeMap<&str, String> {
    let features = features(manifest);
    let of = |wanted: &str| features.iter().find(|(name, _)| *name == wanted);
    let on = of("default").map(|(_, on)| &**on).unwrap_or_default();
    let cell = |name: &str| if on.contains(&name) { "yes" } else { "no" }.to_owned();
    let names = features.iter().map(|(name, _)| *name);
    let names = names.filter(|name| *name != "default");
    names.map(|name| (name, cell(name))).collect()
}

/// The rows of a table of features in the documentation of a crate.
fn documented(source: &str) -> BTreeMap<&str, String> {
    let (_, table) = source
        .split_once("//! | feature | default | adds |\n//! |---|---|---|\n")
        .expect("it has a table of features");
    let rows = table.lines().map_while(|line| line.strip_prefix("//! | "));
    let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
    cells
        .flat_map(|cells| {
            let names = cells[0].split(", ").map(|name| name.trim_matches('`'));
            let default = cells[1].to_owned();
            names.map(move |name| (name, default.clone()))
        })
        .collect()
}

#[test]
fn each_feature_has_a_row_in_the_documentation_of_its_crate() {
    for package in [
        "plainly",
        "plainly-convert",
        "plainly-directory",
        "plainly-schema",
    ] {
        let manifest = read(&format!("crates/{package}/Cargo.toml"));
        let source = read(&format!("crates/{package}/src/lib.rs"));
        assert_eq!(documented(&source), defaults(&manifest), "{package}");
    }
}

#[test]
fn the_readme_says_which_features_are_on_by_default() {
    let manifest = read("crates/plainly/Cargo.toml");
    let list = |default: &str| {
        let all = defaults(&manifest);
        let order = features(&manifest).into_iter().map(|(name, _)| name);
        let names = order.filter(|name| all.get(name).is_some_and(|cell| cell == default));
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>()
    };
    let readme = read("crates/plainly/README.md")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for (default, names) in [("yes", list("yes")), ("no", list("no"))] {
        let (last, others) = names.split_last().unwrap();
        let expected = format!("{} and {last}", others.join(", "));
        assert!(readme.contains(&expected), "{default}: {expected}");
    }
}
