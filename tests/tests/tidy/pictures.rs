//! The way of a call that ARCHITECTURE.md shows is the one in the source.

use std::fs;

use crate::source::Crate;
use crate::workspace;

const SECTION: &str = "## A call, room by room";

/// The rooms in the first column of the table in the section, without the row of its titles.
fn rooms(page: &str) -> Vec<&str> {
    let section = page.split_once(SECTION).map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).collect()
}

/// What is wrong with rooms that a call visits one after the other, each with its neighbours: some that are not there, or that
/// know nothing of each other.
fn faults(source: &Crate, rooms: &[&str]) -> Vec<String> {
    let paths: Vec<Vec<_>> = rooms.iter().map(|room| path(room)).collect();
    let gone = paths.iter().filter(|path| source.module(path).is_none());
    let mut faults: Vec<_> = gone
        .map(|path| format!("there is no {}", path.join("::")))
        .collect();
    for pair in paths.windows(2) {
        let knows = uses(source, &pair[0], &pair[1]) || uses(source, &pair[1], &pair[0]);
        if !knows {
            faults.push(format!(
                "nothing leads from {} to {}",
                pair[0].join("::"),
                pair[1].join("::")
            ));
        }
    }
    faults
}

/// Whether something in the room `from` names something in the room `to`.
fn uses(source: &Crate, from: &[String], to: &[String]) -> bool {
    let inside = source
        .modules
        .iter()
        .filter(|module| module.path.starts_with(from));
    let mut paths = inside.flat_map(|module| module.references());
    paths.any(|(path, _)| path[0] == "crate" && source.resolve(&path).starts_with(to))
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
    let rooms = rooms(&page);
    assert!(rooms.len() <= 12, "{rooms:?}");
    let mut crates = workspace::crates().iter();
    let library = crates.find(|source| source.name == "plainly").unwrap();
    assert_eq!(faults(library, &rooms), [""; 0]);
}

#[test]
fn a_picture_of_what_is_not_there_is_found() {
    let page = format!(
        "# X\n\n{SECTION}\n\n| room | in |\n|---|---|\n| `a/` | b |\n| `a/c.rs` | `d` |\n| `b` | |\n\n## Next\n| `e` | |\n"
    );
    assert_eq!(rooms(&page), ["a/", "a/c.rs", "b"]);
    let source = Crate::made_up(&[(
        "lib.rs",
        "mod a { mod c { use crate::b::B; } use self::c::D; } mod b {}",
    )]);
    assert_eq!(faults(&source, &["a", "a/c.rs", "b"]), [""; 0]);
    let expected = ["there is no e", "nothing leads from b to e"];
    assert_eq!(faults(&source, &["a::c", "b", "e"]), expected);
    let nothing = Crate::made_up(&[("lib.rs", "mod a {} mod b { // crate::a\n}")]);
    assert_eq!(faults(&nothing, &["a", "b"]), ["nothing leads from a to b"]);
}
