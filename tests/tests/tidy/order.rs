//! Rooms stand in an order: a module uses those of its folder that stand after it, and none before it.

use std::collections::{BTreeMap, BTreeSet};

use crate::order_of_rooms::{CIRCLES, ROWS, SERVER};
use crate::source::Crate;
use crate::workspace;

/// Which room of a folder uses which, and the first place where it does.
type Arrows = BTreeMap<(String, String), String>;

/// The arrows within each folder of a crate; a folder is a module that has others below it. Its own file is of the folder
/// and no room.
fn arrows(source: &Crate) -> BTreeMap<String, Arrows> {
    let mut folders: BTreeMap<String, Arrows> = BTreeMap::new();
    for module in &source.modules {
        for (path, line) in module.references().filter(|(path, _)| path[0] == "crate") {
            let to = source.resolve(&path);
            let same = module.path.iter().zip(&to).take_while(|(a, b)| a == b);
            let depth = same.count();
            if let (Some(from), Some(into)) = (module.path.get(depth), to.get(depth)) {
                let folder = folders.entry(name(source, &to[..depth])).or_default();
                let place = format!("{}:{}", module.file, line);
                folder.entry((from.clone(), into.clone())).or_insert(place);
            }
        }
    }
    folders
}

fn name(source: &Crate, folder: &[String]) -> String {
    [std::slice::from_ref(&source.name), folder]
        .concat()
        .join("/")
}

/// The rooms of each folder.
fn rooms(source: &Crate) -> BTreeMap<String, BTreeSet<String>> {
    let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for module in &source.modules {
        if let Some((room, folder)) = module.path.split_last() {
            let rooms = folders.entry(name(source, folder)).or_default();
            rooms.insert(room.clone());
        }
    }
    folders
}

/// The rooms that lead back to themselves, those of one circle together.
fn circles(arrows: &Arrows) -> BTreeSet<BTreeSet<String>> {
    let next = |room: &str| {
        let from: Vec<_> = arrows.keys().filter(|(from, _)| from == room).collect();
        from.into_iter().map(|(_, to)| to.clone())
    };
    let reached = |room: &str| {
        let mut reached = BTreeSet::new();
        let mut waiting: Vec<_> = next(room).collect();
        while let Some(to) = waiting.pop() {
            if reached.insert(to.clone()) {
                waiting.extend(next(&to));
            }
        }
        reached
    };
    let rooms: BTreeSet<_> = arrows.keys().map(|(from, _)| from.as_str()).collect();
    let all: BTreeMap<_, _> = rooms
        .into_iter()
        .map(|room| (room, reached(room)))
        .collect();
    let own = |room: &str| {
        let mut circle = all[room].clone();
        circle.retain(|other| {
            all.get(other.as_str())
                .is_some_and(|reached| reached.contains(room))
        });
        circle
    };
    let mut circles: BTreeSet<_> = all.keys().map(|room| own(room)).collect();
    circles.remove(&BTreeSet::new());
    circles
}

