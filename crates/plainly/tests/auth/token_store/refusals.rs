//! Files that other users can change, or that are damaged: the store rejects them unchanged, and
//! names the command that repairs them.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

use plainly::client::oauth::{FileStore, TokenStore as _};
use rustix::process::geteuid;

use super::{change, keep};

/// The name of the case, the change to the directory or to its file `credentials.json`, and the
/// error, with DIR for the directory.
type Row = (&'static str, fn(&Path), &'static str);

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn written(directory: &Path, bytes: &[u8]) {
    fs::write(directory.join("credentials.json"), bytes).unwrap();
}

const ROWS: &[Row] = &[
    (
        "readable by others",
        |it| mode(&it.join("credentials.json"), 0o644),
        "'DIR/credentials.json' cannot be read: other users can read or change it (mode 644); \
         run `chmod 600 'DIR/credentials.json'`",
    ),
    (
        "writable by the group",
        |it| mode(&it.join("credentials.json"), 0o620),
        "'DIR/credentials.json' cannot be read: other users can read or change it (mode 620); \
         run `chmod 600 'DIR/credentials.json'`",
    ),
    (
        "readable by all but the group",
        |it| mode(&it.join("credentials.json"), 0o604),
        "'DIR/credentials.json' cannot be read: other users can read or change it (mode 604); \
         run `chmod 600 'DIR/credentials.json'`",
    ),
    (
        "a directory that the group can change",
        |it| mode(it, 0o770),
        "'DIR' cannot be used: other users can change its contents (mode 770); run `chmod 700 \
         'DIR'`",
    ),
    (
        "a directory that all but the group can change",
        |it| mode(it, 0o707),
        "'DIR' cannot be used: other users can change its contents (mode 707); run `chmod 700 \
         'DIR'`",
    ),
    (
        "a symbolic link",
        |it| {
            let (path, moved) = (it.join("credentials.json"), it.join("moved"));
            fs::rename(&path, &moved).unwrap();
            symlink(moved, path).unwrap();
        },
        "'DIR/credentials.json' cannot be read: it is a symbolic link, whose target can change: \
         remove it and log in again; run `rm 'DIR/credentials.json'`",
    ),
    (
        "a symbolic link to nothing",
        |it| {
            let path = it.join("credentials.json");
            fs::remove_file(&path).unwrap();
            symlink(it.join("nowhere"), path).unwrap();
        },
        "'DIR/credentials.json' cannot be read: it is a symbolic link, whose target can change: \
         remove it and log in again; run `rm 'DIR/credentials.json'`",
    ),
    (
        "a directory in its place",
        |it| {
            fs::remove_file(it.join("credentials.json")).unwrap();
            fs::create_dir(it.join("credentials.json")).unwrap();
        },
        "'DIR/credentials.json' cannot be read: it is not a file; run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
    (
        "empty",
        |it| written(it, b""),
        "'DIR/credentials.json' cannot be read: it is incomplete: move it away and log in again; \
         run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
    (
        "truncated",
        |it| {
            let bytes = fs::read(it.join("credentials.json")).unwrap();
            written(it, &bytes[..bytes.len() / 2]);
        },
        "'DIR/credentials.json' cannot be read: it is incomplete: move it away and log in again; \
         run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
    (
        "of another version",
        |it| written(it, br#"{"version": 2, "registrations": "as 2 does it"}"#),
        "'DIR/credentials.json' cannot be read: unknown version 2, expected 1: use the program that wrote it, or move it away and log in again; \
         run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
    (
        "of no version",
        |it| written(it, b"{}"),
        "'DIR/credentials.json' cannot be read: invalid contents at line 1, column 2: move it \
         away and log in again; run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
    (
        "something else, with a secret in it",
        |it| written(it, b"{\"version\": 1,\n \"grants\": \"t0ken\"}"),
        "'DIR/credentials.json' cannot be read: invalid contents at line 2, column 18: move it \
         away and log in again; run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
    (
        "no text",
        |it| written(it, b"\xff\xfe\x00"),
        "'DIR/credentials.json' cannot be read: invalid contents at line 1, column 1: move it \
         away and log in again; run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
    (
        "too large",
        |it| written(it, &vec![b' '; (16 << 20) + 1]),
        "'DIR/credentials.json' cannot be read: it is too large for a file of this program; \
         run `mv 'DIR/credentials.json' 'DIR/credentials.json.old'`",
    ),
];

/// Returns all files of a directory, with their permissions and bytes.
fn content(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let mut content: Vec<_> = entries
        .map(|entry| {
            let about = entry.path().symlink_metadata().unwrap();
            let bytes = fs::read(entry.path()).ok();
            format!(
                "{:?} {:?} {bytes:?}",
                entry.file_name(),
                about.permissions()
            )
        })
        .collect();
    content.sort();
    content
}

#[tokio::test]
async fn what_is_not_the_users_alone_is_refused_and_stays_as_it_is() {
    for (what, spoil, said) in ROWS {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("it's here");
        let store = FileStore::new(&directory);
        change(&store, |it| keep(it, 1)).await.unwrap();
        spoil(&directory);
        let before = content(&directory);
        let expected = said.replace("DIR", &directory.to_str().unwrap().replace('\'', r"'\''"));
        let error = store.load().await.unwrap_err();
        assert_eq!(error.to_string(), expected, "{what}");
        let command = error.command().unwrap();
        assert!(expected.ends_with(&format!("run `{command}`")), "{what}");
        let error = change(&store, |it| keep(it, 2)).await.unwrap_err();
        assert_eq!(error.to_string(), expected, "{what}");
        assert_eq!(content(&directory), before, "{what}");
        // The suggested command repairs the file.
        let mended = std::process::Command::new("sh")
            .args(["-c", command])
            .status();
        assert!(mended.unwrap().success(), "{what}");
        change(&store, |it| keep(it, 2)).await.unwrap();
    }
}

#[tokio::test]
async fn a_file_as_large_as_one_may_be_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    change(&store, |it| keep(it, 1)).await.unwrap();
    let path = directory.path().join("credentials.json");
    let mut bytes = fs::read(&path).unwrap();
    bytes.resize(16 << 20, b' ');
    fs::write(&path, bytes).unwrap();
    assert_eq!(store.load().await.unwrap().grants.len(), 1);
}

#[tokio::test]
async fn a_directory_that_others_only_list_is_used() {
    let directory = tempfile::tempdir().unwrap();
    mode(directory.path(), 0o755);
    let store = FileStore::new(directory.path());
    change(&store, |it| keep(it, 1)).await.unwrap();
    assert_eq!(store.load().await.unwrap().grants.len(), 1);
}

#[tokio::test]
async fn what_belongs_to_somebody_else_is_refused() {
    let own = geteuid();
    // Only root can give files away. Other users test with a directory of root.
    if !own.is_root() {
        let error = FileStore::new("/etc").load().await.unwrap_err();
        let own = own.as_raw();
        let expected = format!(
            "'/etc' cannot be used: it belongs to the user 0, and this program runs as the user {own}; "
        );
        assert!(error.to_string().starts_with(&expected), "{error}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    change(&store, |it| keep(it, 1)).await.unwrap();
    let path = directory.path().join("credentials.json");
    chown(&path, Some(1), None).unwrap();
    let error = store.load().await.unwrap_err();
    let shown = path.display();
    let expected = format!(
        "'{shown}' cannot be read: it belongs to the user 1, and this program runs as the user 0; run `sudo chown 0 '{shown}'`"
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_lock_that_others_could_replace_is_not_locked() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    drop(store.lock("a").await.unwrap());
    let locks = directory.path().join("locks");
    mode(&locks, 0o707);
    let error = store.lock("a").await.unwrap_err();
    let shown = locks.display();
    let expected = format!(
        "'{shown}' cannot be used: other users can change its contents (mode 707); run `chmod 700 \
         '{shown}'`"
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_lock_that_is_not_a_file_is_not_locked() {
    let directory = tempfile::tempdir().unwrap();
    let lock = directory.path().join("credentials.lock");
    fs::create_dir(&lock).unwrap();
    let store = FileStore::new(directory.path());
    let error = change(&store, |it| keep(it, 1)).await.unwrap_err();
    let shown = lock.display();
    let expected =
        format!("'{shown}' cannot be locked: it is not a file; run `mv '{shown}' '{shown}.old'`");
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn what_is_in_the_way_of_a_new_file_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    let in_the_way = directory.path().join("credentials.json.new/a");
    fs::create_dir_all(&in_the_way).unwrap();
    let error = change(&store, |it| keep(it, 1)).await.unwrap_err();
    let said = error.to_string();
    assert!(said.ends_with("' cannot be written"), "{said}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(!source.contains("exists"), "{source}");
    assert!(in_the_way.exists());
}

#[tokio::test]
async fn what_could_not_be_written_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    let path = directory.path().join("credentials.json");
    // The directory appears only during the change.
    let changed = change(&store, |it| {
        keep(it, 1);
        fs::create_dir(&path).unwrap();
    });
    let said = changed.await.unwrap_err().to_string();
    assert!(said.ends_with("' cannot be written"), "{said}");
    assert!(!directory.path().join("credentials.json.new").exists());
}

/// A path that can't be checked must not be treated as missing.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_path_that_is_too_long_is_refused() {
    // This is `PATH_MAX`.
    let longest = 4_096;
    let directory = tempfile::tempdir().unwrap();
    let mut path = directory.path().to_owned();
    while path.as_os_str().len() < longest - 10 {
        let left = longest - 10 - path.as_os_str().len();
        path.push("a".repeat(left.clamp(2, 200) - 1));
    }
    fs::create_dir_all(&path).unwrap();
    let error = FileStore::new(path).load().await.unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("too long"), "{source}");
}

/// Tests a directory that belongs to the user, but in which files can't be created.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_directory_that_takes_no_file_is_told() {
    let store = FileStore::new("/proc/self");
    let error = change(&store, |it| keep(it, 1)).await.unwrap_err();
    let expected = "'/proc/self/credentials.lock' cannot be locked";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn what_the_system_refuses_is_said_with_its_reason() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = FileStore::new(file.join("below")).load().await.unwrap_err();
    let said = error.to_string();
    assert!(
        said.ends_with("/file/below/credentials.json' cannot be read"),
        "{said}"
    );
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("Not a directory"), "{source}");
    assert_eq!(error.command(), None);
}
