//! `docs/advisories.md` names only tests that exist.

use std::fs;
use std::path::Path;

/// Returns all source text below a folder.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| match path.is_dir() {
        true if path.ends_with("target") => String::new(),
        true => sources(&path),
        false if path.extension().is_some_and(|end| end == "rs") => {
            fs::read_to_string(path).unwrap()
        }
        false => String::new(),
    });
    texts.collect()
}

#[test]
fn each_row_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let sources = sources(&root.join("tests/tests")) + &sources(&root.join("crates"));
    let page = fs::read_to_string(root.join("docs/advisories.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    for cell in rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next()) {
        for test in cell.split('`').skip(1).step_by(2) {
            assert!(
                sources.contains(&format!("fn {test}()")),
                "there is no {test}"
            );
        }
    }
}
