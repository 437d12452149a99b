//! Changes to a directory.

mod contending;
mod refused;
mod trash;

use std::fs;

use plainly::server::SubscribedResources;
use plainly::store::{
    ByteRange, Change, RangeQuery, RemoveQuery, Removed, RenameQuery, Store, StoreError, When,
    Writable, WriteError, WriteQuery, Written,
};

use crate::fixture::Fixture;

impl Fixture {
    /// Serves `docs` for writing, with these files.
    pub(crate) fn writable(files: &[(&str, &str)]) -> Self {
        Self::with(files, |builder| builder.writable(true))
    }

    pub(crate) fn change(&self, query: WriteQuery<'_>) -> Result<Written, WriteError> {
        self.harmless(self.block_on(self.store.write(query)))
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> Result<Written, WriteError> {
        let uri = uri(path);
        self.change(WriteQuery::new(&uri, text.to_owned()))
    }

    pub(crate) fn remove(&self, query: RemoveQuery<'_>) -> Result<Removed, WriteError> {
        self.harmless(self.block_on(self.store.remove(query)))
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<Written, WriteError> {
        let (from, to) = (uri(from), uri(to));
        self.harmless(self.block_on(self.store.rename(RenameQuery::new(&from, &to))))
    }

    pub(crate) fn create(&self, path: &str) -> Result<(), WriteError> {
        self.harmless(self.block_on(self.store.create_collection(&uri(path))))
    }

    /// The tag of a file, as reported to a reader.
    pub(crate) fn tag(&self, path: &str) -> String {
        let uri = uri(path);
        let query = RangeQuery::new(&uri, ByteRange::Last(0));
        self.block_on(self.store.read_range(query))
            .unwrap()
            .tag
            .unwrap()
    }

    fn harmless<T: std::fmt::Debug>(&self, answer: Result<T, WriteError>) -> Result<T, WriteError> {
        self.tells_nothing(&format!("{answer:?}"));
        answer
    }
}

pub(crate) fn uri(path: &str) -> String {
    format!("file:///docs/{path}")
}

#[test]
fn what_is_written_is_read() {
    let fixture = Fixture::writable(&[("dir/", "")]);
    for path in ["new.md", "dir/a%20b"] {
        let written = fixture.write(path, "one").unwrap();
        assert_eq!(
            (written.uri, written.size, written.is_new),
            (uri(path), Some(3), true)
        );
        assert_eq!(written.tag, Some(fixture.tag(path)));
        assert_eq!(fixture.text(&uri(path)), "one");

        let again = fixture.write(path, "other").unwrap();
        assert_eq!((again.size, again.is_new), (Some(5), false));
        assert_ne!(again.tag, written.tag);
        assert_eq!(again.tag, Some(fixture.tag(path)));

        let uri = uri(path);
        let appended = fixture.change(WriteQuery::new(&uri, "!").append()).unwrap();
        assert_eq!(
            (appended.size, &appended.tag),
            (Some(6), &Some(fixture.tag(path)))
        );
        assert_ne!(appended.tag, again.tag);
        assert_eq!(fixture.text(&uri), "other!");
    }
    let begun = fixture.change(WriteQuery::new(&uri("log"), "first\n").append());
    assert!(begun.unwrap().is_new);
    fixture.write("empty", "").unwrap();
    assert_eq!(fixture.text(&uri("empty")), "");
    let mut all = fixture.tree();
    all.sort();
    let expected = ["", "/dir", "/dir/a%20b", "/empty", "/log", "/new.md"];
    assert_eq!(all, expected.map(|path| format!("docs{path}")));
}

#[test]
fn a_change_is_made_only_in_the_state_that_it_asks_for() {
    let fixture = Fixture::writable(&[("file", "old"), ("dir/x", "x")]);
    let (file, dir, absent) = (uri("file"), uri("dir"), uri("absent"));
    let write = |uri: &str, when: When<'_>| {
        fixture
            .change(WriteQuery::new(uri, "new").when(when))
            .map(drop)
    };
    let remove = |uri: &str, when: When<'_>| {
        fixture
            .remove(RemoveQuery::new(uri).recursive(true).when(when))
            .map(drop)
    };
    let rename = |uri: &str, when: When<'_>| {
        let to = format!("{uri}-2");
        let query = RenameQuery::new(uri, &to).when(when);
        fixture.block_on(fixture.store.rename(query)).map(drop)
    };
    let tag = fixture.tag("file");
    for uri in [&file, &dir] {
        for done in [
            write(uri, When::Absent),
            remove(uri, When::Absent),
            rename(uri, When::Absent),
        ] {
            assert!(matches!(done, Err(WriteError::Exists)), "{uri} {done:?}");
        }
    }
    let other = When::Tag("other");
    for done in [
        write(&file, other),
        remove(&file, other),
        rename(&file, other),
    ] {
        match done {
            Err(WriteError::Changed { tag: Some(present) }) => assert_eq!(present, tag),
            done => panic!("{done:?}"),
        }
    }
    for done in [
        write(&absent, other),
        remove(&absent, other),
        rename(&absent, other),
        remove(&dir, other),
        rename(&dir, other),
    ] {
        assert!(
            matches!(done, Err(WriteError::Changed { tag: None })),
            "{done:?}"
        );
    }
    for done in [remove(&absent, When::Always), rename(&absent, When::Absent)] {
        let is_missing = matches!(done, Err(WriteError::Store(StoreError::NotFound)));
        assert!(is_missing, "{done:?}");
    }
    assert_eq!(fixture.text(&file), "old");
}

