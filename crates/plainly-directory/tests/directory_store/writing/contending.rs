//! Many writers of one resource, in several processes, and names that change meanwhile.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;

use plainly::store::{
    ByteRange, RangeQuery, Ranged, RemoveQuery, Store, When, Writable, WriteError, WriteQuery,
};
use plainly_directory::DirectoryStore;
use tokio::runtime::{Builder, Runtime};

use super::uri;
use crate::fixture::Fixture;

/// The variable with the directory, for the second process that writes to it.
const DIRECTORY: &str = "PLAINLY_TEST_WRITES_IN";

/// The numbers of writers in each process, and of changes by each writer.
const WRITERS: usize = 4;
const CHANGES: usize = 25;

/// The length of a line. Several lines are more than the system writes at once.
const LINE: usize = 300 << 10;

/// Starts a second process that runs this test.
fn another(fixture: &Fixture, test: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("writing::contending::{test}")])
        .env(DIRECTORY, fixture.root())
        .spawn()
        .unwrap()
}

/// Runs `work` in several threads of two processes, each with its own store.
fn in_two_processes(
    files: &[(&str, &str)],
    test: &str,
    work: impl Fn(&DirectoryStore, &Runtime, usize) + Sync,
) -> Option<Fixture> {
    let serve = |path: &Path| {
        let builder = DirectoryStore::builder().mount_writable_as("docs", path);
        builder.build().unwrap()
    };
    let all = |store: &DirectoryStore, first: usize| {
        thread::scope(|scope| {
            for writer in first..first + WRITERS {
                let work = &work;
                scope.spawn(move || {
                    let runtime = Builder::new_current_thread().build().unwrap();
                    work(store, &runtime, writer);
                });
            }
        });
    };
    if let Some(directory) = env::var_os(DIRECTORY) {
        all(&serve(Path::new(&directory)), WRITERS);
        return None;
    }
    let fixture = Fixture::writable(files);
    let mut second = another(&fixture, test);
    all(&fixture.store, 0);
    assert!(second.wait().unwrap().success());
    Some(fixture)
}

fn read(store: &DirectoryStore, runtime: &Runtime, uri: &str) -> Ranged {
    let all = ByteRange::From {
        first: 0,
        most: u64::MAX,
    };
    runtime
        .block_on(store.read_range(RangeQuery::new(uri, all)))
        .unwrap()
}

#[test]
fn no_update_is_lost() {
    let counter = uri("counter");
    let fixture = in_two_processes(
        &[("counter", "1000")],
        "no_update_is_lost",
        |store, runtime, _| {
            for _ in 0..CHANGES {
                loop {
                    let ranged = read(store, runtime, &counter);
                    let number: usize = str::from_utf8(&ranged.bytes).unwrap().parse().unwrap();
                    let tag = ranged.tag.unwrap();
                    let next = (number + 1).to_string();
                    let query = WriteQuery::new(&counter, next).when(When::Tag(&tag));
                    match runtime.block_on(store.write(query)) {
                        Ok(written) => {
                            assert!(!written.is_new);
                            break;
                        }
                        Err(WriteError::Changed { .. }) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
            }
        },
    );
    let Some(fixture) = fixture else { return };
    let expected = 1000 + 2 * WRITERS * CHANGES;
    assert_eq!(fixture.text(&counter), expected.to_string());
    assert_eq!(fixture.tree(), ["docs", "docs/counter"]);
}

#[test]
fn what_is_appended_is_never_mixed() {
    let log = uri("log");
    let test = "what_is_appended_is_never_mixed";
    let fixture = in_two_processes(&[], test, |store, runtime, writer| {
        let letter = char::from(b'a' + u8::try_from(writer).unwrap());
        for _ in 0..CHANGES / 5 {
            let line = letter.to_string().repeat(LINE) + "\n";
            let query = WriteQuery::new(&log, line).append();
            runtime.block_on(store.write(query)).unwrap();
        }
    });
    let Some(fixture) = fixture else { return };
    let text = fs::read_to_string(fixture.root().join("log")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2 * WRITERS * (CHANGES / 5));
    for line in &lines {
        assert_eq!(line.len(), LINE);
        assert!(line.bytes().all(|byte| Some(byte) == line.bytes().next()));
    }
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 2 * WRITERS);
}

#[test]
fn one_writer_creates_and_one_removes() {
    let fixture = in_two_processes(
        &[],
        "one_writer_creates_and_one_removes",
        |store, runtime, writer| {
            for number in 0..CHANGES {
                let (name, own) = (uri(&format!("new-{number}")), writer.to_string());
                let query = WriteQuery::new(&name, own.clone()).when(When::Absent);
                match runtime.block_on(store.write(query)) {
                    Ok(written) => {
                        assert!(written.is_new);
                        let tag = written.tag.unwrap();
                        assert_eq!(read(store, runtime, &name).bytes, own.as_bytes());
                        let query = RemoveQuery::new(&name).when(When::Tag(&tag));
                        runtime.block_on(store.remove(query)).unwrap();
                    }
                    Err(WriteError::Exists) => {}
                    Err(error) => panic!("{error:?}"),
                }
            }
        },
    );
    let Some(fixture) = fixture else { return };
    assert_eq!(fixture.tree(), ["docs"]);
}

#[cfg(unix)]
#[test]
fn nothing_outside_is_changed_whatever_is_renamed_meanwhile() {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use crate::fixture::SECRET;
    use crate::races::{exchange, time, traps};

    let fixture = Fixture::writable(&[
        ("file", "inside"),
        ("dir/ok.txt", "inside"),
        ("ok.txt", "inside"),
        ("p/q/r/", ""),
    ]);
    let swaps = traps(&fixture);
    let (over, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    let uris = ["file", "dir/ok.txt", "p/q/r/up", "p/q/r/new"].map(uri);
    thread::scope(|scope| {
        for (one, other) in &swaps {
            scope.spawn(|| exchange(one, other, &over));
        }
        for uri in &uris {
            let (over, written, store) = (&over, &written, &fixture.store);
            scope.spawn(move || {
                let runtime = Builder::new_current_thread().build().unwrap();
                while !over.load(Ordering::Relaxed) {
                    let query = WriteQuery::new(uri, "inside").permanent(true);
                    let done = runtime.block_on(store.write(query.clone()));
                    written.fetch_add(usize::from(done.is_ok()), Ordering::Relaxed);
                    let _appended = runtime.block_on(store.write(query.append()));
                }
            });
        }
        thread::sleep(time());
        over.store(true, Ordering::Relaxed);
    });
    assert!(written.into_inner() > 0);
    for path in ["secret.txt", "ok.txt", "evil/ok.txt"] {
        let text = fs::read_to_string(fixture.outside().join(path)).unwrap();
        assert_eq!(text, SECRET, "{path}");
    }
}
