//! Changes that no caller may make.

use std::fs;

use plainly::store::{RemoveQuery, StoreError, WriteError, WriteQuery};

use super::uri;
use crate::fixture::Fixture;

/// The error of a change as text.
fn said<T: std::fmt::Debug>(done: Result<T, WriteError>) -> String {
    match done {
        Ok(done) => format!("{done:?}"),
        Err(WriteError::Denied { why }) => format!("denied: {why}"),
        Err(WriteError::Store(StoreError::NotFound)) => "not found".to_owned(),
        Err(error) => error.to_string(),
    }
}

const NOT_SERVED: &str = "denied: nothing is served under this name: it is hidden or ignored, \
                          or something other than a plain file or directory has it";

#[test]
fn files_of_git_are_not_changed_even_if_they_are_served() {
    const GIT: &str = "denied: git's own files decide which programs git runs";
    let fixture = Fixture::with(&[(".git/config", "x"), ("sub/a", "a")], |builder| {
        builder.writable(true).hidden(true)
    });
    for name in [".git/config", ".git/hooks", ".git", "sub/.GIT"] {
        assert_eq!(said(fixture.write(name, "x")), GIT, "{name}");
        assert_eq!(said(fixture.rename("sub", name)), GIT, "{name}");
    }
    for name in [".git/hooks", "sub/.git", "sub/.git/hooks"] {
        assert_eq!(said(fixture.create(name)), GIT, "{name}");
    }
    let git = uri(".git");
    let removed = fixture.remove(RemoveQuery::new(&git).recursive(true));
    assert_eq!(said(removed), GIT);
    assert_eq!(said(fixture.rename(".git", "git")), GIT);
}

#[test]
fn names_that_are_not_served_are_not_changed() {
    let fixture = Fixture::with(
        &[
            (".gitignore", "*.log\nbuild/\n"),
            (".env", "KEY"),
            ("a.log", "log"),
            ("build/x", "built"),
            ("dir/.hidden", "x"),
            ("dir/shown", "x"),
        ],
        |builder| builder.writable(true),
    );
    let ours = ".plainly-trash";
    let names = [
        ".env",
        ".new",
        "a.log",
        "b.log",
        ours,
        ".plainly-0123456789abcdef.tmp",
    ];
    for name in names {
        assert_eq!(said(fixture.write(name, "x")), NOT_SERVED, "{name}");
        assert_eq!(
            said(fixture.rename("dir/shown", name)),
            NOT_SERVED,
            "{name}"
        );
    }
    for name in [".new", "build", "dir/build", ours] {
        assert_eq!(said(fixture.create(name)), NOT_SERVED, "{name}");
    }
    for name in [".env", "a.log", "build"] {
        let removed = fixture.remove(RemoveQuery::new(&uri(name)).recursive(true));
        assert_eq!(said(removed), NOT_SERVED, "{name}");
        assert_eq!(said(fixture.rename(name, "new")), NOT_SERVED, "{name}");
    }
    // Entries that a caller can't see are not removed or renamed with a directory.
    let not_all =
        "denied: something in it is not served: a hidden or ignored name, a link or a device";
    let removed = fixture.remove(RemoveQuery::new(&uri("dir")).recursive(true));
    assert_eq!(said(removed), not_all);
    assert_eq!(said(fixture.rename("dir", "new")), not_all);
    for name in ["build/new", ".plainly-trash/x", "absent/x", "dir/shown/x"] {
        assert_eq!(said(fixture.write(name, "x")), "not found", "{name}");
    }
    assert_eq!(fs::read(fixture.root().join(".env")).unwrap(), b"KEY");
}

