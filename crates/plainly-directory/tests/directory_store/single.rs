//! Single files as mounts. No file next to them is served, whatever happens to them.

use std::fs;

use plainly::store::{StoreError, Stores, check};

use crate::fixture::{ALL, Fixture, SECRET, short, write_all};

const BESIDE: &[(&str, &str)] = &[
    ("notes.md", "# Notes"),
    ("notes.md.bak", SECRET),
    (".env", "A=1"),
    ("beside.txt", SECRET),
    (".gitignore", "*"),
];

/// Serves `docs`, and two files in another directory.
fn fixture() -> (tempfile::TempDir, Fixture) {
    let around = tempfile::tempdir().unwrap();
    write_all(around.path(), BESIDE);
    let fixture = Fixture::with(&[("a/b", "1")], |builder| {
        builder
            .mount(around.path().join("notes.md"))
            .mount_as("settings", around.path().join(".env"))
    });
    (around, fixture)
}

#[test]
fn a_file_is_served_by_its_name_and_nothing_beside_it() {
    let (_around, fixture) = fixture();
    let expected = ["docs", "notes.md", "settings", "docs/a", "docs/a/b"];
    assert_eq!(fixture.tree(), expected);
    assert_eq!(
        fixture.children("file:///"),
        ["docs", "notes.md", "settings"]
    );
    assert_eq!(fixture.text("file:///notes.md"), "# Notes");
    // A single file is served whatever its name and the rules, because the user named it.
    assert_eq!(fixture.text("file:///settings"), "A=1");
    let file = fixture.metadata("file:///notes.md").unwrap();
    assert_eq!(file.mime_type.as_deref(), Some("text/markdown"));
    assert_eq!(file.is_collection, Some(false));
    let top = fixture.read("file:///").unwrap();
    let read: Vec<&str> = top.iter().map(|one| &*one.uri).collect();
    assert_eq!(read, ["file:///notes.md", "file:///settings"]);
    for uri in [
        "file:///notes.md/notes.md",
        "file:///notes.md/beside.txt",
        "file:///settings/.env",
    ] {
        fixture.assert_absent(uri);
    }
    assert!(matches!(
        fixture.list(Some("file:///notes.md"), None, ALL),
        Err(StoreError::NotACollection)
    ));
    for (after, expected) in [
        ("file:///notes.md", &expected[2..]),
        ("file:///settings", &expected[3..]),
    ] {
        let rest = fixture.list(None, Some(after), ALL).unwrap();
        assert_eq!(short(&rest), expected);
    }
    let wrong = fixture.list(None, Some("file:///notes.md/beside.txt"), ALL);
    assert!(matches!(wrong, Err(StoreError::InvalidCursor)));
}

#[test]
fn files_keep_the_rules_of_stores() {
    let (_around, fixture) = fixture();
    let report = fixture.block_on(check(&fixture.store));
    assert!(report.is_ok(), "{report}");
    let report = fixture.block_on(check(&Stores::new().add(fixture.store.clone())));
    assert!(report.is_ok(), "{report}");
}

#[test]
fn a_file_that_is_replaced_is_served_and_what_is_no_file_is_not() {
    let (around, fixture) = fixture();
    let path = around.path().join("notes.md");
    let uri = "file:///notes.md";
    fs::write(around.path().join("next"), "# Next").unwrap();
    fs::rename(around.path().join("next"), &path).unwrap();
    assert_eq!(fixture.text(uri), "# Next");
    fs::remove_file(&path).unwrap();
    fixture.assert_absent(uri);
    assert_eq!(fixture.tree(), ["docs", "settings", "docs/a", "docs/a/b"]);
    fs::create_dir(&path).unwrap();
    fs::write(path.join("inside"), SECRET).unwrap();
    fixture.assert_absent(uri);
    fixture.assert_absent("file:///notes.md/inside");
    fs::remove_dir_all(&path).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("beside.txt", &path).unwrap();
        fixture.assert_absent(uri);
        fs::remove_file(&path).unwrap();
    }
    fs::write(&path, "# Again").unwrap();
    assert_eq!(fixture.text(uri), "# Again");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_is_served_as_what_it_leads_to() {
    let around = tempfile::tempdir().unwrap();
    write_all(around.path(), &[("d/real.md", "real")]);
    std::os::unix::fs::symlink("d/real.md", around.path().join("link.md")).unwrap();
    let fixture = Fixture::with(&[], |builder| builder.mount(around.path().join("link.md")));
    assert_eq!(fixture.tree(), ["docs", "link.md"]);
    assert_eq!(fixture.text("file:///link.md"), "real");
}

/// The files of a ConfigMap are links through a link that is replaced.
#[cfg(unix)]
#[test]
fn another_target_of_a_link_is_served_and_reported() {
    use futures_util::StreamExt as _;
    use plainly::server::SubscribedResources;
    use plainly::store::{Change, Store as _};
    use std::os::unix::fs::symlink;

    let around = tempfile::tempdir().unwrap();
    let path = |name: &str| around.path().join(name);
    let files = [("1/x.md", "one"), ("2/x.md", "two"), ("2/y", "three")];
    write_all(around.path(), &files);
    symlink("1", path("data")).unwrap();
    symlink("data/x.md", path("x.md")).unwrap();
    let fixture = Fixture::with(&[], |builder| builder.mount(path("x.md")));
    let uri = "file:///x.md";
    let mut changes = fixture.store.watch(SubscribedResources::none()).unwrap();
    let mut expect = |text: &str| {
        fixture.block_on(async {
            let told = Change::Tree(uri.to_owned());
            while changes.next().await.as_ref() != Some(&told) {}
        });
        assert_eq!(fixture.text(uri), text);
        let mime_type = fixture.metadata(uri).unwrap().mime_type;
        assert_eq!(mime_type.as_deref(), Some("text/markdown"));
    };
    symlink("2", path("next")).unwrap();
    fs::rename(path("next"), path("data")).unwrap();
    expect("two");
    symlink("2/y", path("next")).unwrap();
    fs::rename(path("next"), path("x.md")).unwrap();
    expect("three");
    fs::write(path("next"), "four").unwrap();
    fs::rename(path("next"), path("x.md")).unwrap();
    expect("four");
}

#[cfg(feature = "skills")]
#[test]
fn skills_are_in_a_directory() {
    let (around, _fixture) = fixture();
    let error = plainly_directory::SkillDirectory::new(around.path().join("notes.md"));
    let error = error.unwrap_err().to_string();
    assert!(error.starts_with("not a directory: "), "{error}");
}
