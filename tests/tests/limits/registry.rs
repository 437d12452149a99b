//! The table of all limits: which tests hold each, at it, one above, and where what comes may have no end. Nothing is limited
//! without a row in docs/limits.md and one here, with the default that it has.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use plainly::limits::{ClientLimits, Limits};
use plainly::transport::http::HttpLimits;

/// A limit, and what holds it.
struct Row {
    /// The first cell of its row in docs/limits.md, up to what it says after its name.
    name: &'static str,
    /// What holds it at the limit and one above.
    tests: Vec<&'static str>,
    /// What holds it where what comes has no end.
    endless: Vec<&'static str>,
    /// Why nothing can come without end.
    never: Option<&'static str>,
}

/// The rows of registry.txt: a name, and what is said of it in the indented lines below.
fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let lines = include_str!("registry.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let said = line.strip_prefix("  ");
        match (said, rows.last_mut()) {
            (Some(test), Some(row)) => match test.split_once(": ") {
                Some(("endless", test)) => row.endless.push(test),
                Some(("never", why)) => row.never = Some(why),
                _ => row.tests.push(test),
            },
            _ => rows.push(Row {
                name: line,
                tests: Vec::new(),
                endless: Vec::new(),
                never: None,
            }),
        }
    }
    rows
}

/// A row of a table of docs/limits.md.
struct Documented<'a> {
    section: &'a str,
    /// Whether the first cell is the name of a field, and what follows says what that is.
    is_field: bool,
    name: &'a str,
    default: &'a str,
}

const PAGE: &str = include_str!("../../../docs/limits.md");

fn documented() -> Vec<Documented<'static>> {
    let mut section = "";
    let mut rows = Vec::new();
    for line in PAGE.lines() {
        section = line.strip_prefix("## ").unwrap_or(section);
        let cells = line
            .strip_prefix("| ")
            .and_then(|row| row.strip_suffix(" |"));
        let Some((first, rest)) = cells.and_then(|cells| cells.split_once(" | ")) else {
            continue;
        };
        // The table of shares has no section, and says nothing that the others don't.
        if first == "limit" || section.is_empty() {
            continue;
        }
        let field = first
            .strip_prefix('`')
            .and_then(|rest| rest.split_once('`'));
        rows.push(Documented {
            section,
            is_field: field.is_some(),
            name: field.map_or(first, |(name, _)| name),
            default: rest.split(" | ").next().unwrap_or_default(),
        });
    }
    rows
}

#[test]
fn every_limit_that_is_documented_has_tests_and_every_test_a_limit() {
    let documented = documented();
    let names: Vec<_> = documented.iter().map(|row| row.name).collect();
    let rows = rows();
    let known: Vec<_> = rows.iter().map(|row| row.name).collect();
    for name in &names {
        assert!(known.contains(name), "{name} has no tests");
    }
    assert_eq!(names, known, "in the order of the page");
}

/// The fields of what is written by `{:#?}`, those within others under both names, and their values as the page has them.
fn fields(debug: &str) -> Vec<(String, String)> {
    let mut within = Vec::new();
    let mut fields = Vec::new();
    for line in debug.lines().skip(1) {
        match line.trim().trim_end_matches(',').split_once(": ") {
            Some((name, value)) if value.ends_with('{') => within.push(format!("{name}.")),
            Some((name, value)) => {
                fields.push((within.concat() + name, default(name, value)));
            }
            None => {
                within.pop();
            }
        }
    }
    fields
}

/// A value as the page has it.
fn default(name: &str, value: &str) -> String {
    if let Some(seconds) = value.strip_suffix('s') {
        return format!("{seconds} s");
    }
    let number: usize = value
        .parse()
        .unwrap_or_else(|error| panic!("{name}: {value}: {error}"));
    match number {
        mib if name.contains("bytes") && mib % (1 << 20) == 0 => format!("{} MiB", mib >> 20),
        kib if ["bytes", "rate", "total"]
            .iter()
            .any(|word| name.contains(word))
            && kib % (1 << 10) == 0 =>
        {
            match kib >> 10 {
                mib if mib % (1 << 10) == 0 => format!("{} MiB", mib >> 10),
                kib => format!("{kib} KiB"),
            }
        }
        bytes if name.contains("bytes") => format!("{bytes} B"),
        small @ ..1_000 => small.to_string(),
        large => format!("{},{:03}", large / 1_000, large % 1_000),
    }
}

#[test]
fn every_field_of_every_limit_is_documented_with_its_default() {
    for (section, debug) in [
        ("Server", format!("{:#?}", Limits::default())),
        ("HTTP", format!("{:#?}", HttpLimits::default())),
        ("Client", format!("{:#?}", ClientLimits::default())),
    ] {
        let of_it = |row: &Documented<'static>| row.is_field && row.section == section;
        let documented = documented();
        let documented: BTreeMap<_, _> = documented
            .iter()
            .filter(|row| of_it(row))
            .map(|row| (row.name.to_owned(), row.default.to_owned()))
            .collect();
        let fields: BTreeMap<_, _> = fields(&debug).into_iter().collect();
        assert_eq!(documented, fields, "{section}");
    }
}

/// The file that a test stands in: `wire/limits`, `src/server/outgoing/outbox`.
fn file(place: &str) -> String {
    let (room, rest) = place.split_once('/').unwrap_or((place, ""));
    match room {
        "wire" | "limits" => format!("tests/tests/{place}.rs"),
        "src" => format!("crates/plainly/{place}.rs"),
        "directory_store" => format!("crates/plainly-directory/tests/{place}.rs"),
        "directory" => format!("crates/plainly-directory/{rest}.rs"),
        "schema" => format!("crates/plainly-schema/tests/{place}.rs"),
        "protocol" => format!("crates/plainly-protocol/tests/{rest}.rs"),
        "cli" => format!("crates/plainly-cli/tests/{place}.rs"),
        "plainly" => format!("crates/plainly/tests/{rest}.rs"),
        _ => format!("crates/plainly/tests/{place}.rs"),
    }
}

#[test]
fn every_test_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for row in rows() {
        assert!(!row.tests.is_empty(), "{}", row.name);
        assert_eq!(row.endless.is_empty(), row.never.is_some(), "{}", row.name);
        for test in row.tests.iter().chain(&row.endless) {
            let (place, name) = test.split_once(' ').unwrap();
            let file = file(place);
            let source = fs::read_to_string(root.join(&file))
                .unwrap_or_else(|error| panic!("{file}: {error}"));
            let found = source
                .find(&format!("fn {name}()"))
                .or_else(|| source.find(&format!("fn {name}(")));
            let before = found.and_then(|at| source[..at].rfind("test"));
            let is_test = before.is_some_and(|at| found.is_some_and(|found| found - at < 200));
            assert!(is_test, "{}: there is no test {name} in {file}", row.name);
        }
    }
}
