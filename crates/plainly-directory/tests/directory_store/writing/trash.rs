//! Removed and overwritten files, and their restoration.

use std::fs::{self, File};
use std::path::Path;

use plainly::store::{RemoveQuery, WriteError, WriteQuery};
use plainly_directory::{Trash, TrashError};

use super::uri;
use crate::fixture::Fixture;

fn trash(fixture: &Fixture) -> Trash {
    Trash::open(fixture.root()).unwrap()
}

#[test]
fn what_is_lost_is_restored() {
    let fixture = Fixture::writable(&[("dir/file", "old"), ("tree/a/x", "x"), ("tree/y", "y")]);
    assert_eq!(trash(&fixture).list().unwrap(), []);
    fixture.write("dir/file", "new").unwrap();
    let file = fixture.remove(RemoveQuery::new(&uri("dir/file"))).unwrap();
    let tree = fixture
        .remove(RemoveQuery::new(&uri("tree")).recursive(true))
        .unwrap();
    let (file, tree) = (file.restorable.unwrap(), tree.restorable.unwrap());

    let listed = trash(&fixture).list().unwrap();
    let mut short: Vec<_> = listed
        .iter()
        .map(|it| (it.path.to_str().unwrap(), it.bytes))
        .collect();
    short.sort_unstable();
    assert_eq!(short, [("dir/file", 3), ("dir/file", 3), ("tree", 2)]);
    assert!(listed.iter().any(|it| it.name == file) && listed.iter().any(|it| it.name == tree));
    // The size is two bytes, and counts four files and directories.
    assert!(tree.contains("-2-4-"), "{tree}");
    let overwritten = listed
        .iter()
        .find(|it| it.name != file && it.name != tree)
        .unwrap();

    let restore = |name: &str| trash(&fixture).restore(name);
    assert_eq!(restore(&tree).unwrap(), Path::new("tree"));
    assert_eq!(fixture.text(&uri("tree/a/x")), "x");
    assert_eq!(restore(&file).unwrap(), Path::new("dir/file"));
    assert_eq!(fixture.text(&uri("dir/file")), "new");
    // A file that exists is not overwritten.
    match restore(&overwritten.name) {
        Err(TrashError::Exists { path }) => assert_eq!(path, Path::new("dir/file")),
        done => panic!("{done:?}"),
    }
    fixture.rename("dir/file", "kept").unwrap();
    restore(&overwritten.name).unwrap();
    assert_eq!(fixture.text(&uri("dir/file")), "old");
    for name in [&*file, "", "..", "../docs", ".gitignore"] {
        let done = restore(name);
        assert!(
            matches!(done, Err(TrashError::Missing { .. })),
            "{name} {done:?}"
        );
    }
    assert_eq!(trash(&fixture).list().unwrap(), []);
    let rules = fs::read_to_string(fixture.root().join(".plainly-trash/.gitignore"));
    assert_eq!(rules.unwrap(), "*\n");
}

#[test]
fn a_directory_that_is_gone_comes_back_with_what_was_in_it() {
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt;

    let fixture = Fixture::writable(&[("a/b/file", "f"), ("a/other", "o")]);
    #[cfg(unix)]
    let modes = [("a", 0o755), ("a/b", 0o2770)];
    #[cfg(unix)]
    for (name, mode) in modes {
        let path = fixture.root().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let removed = fixture.remove(RemoveQuery::new(&uri("a/b/file"))).unwrap();
    fixture
        .remove(RemoveQuery::new(&uri("a")).recursive(true))
        .unwrap();
    trash(&fixture)
        .restore(&removed.restorable.unwrap())
        .unwrap();
    assert_eq!(
        fixture.tree(),
        ["docs", "docs/a", "docs/a/b", "docs/a/b/file"]
    );
    #[cfg(unix)]
    for (name, mode) in modes {
        let found = fs::metadata(fixture.root().join(name)).unwrap();
        assert_eq!(found.permissions().mode() & 0o7777, mode, "{name}");
    }
}

/// The files are sparse, so they use no space.
#[test]
fn the_oldest_goes_for_the_newest_and_what_is_too_large_stays() {
    let fixture = Fixture::writable(&[("a", ""), ("b", ""), ("large", "")]);
    let grow = |name: &str, mebibytes: u64| {
        let file = File::options()
            .write(true)
            .open(fixture.root().join(name))
            .unwrap();
        file.set_len(mebibytes << 20).unwrap();
    };
    for (name, size) in [("a", 600), ("b", 600), ("large", 1025)] {
        grow(name, size);
    }
    for name in ["a", "b"] {
        fixture.write(name, "new").unwrap();
        let listed = trash(&fixture).list().unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].path, Path::new(name));
    }
    let large = uri("large");
    let lost = "the present content would be lost: it is larger than the trash";
    let written = fixture.change(WriteQuery::new(&large, "new")).unwrap_err();
    assert!(matches!(written, WriteError::Permanent { .. }));
    assert_eq!(written.to_string(), lost);
    let removed = fixture.remove(RemoveQuery::new(&large)).unwrap_err();
    assert_eq!(removed.to_string(), lost);
    assert_eq!(
        fs::metadata(fixture.root().join("large")).unwrap().len(),
        1025 << 20
    );
    fixture
        .change(WriteQuery::new(&large, "new").permanent(true))
        .unwrap();
    assert_eq!(fixture.text(&large), "new");
    grow("large", 1025);
    let removed = fixture
        .remove(RemoveQuery::new(&large).permanent(true))
        .unwrap();
    assert_eq!(removed.restorable, None);
    assert_eq!(fixture.tree(), ["docs", "docs/a", "docs/b"]);
}

