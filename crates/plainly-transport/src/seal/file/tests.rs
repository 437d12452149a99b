//! Files of keys on a simulated clock.

use std::fs::File;

use proptest::prelude::*;
use tempfile::TempDir;

use super::super::{InvalidSeal, Keys, Purpose};
use super::*;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const PURPOSE: Purpose<'static> = &["cursor"];

fn start() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

/// A replica with its own file.
struct Replica {
    directory: TempDir,
    keys: Keys,
}

impl Replica {
    fn with(lines: &[u8], now: SystemTime) -> Self {
        let directory = TempDir::new().unwrap();
        write(&directory, lines, now);
        let keys = Keys::file(directory.path().join("keys")).unwrap();
        Self { directory, keys }
    }

    fn write(&self, lines: &[u8], now: SystemTime) {
        write(&self.directory, lines, now);
    }

    fn seal(&self, now: SystemTime) -> String {
        self.keys.seal(PURPOSE, "x", now, DAY).unwrap()
    }

    fn opens(&self, sealed: &str, now: SystemTime) -> bool {
        self.keys.open(PURPOSE, sealed, now).is_ok()
    }
}

/// Replaces the file by another, as tools that distribute secrets do.
fn write(directory: &TempDir, lines: &[u8], now: SystemTime) {
    let beside = directory.path().join("new");
    fs::write(&beside, text(lines)).unwrap();
    let file = File::options().write(true).open(&beside).unwrap();
    file.set_modified(now).unwrap();
    fs::rename(beside, directory.path().join("keys")).unwrap();
}

fn text(lines: &[u8]) -> String {
    let lines = lines.iter().map(|key| format!("{key:02x}").repeat(32));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_of(key: u8, sealed: &str, now: SystemTime) -> bool {
    let keys: Keys = text(&[key]).parse().unwrap();
    keys.open(PURPOSE, sealed, now).is_ok()
}

#[test]
fn the_first_key_seals_once_every_replica_has_had_the_time_to_learn_it() {
    let second = Duration::from_secs(1);
    let cases: [(&[u8], Duration, u8); 6] = [
        (&[1], Duration::ZERO, 1),
        (&[2, 1], Duration::ZERO, 1),
        (&[2, 1], 5 * MINUTE - second, 1),
        (&[2, 1], 5 * MINUTE, 2),
        (&[3, 2, 1], MINUTE, 2),
        (&[3, 2, 1], DAY, 3),
    ];
    for (lines, age, expected) in cases {
        let (written, now) = (start(), start() + age);
        for replica in [
            Replica::with(lines, written),
            // A replica that is already running.
            {
                let replica = Replica::with(&[9], written - DAY);
                replica.seal(written - second);
                replica.write(lines, written);
                replica
            },
        ] {
            let sealed = replica.seal(now);
            assert!(is_of(expected, &sealed, now), "{lines:?} after {age:?}");
        }
    }
}

#[test]
fn what_cannot_be_used_changes_nothing() {
    let replica = Replica::with(&[2, 1], start() - DAY);
    let mut now = start();
    let sealed = replica.seal(now);
    let path = replica.directory.path().join("keys");
    for text in [Some(""), Some("no key"), None] {
        match text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        now += MINUTE;
        assert!(replica.opens(&sealed, now));
        assert!(is_of(2, &replica.seal(now), now));
    }
    replica.write(&[3], now);
    now += MINUTE;
    assert!(!replica.opens(&sealed, now));
    assert!(is_of(3, &replica.seal(now), now));
    // The clock is set back by one day.
    replica.write(&[4], now);
    now -= DAY;
    assert!(is_of(4, &replica.seal(now), now));
}

#[test]
fn a_file_without_keys_is_an_error_that_names_it() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("keys");
    let said = |path: &Path| format!("{:?}", Keys::file(path).unwrap_err());
    assert!(said(&path).contains("keys\n\nCaused by:\n    No such file"));
    fs::write(&path, "secret").unwrap();
    let told = said(&path);
    assert!(told.contains("line 1 is not a key") && !told.contains("secret"));
}

#[test]
fn foreign_keys_open_nothing_and_look_like_an_expired_seal() {
    let (own, foreign) = (
        Replica::with(&[2, 1], start()),
        Replica::with(&[4, 3], start()),
    );
    let hour_ago = start() - HOUR;
    let expired = own.keys.seal(PURPOSE, "x", hour_ago, MINUTE).unwrap();
    for sealed in [expired, foreign.seal(start())] {
        assert_eq!(own.keys.open(PURPOSE, &sealed, start()), Err(InvalidSeal));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    /// Two rotations, which reach each replica at another time. Every minute each replica opens the
    /// seals that the others made a minute, half an hour and an hour ago.
    #[test]
    fn keys_rotated(spread in prop::collection::vec(0..280_u64, 12)) {
        let replicas = [(); 3].map(|()| Replica::with(&[1], start() - DAY));
        // The earliest time at which the file reaches the first replica, and its lines.
        let steps: [(u64, &[u8]); 4] = [(10, &[2, 1]), (4_300, &[2]), (4_900, &[3, 2]), (9_200, &[3])];
        let mut arrivals: Vec<(u64, usize, &[u8])> = Vec::new();
        for (number, delay) in spread.iter().enumerate() {
            let (at, lines) = steps[number / 3];
            arrivals.push((at + delay, number % 3, lines));
        }
        arrivals.sort();
        let mut arrivals = arrivals.into_iter().peekable();
        let mut sealed: Vec<String> = Vec::new();
        for second in (0..9_600).step_by(60) {
            while let Some((at, replica, lines)) = arrivals.next_if(|(at, ..)| *at <= second) {
                replicas[replica].write(lines, start() + Duration::from_secs(at));
            }
            let now = start() + Duration::from_secs(second);
            for ago in [1, 30, 60] {
                let then = sealed.len().saturating_sub(3 * ago);
                for (replica, sealed) in replicas.iter().zip(sealed[then..].iter().skip(1)) {
                    prop_assert!(replica.opens(sealed, now), "after {second} s");
                }
            }
            sealed.extend(replicas.iter().map(|replica| replica.seal(now)));
        }
        prop_assert!(is_of(3, sealed.last().unwrap(), start()));
    }
}