#[test]
fn rules_and_own_names_stay_where_hidden_names_are_served() {
    let fixture = Fixture::with(&[(".gitignore", "*.log\n"), ("dir/x", "x")], |builder| {
        builder.writable(true).hidden(true)
    });
    let rules = "denied: this file decides which others are served";
    for name in [
        ".gitignore",
        ".ignore",
        "dir/.gitignore",
        "dir/.GitIgnore",
        "dir/.IGNORE",
    ] {
        assert_eq!(said(fixture.write(name, "")), rules, "{name}");
        assert_eq!(said(fixture.rename("dir/x", name)), rules, "{name}");
    }
    assert_eq!(
        said(fixture.remove(RemoveQuery::new(&uri(".gitignore")))),
        rules
    );
    for name in [
        ".plainly-trash",
        ".PLAINLY-TRASH",
        ".plainly-0123456789abcdef.tmp",
    ] {
        assert_eq!(said(fixture.write(name, "")), NOT_SERVED, "{name}");
    }
    fixture.write(".hidden", "shown").unwrap();
    let all = "denied: something in it is never changed: git's own files, or one that decides which \
               others are served";
    for name in ["repository/.git", "rules/.ignore"] {
        fixture.create("dir/inner").unwrap();
        let path = fixture.root().join("dir/inner").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        let removed = fixture.remove(RemoveQuery::new(&uri("dir")).recursive(true));
        assert_eq!(said(removed), all, "{name}");
        assert_eq!(said(fixture.rename("dir", "other")), all, "{name}");
        fs::remove_dir_all(fixture.root().join("dir/inner")).unwrap();
    }
}

#[test]
fn odd_names_are_not_created() {
    let fixture = Fixture::writable(&[("Notes.md", "x"), ("caf%C3%A9", ""), ("dir/", "")]);
    fs::write(fixture.root().join("e\u{301}"), "x").unwrap();
    let long = "x".repeat(256);
    let alike =
        "denied: another name there differs from this one only in case or in its Unicode form";
    let reserved = "invalid URI: a name is reserved on Windows";
    let control = "invalid URI: a name has a control character in it";
    for (name, expected) in [
        (
            "a%00b",
            "invalid URI: a name in it contains NUL, which no name can",
        ),
        ("a%2Fb", "invalid URI: it has a name that no file can have"),
        ("..", "invalid URI: it has a name that no file can have"),
        ("a%0Ab", control),
        ("%1B%5B2J", control),
        (&*long, "invalid URI: a name is longer than 255 bytes"),
        ("aux.txt", reserved),
        ("COM1", reserved),
        ("end.", "invalid URI: a name ends with a dot or a space"),
        ("notes.MD", alike),
        ("DIR", alike),
        ("%C3%A9", alike),
        #[cfg(unix)]
        ("%FF", "invalid URI: a name is not UTF-8"),
    ] {
        assert_eq!(said(fixture.write(name, "x")), expected, "{name}");
        assert_eq!(said(fixture.create(name)), expected, "{name}");
        if name != "notes.MD" {
            assert_eq!(said(fixture.rename("Notes.md", name)), expected, "{name}");
        }
    }
    fixture.rename("Notes.md", "notes.MD").unwrap();
    assert_eq!(fixture.text(&uri("notes.MD")), "x");
}

#[test]
fn other_places_are_not_changed() {
    let fixture = Fixture::with(&[("file", "x"), ("key.pem", "secret")], |builder| builder);
    let read_only = "denied: the directory is served read-only";
    assert_eq!(said(fixture.write("file", "y")), read_only);
    assert_eq!(said(fixture.write("new", "y")), read_only);
    assert_eq!(said(fixture.create("new")), read_only);
    assert_eq!(said(fixture.rename("file", "new")), read_only);
    assert_eq!(
        said(fixture.remove(RemoveQuery::new(&uri("file")))),
        read_only
    );

    let withheld = fixture.root().join("key.pem");
    let builder = plainly_directory::DirectoryStore::builder().mount_writable(fixture.root());
    let store = builder
        .withhold([withheld])
        .max_write_bytes(10)
        .build()
        .unwrap();
    let write = |uri: &str, text: &str| {
        use plainly::store::Writable;
        said(fixture.block_on(store.write(WriteQuery::new(uri, text.to_owned()))))
    };
    assert_eq!(write(&uri("key.pem"), "x"), NOT_SERVED);
    assert_eq!(write("file:///other/x", "x"), "not found");
    assert_eq!(
        write("file:///docs", "x"),
        "denied: a served directory itself can't be changed"
    );
    assert_eq!(
        write(&uri("file"), "01234567890"),
        "one write has at most 10 bytes"
    );
    assert!(write(&uri("file"), "0123456789").contains("size: Some(10)"));
}

