//! Directories that are larger or deeper than any path. Calls about them still end.

use std::fs::File;
use std::time::Instant;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};
use serde_json::json;

use crate::fixture::{Fixture, SECRET};
use crate::tools::{Tools, cases};

/// The maximum duration of a call, as a multiple of the time to list everything on the same
/// machine.
const TIMES: u32 = 20;

/// The words of results that ran out of time, for example on a busy machine.
const LATE: [&str; 2] = ["The time was up after", "ran out of time"];

const FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

#[test]
fn what_is_said_of_a_hundred_thousand_entries_has_an_end() {
    let fixture = Fixture::new(&[("many/", ""), ("y", "found")]);
    let many = fixture.root().join("many");
    for number in 0..100_000 {
        File::create(many.join(format!("a-name-of-usual-length-{number:06}.txt"))).unwrap();
    }
    let tools = Tools::of(&fixture);
    let start = Instant::now();
    let all = fixture.list(None, None, 200_000).unwrap();
    assert!(all.resources.len() > 100_000);
    let listing = start.elapsed();
    for (name, arguments, expected) in cases("a hundred thousand entries") {
        let start = Instant::now();
        let answer = tools.call(name, arguments.clone());
        let took = start.elapsed();
        assert!(
            took < listing * TIMES,
            "{name} {arguments}: {took:?}, and {listing:?} to list all"
        );
        assert!(!answer.is_error, "{name} {arguments}: {}", answer.text);
        let is_late = LATE.iter().any(|late| answer.text.contains(late));
        assert!(
            is_late || answer.text.contains(&expected),
            "{name} {arguments}: {:.999}",
            answer.text
        );
        let size = format!("{:?}", answer.result).len();
        assert!(size < 2 << 20, "{name} {arguments}: {size} bytes");
    }
    let missing = tools.error("read_resource", json!({"uri": "docs/many/nothing"}));
    assert!(missing.len() < 4 << 10, "{missing}");
}

#[test]
fn what_is_deeper_than_a_path_can_be_long_is_not_there() {
    const LEVELS: usize = 10_000;
    let fixture = Fixture::new(&[("y", "inside")]);
    let top = File::open(fixture.root()).unwrap();
    let mut open = vec![rustix::fd::OwnedFd::from(top)];
    // Only the last directory is kept open; no path leads to it.
    for _ in 0..LEVELS {
        let at = open.last().unwrap();
        mkdirat(at, "d", Mode::RWXU).unwrap();
        let next = openat(at, "d", FLAGS, Mode::empty()).unwrap();
        open = vec![next];
    }
    let last = open.pop().unwrap();
    let file = openat(
        &last,
        "x",
        OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC,
        Mode::RUSR,
    );
    std::io::Write::write_all(&mut File::from(file.unwrap()), SECRET.as_bytes()).unwrap();

    let tools = Tools::of(&fixture);
    assert_eq!(fixture.tree().len(), 2 + 64);
    let drawn = tools.text("tree", json!({"depth": 64}));
    assert_eq!(drawn.lines().filter(|line| line.trim() == "d/").count(), 63);
    let found = tools.text("search", json!({"pattern": "[a-z]"}));
    let expected = "1 match in 1 file, of 1 searched";
    assert!(found.contains(expected), "{found}");
    for depth in [64, 65, 1_000, LEVELS] {
        let uri = format!("file:///docs{}", "/d".repeat(depth));
        assert_eq!(fixture.metadata(&uri).is_ok(), depth <= 64, "{depth}");
        assert!(fixture.read(&format!("{uri}/x")).is_err(), "{depth}");
        assert_eq!(
            fixture.list(Some(&uri), None, 9).is_ok(),
            depth <= 64,
            "{depth}"
        );
        if depth > 64 {
            tools.error("tree", json!({"uri": uri}));
            tools.error("search", json!({"uri": uri, "pattern": "."}));
        }
    }
    remove(&fixture, LEVELS);
}

/// Removes the chain from its end, because removing temporary directories uses paths, which would
/// be too long.
fn remove(fixture: &Fixture, levels: usize) {
    const FEW: usize = 500;
    for left in (0..levels).rev().step_by(FEW) {
        // Descends to the last few directories, and removes them one after the other.
        let mut open = vec![rustix::fd::OwnedFd::from(
            File::open(fixture.root()).unwrap(),
        )];
        for _ in 0..=left {
            let at = open.last().unwrap();
            let next = openat(at, "d", FLAGS, Mode::empty()).unwrap();
            open.push(next);
            if open.len() > FEW + 1 {
                open.remove(0);
            }
        }
        let inner = open.pop().unwrap();
        // Only the last directory contains the file.
        let _ = unlinkat(&inner, "x", AtFlags::empty());
        for at in open.iter().rev() {
            unlinkat(at, "d", AtFlags::REMOVEDIR).unwrap();
        }
    }
    assert!(openat(CWD, fixture.root().join("d"), FLAGS, Mode::empty()).is_err());
}