#[test]
fn a_change_is_made_in_the_state_that_it_asks_for() {
    let fixture = Fixture::writable(&[("file", "old")]);
    let (file, renamed, absent) = (uri("file"), uri("file-2"), uri("absent"));
    let tag = fixture.tag("file");
    let query = WriteQuery::new(&file, "new").when(When::Tag(&tag));
    fixture.change(query).unwrap();
    let query = WriteQuery::new(&absent, "new").when(When::Absent);
    fixture.change(query).unwrap();
    let tag = fixture.tag("file");
    let query = RenameQuery::new(&file, &renamed).when(When::Tag(&tag));
    fixture.block_on(fixture.store.rename(query)).unwrap();
    let tag = fixture.tag("file-2");
    let query = RemoveQuery::new(&renamed).when(When::Tag(&tag));
    fixture.remove(query).unwrap();
    assert_eq!(fixture.tree(), ["docs", "docs/absent"]);
}

#[test]
fn collections_are_created_removed_and_renamed() {
    let fixture = Fixture::writable(&[("a/x", "x"), ("file", "f")]);
    for path in ["new/and/deep", "new/and", "a"] {
        fixture.create(path).unwrap();
        fixture.create(path).unwrap();
    }
    fixture
        .block_on(fixture.store.create_collection("file:///docs"))
        .unwrap();
    for path in ["file", "file/x"] {
        let done = fixture.create(path);
        assert!(matches!(done, Err(WriteError::Exists)), "{path} {done:?}");
    }
    let done = fixture.rename("a", "new/b").unwrap();
    assert_eq!(
        (done.uri, done.size, done.is_new),
        (uri("new/b"), None, true)
    );
    assert_eq!(fixture.text(&uri("new/b/x")), "x");
    for (from, to) in [("new/b/x", "file"), ("file", "new"), ("new", "new")] {
        let done = fixture.rename(from, to);
        assert!(
            matches!(done, Err(WriteError::Exists)),
            "{from} {to} {done:?}"
        );
    }
    let into_itself = fixture.rename("new", "new/c");
    assert!(
        matches!(into_itself, Err(WriteError::Denied { .. })),
        "{into_itself:?}"
    );

    let new = uri("new");
    let full = fixture.remove(RemoveQuery::new(&new));
    assert!(matches!(full, Err(WriteError::NotEmpty)), "{full:?}");
    let deep = uri("new/and/deep");
    assert_eq!(
        fixture.remove(RemoveQuery::new(&deep)).unwrap().restorable,
        None
    );
    let removed = fixture
        .remove(RemoveQuery::new(&new).recursive(true))
        .unwrap();
    assert!(removed.restorable.is_some());
    assert_eq!(fixture.tree(), ["docs", "docs/file"]);
}

