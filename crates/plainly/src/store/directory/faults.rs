//! What the operating system can't do, acted out: names that fail to be looked at or opened, and what becomes of the rest.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;

use super::job::Waiter;
use super::*;

const EIO: i32 = 5;
const EMFILE: i32 = 24;

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Look,
    Open,
}

/// An operation, the name with which it fails, and the error's number.
type Fault = (Operation, &'static str, i32);

thread_local! {
    static FAULTS: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
}

/// Fails if that was asked for on this thread.
pub(super) fn strike(operation: Operation, name: &OsStr) -> io::Result<()> {
    FAULTS.with_borrow(|faults| {
        let is_this = |fault: &&Fault| (fault.0, OsStr::new(fault.1)) == (operation, name);
        match faults.iter().find(is_this) {
            Some((.., number)) => Err(io::Error::from_raw_os_error(*number)),
            None => Ok(()),
        }
    })
}

/// Asks a store for something while `faults` strike.
fn ask<T>(
    store: &DirectoryStore,
    faults: &[Fault],
    ask: impl FnOnce(&Request<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let (_waits, waiter) = Waiter::until_dropped();
    FAULTS.set(faults.to_vec());
    let answer = ask(&Request {
        store: &store.inner,
        waiter: &waiter,
    });
    FAULTS.take();
    answer
}

/// Serves a directory called `d` with these files.
fn serve(files: &[(&str, &str)]) -> (tempfile::TempDir, DirectoryStore) {
    let around = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = around.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let store = DirectoryStore::builder().mount_as("d", around.path());
    let store = store.build().unwrap();
    (around, store)
}

fn read(store: &DirectoryStore, uri: &str, faults: &[Fault]) -> String {
    match ask(store, faults, |request| request.read(uri)) {
        Ok(contents) => contents.len().to_string(),
        Err(error) => format!("{error:?}"),
    }
}

#[test]
fn how_a_hidden_name_fails_does_not_tell_it_from_an_absent_one() {
    let (_around, store) = serve(&[
        (".gitignore", "ignored*"),
        (".hidden", "x"),
        ("ignored", "x"),
        ("ignored-dir/x", "x"),
        ("shown", "x"),
    ]);
    for operation in [Operation::Look, Operation::Open] {
        for number in [EIO, EMFILE] {
            for name in [".hidden", "ignored", "ignored-dir"] {
                let uri = format!("file:///d/{name}");
                let faults = [(operation, name, number)];
                let answer = read(&store, &uri, &faults);
                assert_eq!(answer, "NotFound", "{faults:?}");
            }
            let answer = read(&store, "file:///d/shown", &[(operation, "shown", number)]);
            assert!(answer.starts_with("Failed"), "{answer}");
        }
    }
}

#[test]
fn rules_that_this_process_has_no_means_to_read_hide_nothing_and_show_nothing() {
    let (_around, store) = serve(&[(".gitignore", "ignored"), ("ignored", "x"), ("shown", "x")]);
    let faults = |number| [(Operation::Open, ".gitignore", number)];
    for name in ["ignored", "shown", "absent"] {
        let uri = format!("file:///d/{name}");
        let answer = read(&store, &uri, &faults(EMFILE));
        assert!(answer.starts_with("Failed"), "{name}: {answer}");
        assert_eq!(read(&store, &uri, &faults(EIO)), "NotFound", "{name}");
    }
    let listed = ask(&store, &faults(EMFILE), |request| {
        request.everything(None, 9)
    });
    assert!(matches!(listed, Err(StoreError::Failed(_))), "{listed:?}");
}
