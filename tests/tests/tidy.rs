//! Rules of the workspace that no compiler knows: each is a test that reads the sources.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// A file of the workspace.
struct File {
    /// Its path from the root, with slashes.
    path: String,
    text: String,
}

impl File {
    /// What is compiled into what people use: without tests and comments. The line's number beside it.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_code = |line: &&str| !line.starts_with("#[cfg(test)]");
        self.text
            .lines()
            .take_while(is_code)
            .enumerate()
            .map(|(index, line)| (index + 1, line.split("//").next().unwrap_or_default()))
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path.starts_with(place))
    }
}

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace is above").to_owned()
}

/// All files of the workspace with one of these extensions.
fn files(extensions: &[&str]) -> Vec<File> {
    let root = root();
    let mut found = Vec::new();
    let mut waiting = vec![root.clone()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                let is_ours = !name.starts_with('.') && name != "target" && name != "node_modules";
                waiting.extend(is_ours.then_some(path));
            } else if kind.is_file() && extensions.iter().any(|end| name.ends_with(end)) {
                let relative = path.strip_prefix(&root).unwrap().to_str().unwrap();
                found.push(File {
                    path: relative.replace('\\', "/"),
                    text: fs::read_to_string(&path).unwrap(),
                });
            }
        }
    }
    assert!(!found.is_empty());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The sources of what people use.
fn shipped() -> Vec<File> {
    let mut files = files(&[".rs"]);
    files.retain(|file| file.path.starts_with("crates/") && file.path.contains("/src/"));
    assert!(files.len() > 50, "{}", files.len());
    files
}

/// Every line of shipped code outside of `allowed` places that breaks a rule.
fn breaches(allowed: &[&str], breaks: impl Fn(&str) -> bool) -> Vec<String> {
    let files = shipped();
    let places: Vec<_> = files.iter().filter(|file| file.is_in(allowed)).collect();
    assert!(
        places.len() >= allowed.len(),
        "a place is gone: {allowed:?}"
    );
    files
        .iter()
        .filter(|file| !file.is_in(allowed))
        .flat_map(|file| {
            file.code()
                .filter(|(_, line)| breaks(line))
                .map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim()))
                .collect::<Vec<_>>()
        })
        .collect()
}

const NOTHING: [String; 0] = [];

#[test]
fn every_file_says_first_what_it_is() {
    let silent: Vec<_> = files(&[".rs"])
        .into_iter()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| file.path)
        .collect();
    assert_eq!(silent, NOTHING);
}

#[test]
fn the_numbers_of_errors_stand_in_their_table_alone() {
    let has_number = |line: &str| {
        let plain = line.replace('_', "");
        plain.match_indices("-32").any(|(at, _)| {
            let digits = plain[at + 1..].bytes().take_while(u8::is_ascii_digit);
            digits.count() == 5
        })
    };
    assert!(has_number("Code::new(-32_602)") && has_number("(-32099..=-32020)"));
    assert!(!has_number("x - 3260") && !has_number("-320") && !has_number("i64::MIN"));
    let allowed = [
        "crates/plainly-errors/src/registry.rs",
        "crates/plainly-errors/src/code.rs",
        // Its help shows how to ask for one.
        "crates/plainly-cli/src/args/codes.rs",
    ];
    assert_eq!(breaches(&allowed, has_number), NOTHING);
}

#[test]
fn revisions_are_compared_in_tables_alone() {
    let is_comparison = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.windows(3).any(|window| {
            let [left, operator, right] = window else {
                return false;
            };
            let is_revision = |word: &str| word.to_lowercase().contains("revision");
            matches!(*operator, "<" | ">" | "<=" | ">=")
                && (is_revision(left) || is_revision(right))
        })
    };
    assert!(is_comparison("if revision >= Revision::V2025_06_18 {"));
    assert!(is_comparison("peer.revision < newest && x"));
    assert!(!is_comparison(
        "Some(revision) => revision == Revision::V2025_03_26,"
    ));
    let allowed = ["crates/plainly-errors/src/revision.rs"];
    assert_eq!(breaches(&allowed, is_comparison), NOTHING);
}

#[test]
fn nothing_writes_to_standard_output_but_the_transport_and_the_binary() {
    let prints = |line: &str| {
        // A child's own output is another thing.
        let plain = line.replace("eprint", "").replace(".stdout()", "");
        plain.contains("println!") || plain.contains("print!(") || plain.contains("stdout()")
    };
    assert!(prints("println!(\"x\")") && prints("tokio::io::stdout(),"));
    assert!(!prints("eprintln!(\"x\")"));
    let mut allowed = vec!["crates/plainly/src/transport/standard"];
    // The binary prints in one place.
    allowed.extend(root().join(OUTPUT).exists().then_some(OUTPUT));
    assert_eq!(breaches(&allowed, prints), NOTHING);
}

const OUTPUT: &str = "crates/plainly-cli/src/output.rs";

#[test]
fn messages_pass_without_a_tree_of_values() {
    let rooms = [
        "crates/plainly-protocol/src/envelope",
        "crates/plainly/src/server/dispatch.rs",
        "crates/plainly/src/server/connection",
        "crates/plainly/src/server/exchange.rs",
        "crates/plainly/src/server/encode.rs",
    ];
    let files = shipped();
    for room in rooms {
        let mut of_room = files
            .iter()
            .filter(|file| file.path.starts_with(room))
            .peekable();
        assert!(of_room.peek().is_some(), "{room} is gone");
        for file in of_room {
            for (number, line) in file.code() {
                let line = line.replace("HeaderValue", "").replace("V::Value", "");
                assert!(!line.contains("Value"), "{}:{number}: {line}", file.path);
            }
        }
    }
}

/// What the sources say of where they were written is of no use to anybody else.
#[test]
fn the_project_speaks_of_itself_alone() {
    let foreign = [["/", "work/"].concat(), ["../", "shared"].concat()];
    for file in files(&[".rs", ".toml", ".md", ".mjs", ".py", ".json"]) {
        for word in &foreign {
            assert!(!file.text.contains(word), "{} has {word}", file.path);
        }
    }
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
fn declared(package: &str) -> Vec<String> {
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
        let mut waiting = declared(package);
        assert!(
            waiting.iter().any(|name| name == "serde_json"),
            "{waiting:?}"
        );
        let mut seen = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            // In the lock file our own packages also need what their tests need.
            let needs = match name.starts_with("plainly") {
                true => declared(&name),
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