#[test]
fn resources_move_between_mounts_of_one_disk() {
    let fixture = Fixture::new(&[("a/x", "x"), ("b/", "")]);
    let [a, b] = ["a", "b"].map(|name| fixture.root().join(name));
    let both = plainly_directory::DirectoryStore::builder();
    let both = both.mount_writable(a).mount_writable(b).build().unwrap();
    let query = RenameQuery::new("file:///a/x", "file:///b/y");
    fixture.block_on(both.rename(query)).unwrap();
    assert_eq!(fs::read(fixture.root().join("b/y")).unwrap(), b"x");
    assert!(!fixture.root().join("a/x").exists());
}

#[test]
fn a_resource_is_changed_by_any_spelling_and_reported_by_its_own() {
    let fixture = Fixture::writable(&[("dir/", "")]);
    let query = WriteQuery::new("FILE://localhost/docs/dir/%7Ea%5b", "x");
    let written = fixture.change(query).unwrap();
    assert_eq!(written.uri, uri("dir/~a%5B"));
    fixture.create("new/deep/").unwrap();
    let renamed = fixture.rename("new/", "newer/").unwrap();
    assert_eq!(renamed.uri, uri("newer"));
    let remove = |path: &str| {
        let uri = uri(path);
        fixture.remove(RemoveQuery::new(&uri).recursive(true))
    };
    remove("newer/").unwrap();
    let done = remove("dir/~a%5B/");
    let is_missing = matches!(done, Err(WriteError::Store(StoreError::NotFound)));
    assert!(is_missing, "{done:?}");
    let done = fixture.write("file/", "x").unwrap_err();
    let why = "invalid URI: it ends with a slash, as only those of directories do";
    assert_eq!(done.to_string(), why);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_has_its_mode() {
    use std::os::unix::fs::PermissionsExt;

    let fixture = Fixture::writable(&[("script", "old")]);
    let path = fixture.root().join("script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    fixture.write("script", "new").unwrap();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    let trash = fixture.root().join(".plainly-trash");
    let mode = fs::metadata(&trash).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o700);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_replaced_has_its_access_list_and_attributes() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    let fixture = Fixture::writable(&[("shared", "old")]);
    let path = fixture.root().join("shared");
    // Each entry has a kind, rights and an id: the owner, user 1000, the group, the mask of these
    // two, and all others.
    let none = u32::MAX;
    let entries = [
        (1, 6, none),
        (2, 6, 1000),
        (4, 0, none),
        (16, 6, none),
        (32, 0, none),
    ];
    let mut access = 2_u32.to_le_bytes().to_vec();
    for (kind, rights, number) in entries {
        access.extend(u16::to_le_bytes(kind));
        access.extend(u16::to_le_bytes(rights));
        access.extend(u32::to_le_bytes(number));
    }
    let attributes = [
        ("system.posix_acl_access", access),
        ("user.origin", b"here".to_vec()),
    ];
    for (name, value) in &attributes {
        if setxattr(&path, *name, value, XattrFlags::empty()).is_err() {
            println!("skipped: the file system has no {name}");
            return;
        }
    }
    fixture.write("shared", "new").unwrap();
    for (name, value) in attributes {
        let mut found = vec![0; 99];
        let length = getxattr(&path, name, &mut found).unwrap();
        assert_eq!(found[..length], value, "{name}");
    }
}

#[test]
fn changes_are_reported_and_nothing_of_how_they_are_made() {
    use futures_util::StreamExt;

    let fixture = Fixture::with(&[("file", "old")], |builder| {
        builder.writable(true).hidden(true)
    });
    fixture.block_on(async {
        let mut changes = fixture.store.watch(SubscribedResources::none()).unwrap();
        for text in ["one", "two"] {
            let file = uri("file");
            fixture
                .store
                .write(WriteQuery::new(&file, text))
                .await
                .unwrap();
            let mut is_told = false;
            while !is_told {
                let change = changes.next().await.unwrap();
                assert!(!format!("{change:?}").contains("plainly"), "{change:?}");
                is_told = change == Change::Resource(file.clone());
            }
        }
    });
    assert_eq!(fixture.tree(), ["docs", "docs/file"]);
    fixture.assert_absent(&uri(".plainly-trash"));
}
