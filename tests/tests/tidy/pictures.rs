//! The way of a call that ARCHITECTURE.md shows is the one in the source.

use std::fs;

use crate::source::Crate;
use crate::workspace;

const SECTION: &str = "## A call, room by room";

/// A row of the table in the section.
#[derive(Debug)]
struct Visit<'a> {
    room: &'a str,
    /// What comes in, and what goes out: the types that stand there as code.
    takes: Vec<&'a str>,
    gives: Vec<&'a str>,
}

/// The rows of the table, without that of its titles.
fn visits(page: &str) -> Vec<Visit<'_>> {
    let section = page.split_once(SECTION).map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(code);
        let mut next = || cells.next().unwrap_or_default();
        Visit {
            room: next().first().copied().unwrap_or_default(),
            takes: next(),
            gives: next(),
        }
    })
    .collect()
}

/// What stands between backticks.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// What is wrong with rooms that a call visits one after the other: some that are not there, that do not have what they take
/// or give, or that take nothing of what the one before gives.
fn faults(source: &Crate, visits: &[Visit<'_>]) -> Vec<String> {
    let mut faults = Vec::new();
    for Visit { room, takes, gives } in visits {
        if source.module(&path(room)).is_none() {
            faults.push(format!("there is no {room}"));
            continue;
        }
        let strange = takes
            .iter()
            .chain(gives)
            .filter(|name| !has(source, room, name));
        faults.extend(strange.map(|name| format!("{room} has no {name}")));
    }
    for pair in visits.windows(2) {
        let is_handed_on = pair[1]
            .takes
            .iter()
            .any(|name| pair[0].gives.contains(name));
        if !is_handed_on {
            faults.push(format!("{} gives {} nothing", pair[0].room, pair[1].room));
        }
    }
    faults
}

/// Whether the room speaks of what has this name.
fn has(source: &Crate, room: &str, name: &str) -> bool {
    let room = path(room);
    let mut inside = source
        .modules
        .iter()
        .filter(|module| module.path.starts_with(&room));
    inside.any(|module| module.facts.words.iter().any(|word| word.text == name))
}

/// `server::encode`, `server/encode.rs` and `server/encode/` are one.
fn path(room: &str) -> Vec<String> {
    let room = room.trim_end_matches(".rs").trim_end_matches('/');
    let names = room.split(['/', ':']).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[test]
fn a_call_goes_through_the_rooms_that_the_picture_shows() {
    let page = fs::read_to_string(workspace::root().join("ARCHITECTURE.md")).unwrap();
    let visits = visits(&page);
    assert!((2..=12).contains(&visits.len()), "{visits:?}");
    let mut crates = workspace::crates().iter();
    let library = crates.find(|source| source.name == "plainly").unwrap();
    assert_eq!(faults(library, &visits), [""; 0]);
}

#[test]
fn a_picture_of_what_is_not_there_is_found() {
    let source = Crate::made_up(&[(
        "lib.rs",
        "mod a { mod c { fn f(b: B) -> D {} } } mod b { fn g(d: D) {} // E\n}",
    )]);
    let check = |rows: &str, expected: &[&str]| {
        let page = format!(
            "# X\n\n{SECTION}\n\n| room | in | out |\n|---|---|---|\n{rows}\n\n## Next\n| `e` | | |\n"
        );
        assert_eq!(faults(&source, &visits(&page)), expected, "{rows}");
    };
    check(
        "| `a/c.rs` | a `B` | a `D` or so |\n| `b` | the `D` | |",
        &[],
    );
    check("| `a` | `B` | `D` |\n| `b`, or `x` | `D` | |", &[]);
    check(
        "| `a` | `B` | `D` |\n| `b` | `E` | |",
        &["b has no E", "a gives b nothing"],
    );
    check(
        "| `a::c` | | |\n| `e` | `D` | |",
        &["there is no e", "a::c gives e nothing"],
    );
}