#[cfg(unix)]
#[test]
fn a_trash_that_is_a_link_is_not_used() {
    let fixture = Fixture::writable(&[("file", "old")]);
    let elsewhere = fixture.outside().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink("../elsewhere", fixture.root().join(".plainly-trash")).unwrap();
    let done = fixture.write("file", "new");
    assert!(
        matches!(done, Err(WriteError::Permanent { .. })),
        "{done:?}"
    );
    assert_eq!(fixture.text(&uri("file")), "old");
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

/// A file system at `docs/disk`, unmounted on drop.
#[cfg(target_os = "linux")]
struct OtherDisk(std::path::PathBuf);

/// The arguments to mount a file system of 2 MiB.
#[cfg(target_os = "linux")]
const SMALL: [&str; 5] = ["-t", "tmpfs", "-o", "size=2m", "plainly-test"];

#[cfg(target_os = "linux")]
impl OtherDisk {
    /// Mounts a file system; `None` if this user can't.
    fn mount(fixture: &Fixture, arguments: &[&str]) -> Option<Self> {
        let path = fixture.root().join("disk");
        let is_mounted = std::process::Command::new("mount")
            .args(arguments)
            .arg(&path)
            .output()
            .is_ok_and(|done| done.status.success());
        is_mounted.then_some(Self(path))
    }
}

#[cfg(target_os = "linux")]
impl Drop for OtherDisk {
    fn drop(&mut self) {
        let _done = std::process::Command::new("umount")
            .arg("-l")
            .arg(&self.0)
            .output();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn another_disk_has_no_trash_and_a_full_one_no_room() {
    let fixture = Fixture::writable(&[("disk/", ""), ("file", "old")]);
    let Some(disk) = OtherDisk::mount(&fixture, &SMALL) else {
        println!("skipped: this user can't mount a file system");
        return;
    };
    fixture.write("disk/file", "one").unwrap();
    let done = fixture.write("disk/file", "two").unwrap_err();
    let lost = "the present content would be lost: it is on another disk than the trash";
    assert_eq!(done.to_string(), lost);
    let file = uri("disk/file");
    fixture
        .change(WriteQuery::new(&file, "two").permanent(true))
        .unwrap();
    assert_eq!(fixture.text(&file), "two");
    let done = fixture.rename("file", "disk/moved").unwrap_err();
    assert_eq!(
        done.to_string(),
        "the store can't rename from one disk to another"
    );

    // The write is rejected in advance. Once the disk is full, no temporary file is left.
    let full = fixture
        .write("disk/new", &"x".repeat((2 << 20) - (50 << 10)))
        .unwrap_err();
    assert_eq!(full.to_string(), "the disk is almost full");
    let filling = disk.0.join("filling");
    let mut blocks = vec![0; 1 << 20];
    while fs::write(&filling, &blocks).is_err() {
        blocks.truncate(blocks.len() - 4096);
    }
    for query in [
        WriteQuery::new(&file, "x".repeat(900 << 10)),
        WriteQuery::new(&file, "x".repeat(900 << 10)).append(),
    ] {
        let query = query.permanent(true);
        let done = fixture.change(query);
        assert!(
            matches!(done, Err(WriteError::Full { .. }) | Ok(_)),
            "{done:?}"
        );
    }
    let query = WriteQuery::new(&file, "x".repeat(4 << 20)).append();
    let done = fixture.change(query);
    assert!(matches!(done, Err(WriteError::Full { .. })), "{done:?}");
    let names = fs::read_dir(&disk.0).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.starts_with(".plainly")));
}

#[cfg(target_os = "linux")]
#[test]
fn below_another_mount_point_of_the_same_disk_content_is_lost_only_if_it_may() {
    let fixture = Fixture::writable(&[("disk/", ""), ("file", "old")]);
    let other = fixture.outside().join("other");
    crate::fixture::write_all(&other, &[("file", "old"), ("tree/file", "old")]);
    let Some(_disk) = OtherDisk::mount(&fixture, &["--bind", other.to_str().unwrap()]) else {
        println!("skipped: this user can't mount a file system");
        return;
    };
    let lost = "the present content would be lost: it is on another disk than the trash";
    let [file, tree] = ["disk/file", "disk/tree"].map(uri);
    let write = WriteQuery::new(&file, "new");
    let remove = [&file, &tree].map(|uri| RemoveQuery::new(uri).recursive(true));
    assert_eq!(fixture.change(write.clone()).unwrap_err().to_string(), lost);
    for query in remove {
        assert_eq!(fixture.remove(query).unwrap_err().to_string(), lost);
    }
    assert_eq!(fixture.text(&file), "old");
    assert_eq!(fixture.text(&uri("disk/tree/file")), "old");
    fixture.change(write.permanent(true)).unwrap();
    assert_eq!(fixture.text(&file), "new");
    for query in remove {
        fixture.remove(query.permanent(true)).unwrap();
    }
    assert_eq!(fs::read_dir(other).unwrap().count(), 0);
    assert_eq!(trash(&fixture).list().unwrap(), []);
}
