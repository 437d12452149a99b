//! Listings and reads when the operating system fails to look at a name, or to open it.

use plainly::protocol::types::Resource;
use plainly::store::StoreError;

use super::Request;
use crate::handle::faults::{Fault, Operation, during};
use crate::job::Waiter;
use crate::store::DirectoryStore;

const EIO: i32 = 5;
const EMFILE: i32 = 24;

/// Runs a request against a store while `faults` strike.
fn ask<T>(
    store: &DirectoryStore,
    faults: &[Fault],
    ask: impl FnOnce(&Request<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let (_waits, waiter) = Waiter::until_dropped();
    during(faults, || {
        ask(&Request {
            mounts: &store.mounts,
            waiter: &waiter,
        })
    })
}

/// Serves a directory with these files under the name `d`.
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
        Err(StoreError::NotFound) => "NotFound".to_owned(),
        Err(StoreError::Failed(error)) => format!("Failed: {error}"),
        Err(error) => error.to_string(),
    }
}

/// The URIs of all entries of the mount after a position, without their common prefix.
fn list(
    store: &DirectoryStore,
    after: Option<&str>,
    faults: &[Fault],
) -> Result<Vec<String>, StoreError> {
    let page = ask(store, faults, |request| request.everything(after, 99))?;
    let short = |resource: &Resource| Some(resource.uri.strip_prefix("file:///d")?.to_owned());
    Ok(page.resources.iter().filter_map(short).collect())
}

const TREE: &[(&str, &str)] = &[("a", "1"), ("dir/x", "2"), ("dir/y", "3"), ("z", "4")];

#[test]
fn what_can_not_be_read_is_left_out_and_the_rest_is_listed() {
    use Operation::{List, Look, Open};

    let (_around, store) = serve(TREE);
    let cases = [
        (Look, "a", &["", "/dir", "/z", "/dir/x", "/dir/y"][..]),
        (Open, "a", &["", "/dir", "/z", "/dir/x", "/dir/y"]),
        (Open, "y", &["", "/a", "/dir", "/z", "/dir/x"]),
        (Open, "dir", &["", "/a", "/z"]),
        (List, "dir", &["", "/a", "/dir", "/z"]),
    ];
    for (operation, name, expected) in cases {
        let faults = |number| [(operation, name, number)];
        let listed = list(&store, None, &faults(EIO)).unwrap();
        assert_eq!(listed, expected, "{operation:?} {name}");
        // The name is not at fault here, and the next one may fail as well.
        let listed = list(&store, None, &faults(EMFILE));
        assert!(matches!(listed, Err(StoreError::Failed(_))), "{listed:?}");
    }
    let children = ask(&store, &[(Open, "a", EIO)], |request| {
        request.children("file:///d", None, 99)
    });
    assert_eq!(children.unwrap().resources.len(), 2);
    assert_eq!(read(&store, "file:///d", &[(Open, "a", EIO)]), "1");
}

#[test]
fn a_listing_fails_if_the_directory_itself_can_not_be_read() {
    let (_around, store) = serve(TREE);
    let fault = |operation, name| [(operation, name, EIO)];
    let root = list(&store, None, &fault(Operation::List, ""));
    assert!(matches!(root, Err(StoreError::Failed(_))), "{root:?}");
    let children = ask(&store, &fault(Operation::List, "dir"), |request| {
        request.children("file:///d/dir", None, 99)
    });
    assert!(
        matches!(children, Err(StoreError::Failed(_))),
        "{children:?}"
    );
}

#[test]
fn a_directory_that_was_listed_in_part_is_never_left_out_silently() {
    let (_around, store) = serve(TREE);
    let after = |uri, operation, name| list(&store, Some(uri), &[(operation, name, EIO)]);
    for operation in [Operation::Look, Operation::Open, Operation::List] {
        let rest = after("file:///d/dir/x", operation, "dir");
        assert!(matches!(rest, Err(StoreError::Failed(_))), "{rest:?}");
        // The listing had returned nothing from this directory yet.
        assert_eq!(after("file:///d/z", operation, "dir").unwrap(), [""; 0]);
    }
    assert_eq!(
        after("file:///d/dir/x", Operation::Open, "x").unwrap(),
        ["/dir/y"]
    );
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
