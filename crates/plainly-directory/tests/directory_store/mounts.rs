//! Building a store: names, and all faults at once. Also the store after its directory was removed.

use std::fs;
use std::path::MAIN_SEPARATOR;

use plainly::Server;
use plainly::store::{ListQuery, Store, Stores};
use plainly_directory::{DirectoryStore, MountError, MountProblem};

use crate::fixture::{Fixture, SECRET, short};

#[test]
fn a_mount_is_named_after_its_directory_or_as_told() {
    let around = tempfile::tempdir().unwrap();
    let dir = around.path().join("my notes");
    fs::create_dir_all(dir.join("in/side")).unwrap();
    let store = DirectoryStore::builder()
        .mount(dir.join("in/side/../.."))
        .mount_as("other", dir.join("in"))
        .build()
        .unwrap();
    let mounts: Vec<_> = store
        .mounts()
        .map(|mount| (mount.name(), mount.uri()))
        .collect();
    let expected = [
        ("my notes", "file:///my%20notes"),
        ("other", "file:///other"),
    ];
    assert_eq!(mounts, expected);
}

#[test]
fn all_problems_are_told_together() {
    let around = tempfile::tempdir().unwrap();
    let path = |name: &str| around.path().join(name);
    for name in ["one", "two"] {
        fs::create_dir_all(path(name).join("same")).unwrap();
    }
    fs::write(path("file"), "").unwrap();
    let error = DirectoryStore::builder()
        .mount(path("none"))
        .mount(path("file/x"))
        .mount("/")
        .mount_as("a/b", path("one"))
        .mount_as("", path("one"))
        .mount_as("..", path("one"))
        .mount_as("line\nbreak", path("one"))
        .mount_as("x".repeat(256), path("one"))
        .mount(path("one/same"))
        .mount(path("two/same"))
        .build()
        .unwrap_err();
    let said: Vec<String> = error
        .problems()
        .iter()
        .map(|problem| {
            problem
                .to_string()
                .replace(around.path().to_str().unwrap(), "~")
                .replace(&format!("~{MAIN_SEPARATOR}"), "~/")
        })
        .collect();
    let long = "x".repeat(256);
    assert_eq!(
        said,
        [
            "no such file or directory: ~/none",
            "not a directory: ~/file/x",
            "/ needs a name: use NAME=/",
            "\"a/b\" is not a valid mount name: ~/one",
            "\"\" is not a valid mount name: ~/one",
            "\"..\" is not a valid mount name: ~/one",
            "\"line\\nbreak\" is not a valid mount name: ~/one",
            &format!("\"{long}\" is not a valid mount name: ~/one"),
            "two mounts are named \"same\": give ~/two/same another name with NAME=~/two/same",
        ]
    );
    assert_eq!(error.to_string().matches("; ").count(), 8);
}

#[test]
fn a_store_serves_at_least_one_directory() {
    let error: MountError = DirectoryStore::builder().build().unwrap_err();
    assert!(matches!(error.problems(), [MountProblem::NoMount]));
}

#[test]
fn only_uris_of_its_mounts_are_served() {
    let fixture = Fixture::new(&[]);
    for (uri, expected) in [
        ("file:///docs", true),
        ("file:///docs/x", true),
        ("file:///docs/../x", true),
        ("file:///docs-evil/x", false),
        ("file:///doc", false),
        ("file:///", true),
        ("file:////docs", false),
        ("FILE:///docs/x", true),
        ("file://localhost/docs", true),
        ("http://docs/x", false),
        ("é", false),
        ("", false),
    ] {
        assert_eq!(fixture.store.serves(uri), expected, "{uri}");
    }
}

#[test]
fn a_directory_beside_with_a_longer_name_is_not_served() {
    let fixture = Fixture::new(&[("x", "inside")]);
    fs::create_dir(fixture.outside().join("docs-evil")).unwrap();
    fs::write(fixture.outside().join("docs-evil/x"), SECRET).unwrap();
    assert_eq!(fixture.text("file:///docs/x"), "inside");
    assert_eq!(fixture.text("file:///docs-evil/x"), "resource not found");
}

