//! Rooms are the modules of a folder. They form no circle, and a call passes through the rooms that
//! ARCHITECTURE.md shows.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Module, modules};
use crate::workspace::read;

/// The pairs of rooms of which the first uses the second, and the first place where it does.
type Arrows = BTreeMap<(String, String), String>;

fn of_crate<'a>(modules: &'a [Module], name: &str) -> BTreeMap<&'a [String], &'a Module> {
    let of_it = modules.iter().filter(|module| module.crate_name == name);
    of_it.map(|module| (&module.path[..], module)).collect()
}

/// Returns the module that a path from the root of its crate leads to. A re-exported name belongs
/// to the module that defines it.
fn resolve(modules: &BTreeMap<&[String], &Module>, path: &[String]) -> Vec<String> {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let is_module = |length: &usize| modules.contains_key(&path[..*length]);
        let length = (0..=path.len()).rev().find(is_module).unwrap_or_default();
        let module = modules.get(&path[..length]);
        let name = path.get(length);
        let origin = module
            .zip(name)
            .and_then(|(module, name)| module.import(name));
        match origin {
            Some([first, origin @ ..]) if first == "crate" && *origin != path[..=length] => {
                path = [origin, &path[length + 1..]].concat();
            }
            _ => {
                path.truncate(length);
                break;
            }
        }
    }
    path
}

/// The arrows within each folder of a crate.
fn arrows(modules: &[Module], name: &str) -> BTreeMap<Vec<String>, Arrows> {
    let modules = of_crate(modules, name);
    let mut folders: BTreeMap<Vec<String>, Arrows> = BTreeMap::new();
    for module in modules.values() {
        for found in &module.references {
            let [first, path @ ..] = &found.path[..] else {
                continue;
            };
            if first != "crate" {
                continue;
            }
            let to = resolve(&modules, path);
            let same = module.path.iter().zip(&to).take_while(|(a, b)| a == b);
            let depth = same.count();
            if let (Some(from), Some(into)) = (module.path.get(depth), to.get(depth)) {
                let folder = folders.entry(to[..depth].to_vec()).or_default();
                let place = format!("{}:{}", module.file, found.line);
                folder.entry((from.clone(), into.clone())).or_insert(place);
            }
        }
    }
    folders
}

/// The arrows of a folder that are part of a circle.
fn circles(arrows: &Arrows) -> Vec<String> {
    let reaches = |from: &str, to: &str| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
        while let Some(room) = waiting.pop() {
            let next = arrows.keys().filter(|(from, _)| from == room);
            waiting.extend(
                next.map(|(_, to)| to.as_str())
                    .filter(|to| seen.insert(*to)),
            );
        }
        seen.contains(to)
    };
    let circular = arrows.iter().filter(|((from, to), _)| reaches(to, from));
    circular
        .map(|((from, to), place)| format!("{from} -> {to} at {place}"))
        .collect()
}

#[test]
fn rooms_use_each_other_in_no_circle() {
    let crates: BTreeSet<_> = modules().iter().map(|module| &module.crate_name).collect();
    let found = crates.into_iter().flat_map(|name| {
        let folders = arrows(modules(), name);
        folders.into_values().flat_map(|arrows| circles(&arrows))
    });
    assert_eq!(found.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_circle_is_found_however_it_is_written_and_not_in_tests() {
    let check = |a: &str, is_circle: bool| {
        let root = "mod a; mod b; mod c; use self::b::Passed;";
        let b = "use crate::a::f; pub struct Passed;";
        let files = [("lib.rs", root), ("a.rs", a), ("b.rs", b), ("c.rs", "")];
        let read = files.map(|(path, text)| Module::read("made-up", path, path, text));
        let folders = arrows(&read, "made-up");
        assert_eq!(!circles(&folders[&vec![]]).is_empty(), is_circle, "{a}");
    };
    for a in [
        "use crate::b::Passed;",
        "use crate::{c::{self}, b::{self, Passed}};",
        "use super::Passed as Other;",
        "fn f() { super::b::g() }",
    ] {
        check(a, true);
    }
    check(
        "use crate::c; #[cfg(test)] use crate::b; // crate::b",
        false,
    );
}

/// The code in a cell of a table.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Checks the table below a heading: each room has the types of its row, and takes one of the types
/// that the room before it returns.
fn check_walk(heading: &str) {
    let page = read("ARCHITECTURE.md");
    let (_, section) = page.split_once(heading).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let mut before: Option<Vec<&str>> = None;
    for row in rows {
        let cells: Vec<_> = row.split('|').skip(1).map(code).collect();
        let (room, takes, gives) = (cells[0][0], &cells[1], &cells[2]);
        let (name, path) = room.split_once('/').unwrap_or((room, ""));
        let path: Vec<_> = path.split_terminator('/').map(str::to_owned).collect();
        let inside = |module: &&Module| module.crate_name == name && module.path.starts_with(&path);
        let words = modules()
            .iter()
            .filter(inside)
            .flat_map(|module| &module.words);
        let words: BTreeSet<_> = words.map(|word| word.text.as_str()).collect();
        let strange = takes
            .iter()
            .chain(gives)
            .find(|name| !words.contains(*name));
        assert_eq!(strange, None, "{room}");
        let is_next = before.is_none_or(|before| before.iter().any(|name| takes.contains(name)));
        assert!(is_next, "{room} takes nothing of the room before it");
        before = Some(gives.clone());
    }
    assert!(before.is_some());
}

#[test]
fn calls_go_through_the_rooms_that_the_pictures_show() {
    check_walk("## A call, room by room");
    check_walk("## A call of the client, room by room");
}