/// What is wrong with the order of a crate's rooms, folder by folder.
fn faults(source: &Crate, rows: &[(&str, &str)], allowed: &[(&str, &str, &str)]) -> Vec<String> {
    let (arrows, rooms) = (arrows(source), rooms(source));
    let mut faults = Vec::new();
    for (folder, arrows) in &arrows {
        let allowed = |circle: &BTreeSet<String>| {
            let rooms: Vec<_> = circle.iter().map(String::as_str).collect();
            let rooms = rooms.join(" ");
            allowed
                .iter()
                .any(|row| (row.0, row.1) == (folder, rooms.as_str()))
        };
        let circles = circles(arrows);
        for circle in circles.iter().filter(|circle| !allowed(circle)) {
            let within = arrows
                .iter()
                .filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
            let within = within.map(|((from, to), place)| format!("  {from} -> {to} at {place}"));
            let within: Vec<_> = within.collect();
            faults.push(format!(
                "{folder}: a circle of {circle:?}\n{}",
                within.join("\n")
            ));
        }
        let in_circle = |a: &str, b: &str| {
            circles
                .iter()
                .any(|circle| circle.contains(a) && circle.contains(b))
        };
        let Some((_, row)) = rows.iter().find(|row| row.0 == folder) else {
            continue;
        };
        let row: Vec<_> = row
            .split_whitespace()
            .filter(|word| *word != "->")
            .collect();
        let missing: Vec<_> = rooms[folder]
            .iter()
            .filter(|room| !row.contains(&room.as_str()))
            .collect();
        let gone: Vec<_> = row
            .iter()
            .filter(|room| !rooms[folder].contains(**room))
            .collect();
        if !missing.is_empty() || !gone.is_empty() {
            faults.push(format!(
                "{folder}: its row lacks {missing:?} and has {gone:?}"
            ));
        }
        let at = |room: &str| row.iter().position(|other| *other == room);
        for ((from, to), place) in arrows {
            if at(from) > at(to) && !in_circle(from, to) {
                faults.push(format!(
                    "{folder}: {from} -> {to} at {place}, against its row"
                ));
            }
        }
    }
    faults
}

#[test]
fn rooms_use_those_that_stand_after_them() {
    let rows = [ROWS, SERVER].concat();
    let crates = workspace::crates().iter();
    let faults: Vec<_> = crates
        .clone()
        .flat_map(|source| faults(source, &rows, CIRCLES))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let folders: BTreeMap<_, _> = crates.flat_map(rooms).collect();
    for (folder, _) in rows {
        assert!(folders.contains_key(folder), "there is no {folder}");
    }
}

#[test]
fn a_circle_is_small_is_there_and_has_its_reason() {
    let folders: BTreeMap<_, _> = workspace::crates().iter().flat_map(arrows).collect();
    for (folder, rooms, reason) in CIRCLES {
        let circle: BTreeSet<_> = rooms.split(' ').map(str::to_owned).collect();
        let is_there = circles(&folders[*folder]).contains(&circle);
        assert!(is_there, "{folder} has no circle of {rooms}");
        assert!(!reason.is_empty(), "{folder}: {rooms}");
        assert!(rooms.split(' ').count() <= 3, "{folder}: {rooms}");
    }
}

#[test]
fn what_goes_round_or_back_is_found_wherever_it_is_written() {
    let check = |a: &str, row: &str, expected: &[&str]| {
        let root = "mod a; mod b; mod c { pub struct Deep; } use self::b::Passed;";
        let b = "use super::c::Deep; pub struct Passed;";
        let source = Crate::made_up(&[("lib.rs", root), ("a.rs", a), ("b.rs", b)]);
        let found = faults(&source, &[("made-up", row)], &[]);
        assert_eq!(found, expected, "{a}");
    };
    let against = "made-up: a -> b at src/a.rs:1, against its row";
    for a in [
        "use crate::b::Passed;",
        "use crate::{b::{self, Passed}};",
        "use super::Passed as Other;",
        "fn f() { super::b::g() }",
        "mod inner { use super::super::b; }",
        "fn f() { matches!(x, crate::b::Passed) }",
    ] {
        check(a, "a -> b -> c", &[]);
        check(a, "b -> c -> a", &[against]);
    }
    check("#[cfg(test)] use crate::b; // crate::b", "b -> a -> c", &[]);
    check("", "a -> c", &["made-up: its row lacks [\"b\"] and has []"]);
    let circle = Crate::made_up(&[("lib.rs", "mod a { use super::b; } mod b { use crate::a; }")]);
    let found = faults(&circle, &[], &[]);
    assert!(
        found[0].starts_with("made-up: a circle of {\"a\", \"b\"}"),
        "{found:?}"
    );
    assert_eq!(faults(&circle, &[], &[("made-up", "a b", "why")]), [""; 0]);
}