#[test]
fn no_directory_takes_the_place_of_a_single_file() {
    use plainly::store::{RenameQuery, Writable};

    let around = tempfile::tempdir().unwrap();
    let file = around.path().join("notes.md");
    fs::write(&file, "old").unwrap();
    let fixture = Fixture::with(&[("dir/x", "x")], |builder| {
        builder.writable(true).mount_writable(&file)
    });
    let notes = "file:///notes.md";
    fixture.remove(RemoveQuery::new(notes)).unwrap();
    let only = "denied: only a file is served here";
    for uri in [notes, "file:///notes.md/"] {
        let created = fixture.block_on(fixture.store.create_collection(uri));
        assert_eq!(said(created), only, "{uri}");
        let query = RenameQuery::new("file:///docs/dir", uri);
        let renamed = fixture.block_on(fixture.store.rename(query));
        assert_eq!(said(renamed), only, "{uri}");
    }
    fixture.change(WriteQuery::new(notes, "new")).unwrap();
    assert_eq!(fixture.text(notes), "new");
}

#[cfg(unix)]
#[test]
fn nothing_but_plain_files_is_written_to() {
    use std::os::unix::fs::symlink;

    use crate::fixture::{SECRET, make_pipe};

    let fixture = Fixture::writable(&[("file", "x"), ("dir/x", "x")]);
    let root = fixture.root();
    symlink("../secret.txt", root.join("out")).unwrap();
    symlink("file", root.join("in")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink("dir", root.join("to-dir")).unwrap();
    make_pipe(&root.join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    for name in ["out", "in", "dangling", "to-dir", "pipe", "socket"] {
        assert_eq!(said(fixture.write(name, "y")), NOT_SERVED, "{name}");
        let append = fixture.change(WriteQuery::new(&uri(name), "y").append());
        assert_eq!(said(append), NOT_SERVED, "{name}");
        assert_eq!(
            said(fixture.remove(RemoveQuery::new(&uri(name)))),
            NOT_SERVED,
            "{name}"
        );
        assert_eq!(said(fixture.rename(name, "new")), NOT_SERVED, "{name}");
        assert_eq!(said(fixture.rename("file", name)), NOT_SERVED, "{name}");
    }
    assert!(said(fixture.write("dir", "y")).starts_with("denied: it is a directory"));
    // A link on the path that stays inside the mount is followed.
    fixture.write("to-dir/y", "y").unwrap();
    assert_eq!(fixture.text(&uri("dir/y")), "y");

    fs::hard_link(root.join("file"), root.join("second")).unwrap();
    let several = "denied: the file has more than one name (hard links)";
    for name in ["file", "second"] {
        assert_eq!(said(fixture.write(name, "y")), several);
        assert_eq!(said(fixture.remove(RemoveQuery::new(&uri(name)))), several);
    }
    let secret = fs::read_to_string(fixture.outside().join("secret.txt"));
    assert_eq!(secret.unwrap(), SECRET);
}

#[cfg(unix)]
#[test]
fn a_file_of_another_user_is_not_changed() {
    let fixture = Fixture::writable(&[("file", "x")]);
    if std::os::unix::fs::chown(fixture.root().join("file"), Some(12_345), None).is_err() {
        println!("skipped: this user can't give files away");
        return;
    }
    let other = "denied: the file belongs to another user than the server";
    assert_eq!(said(fixture.write("file", "y")), other);
    assert_eq!(said(fixture.remove(RemoveQuery::new(&uri("file")))), other);
}
