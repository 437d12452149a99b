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
fn faults(crates: &[Crate], visits: &[Visit<'_>]) -> Vec<String> {
    let mut faults = Vec::new();
    for Visit { room, takes, gives } in visits {
        let (name, path) = place(room);
        let source = crates.iter().find(|source| source.name == name);
        let Some(source) = source.filter(|source| source.module(&path).is_some()) else {
            faults.push(format!("there is no {room}"));
            continue;
        };
        let strange = takes
            .iter()
            .chain(gives)
            .filter(|name| !has(source, &path, name));
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
fn has(source: &Crate, room: &[String], name: &str) -> bool {
    let mut inside = source
        .modules
        .iter()
        .filter(|module| module.path.starts_with(room));
    inside.any(|module| module.facts.words.iter().any(|word| word.text == name))
}

/// The crate of a room, and the path in it.
fn place(room: &str) -> (&str, Vec<String>) {
    let mut names = room.split('/');
    let name = names.next().unwrap_or_default();
    (name, names.map(str::to_owned).collect())
}

#[test]
fn a_call_goes_through_the_rooms_that_the_picture_shows() {
    let page = fs::read_to_string(workspace::root().join("ARCHITECTURE.md")).unwrap();
    let visits = visits(&page);
    assert!((2..=12).contains(&visits.len()), "{visits:?}");
    assert_eq!(faults(workspace::crates(), &visits), [""; 0]);
}
