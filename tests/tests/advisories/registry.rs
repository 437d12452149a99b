//! The page of advisories and the tests name the same: each row has a test that exists, or says why there is none, and
//! each test of this kind stands in a row.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace is above").to_owned()
}

/// The tests in a file, or below a directory.
fn tests_in(path: &Path) -> BTreeSet<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        return entries
            .flat_map(|entry| tests_in(&entry.unwrap().path()))
            .collect();
    }
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let named = lines.windows(2).filter_map(|pair| {
        let name = pair[1].trim_start_matches("async ").strip_prefix("fn ")?;
        let is_test = pair[0].starts_with("#[test]") || pair[0].starts_with("#[tokio::test");
        is_test.then(|| name.split('(').next().unwrap().to_owned())
    });
    named.collect()
}

/// The cells of each row of the tables of the page.
fn rows() -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("docs/advisories.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let rows = rows.filter(|line| !line.starts_with("| advisory"));
    rows.map(|row| {
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    })
    .collect()
}

/// The names between backticks that are tests.
fn named(cell: &str) -> Vec<String> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

#[test]
fn the_page_and_the_tests_agree() {
    let ours: BTreeSet<_> = [
        "tests/tests/advisories",
        "crates/plainly-cli/tests/cli/advisories",
    ]
    .iter()
    .flat_map(|path| tests_in(&root().join(path)))
    .collect();
    let mut all = ours.clone();
    for package in [
        "plainly",
        "plainly-cli",
        "plainly-protocol",
        "plainly-errors",
    ] {
        all.extend(tests_in(&root().join("crates").join(package).join("tests")));
    }
    all.extend(tests_in(&root().join("tests/tests")));

    let rows = rows();
    assert!(rows.len() > 80, "{} rows", rows.len());
    let mut in_rows = BTreeSet::new();
    for row in &rows {
        let [id, happened, here, tests] = &row[..] else {
            panic!("four cells: {row:?}");
        };
        assert!(
            !id.is_empty() && !happened.is_empty() && !here.is_empty(),
            "{row:?}"
        );
        let tests = named(tests);
        let is_none_of_ours = here.starts_with("Does not apply:");
        assert_eq!(tests.is_empty(), is_none_of_ours, "{row:?}");
        for test in &tests {
            assert!(all.contains(test), "{id}: there is no test {test}");
        }
        in_rows.extend(tests);
    }
    // Those that hold the table itself.
    let about_tables = ["these_are_all_routes", "the_page_and_the_tests_agree"];
    let missing: Vec<_> = ours
        .iter()
        .filter(|name| !in_rows.contains(*name) && !about_tables.contains(&name.as_str()))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
}