#[test]
fn what_a_program_prints_of_the_store_names_no_path() {
    let fixture = Fixture::new(&[]);
    let printed = format!("{:?}", fixture.store);
    assert!(printed.contains("file:///docs"));
    assert!(
        !printed.contains(fixture.outside().to_str().unwrap()),
        "{printed}"
    );
}

#[cfg(unix)]
#[test]
fn the_root_may_be_a_link_and_is_named_after_it() {
    let around = tempfile::tempdir().unwrap();
    fs::create_dir(around.path().join("real")).unwrap();
    fs::write(around.path().join("real/x"), "").unwrap();
    std::os::unix::fs::symlink("real", around.path().join("link")).unwrap();
    let store = DirectoryStore::new(around.path().join("link")).unwrap();
    assert_eq!(store.mounts().next().unwrap().uri(), "file:///link");
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_moved_is_served_until_there_is_another() {
    let fixture = Fixture::new(&[("x", "before")]);
    let moved = fixture.outside().join("moved");
    fs::rename(fixture.root(), &moved).unwrap();
    assert_eq!(fixture.text("file:///docs/x"), "before");
    fs::create_dir(fixture.root()).unwrap();
    fs::write(fixture.root().join("x"), "after").unwrap();
    while fixture.text("file:///docs/x") == "before" {}
    assert_eq!(fixture.text("file:///docs/x"), "after");
    assert_eq!(fixture.tree(), ["docs", "docs/x"]);
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_deleted_has_nothing_in_it_any_more() {
    use plainly::store::StoreError;

    use crate::fixture::ALL;

    let fixture = Fixture::new(&[("x", "inside")]);
    fs::remove_dir_all(fixture.root()).unwrap();
    assert_eq!(fixture.text("file:///docs/x"), "resource not found");
    assert_eq!(fixture.tree(), ["docs"]);
    let listed = fixture.list(Some("file:///docs"), None, ALL);
    assert!(
        matches!(listed, Err(StoreError::NotFound))
            || listed.is_ok_and(|page| page.resources.is_empty())
    );
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_removed_and_made_anew_is_served_again() {
    let fixture = Fixture::new(&[("x", "before")]);
    fs::remove_dir_all(fixture.root()).unwrap();
    assert_eq!(fixture.tree(), ["docs"]);
    fs::create_dir(fixture.root()).unwrap();
    fs::write(fixture.root().join("x"), "after").unwrap();
    assert_eq!(fixture.text("file:///docs/x"), "after");
    // A file at the directory's path is not served instead.
    fs::remove_dir_all(fixture.root()).unwrap();
    fs::write(fixture.root(), SECRET).unwrap();
    assert_eq!(fixture.tree(), ["docs"]);
}

#[test]
fn stores_of_one_server_have_mounts_side_by_side_and_the_first_has_what_is_above() {
    let first = Fixture::new(&[("a", "a")]);
    let around = tempfile::tempdir().unwrap();
    let second = DirectoryStore::builder().mount_as("other", around.path());
    let second = second.build().unwrap();
    let stores = Stores::new().add(first.store.clone()).add(second);
    let server = Server::builder("test", "1").store(stores.clone()).build();
    assert!(server.is_ok());
    let listed = |parent: Option<&str>| {
        let mut query = ListQuery::new(9);
        query.parent = parent;
        short(&first.block_on(stores.list(query)).unwrap())
    };
    assert_eq!(listed(None), ["", "docs", "docs/a", "other"]);
    assert_eq!(listed(Some("file:///")), ["docs"]);
    let twice = Stores::new().add(first.store.clone());
    let server = Server::builder("test", "1").store(twice.add(first.store.clone()));
    let error = server.build().unwrap_err().to_string();
    assert!(
        error.contains("store of file:///docs is added twice"),
        "{error}"
    );
}
