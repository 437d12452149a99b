//! Entries that are neither files nor directories, and entries that this process may not read. Both
//! count as missing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use crate::fixture::{Fixture, make_pipe};

#[test]
fn pipes_and_sockets_are_not_there_and_nothing_waits_for_them() {
    let fixture = Fixture::new(&[("x", "x")]);
    make_pipe(&fixture.root().join("pipe"));
    let _socket = UnixListener::bind(fixture.root().join("socket")).unwrap();
    std::os::unix::fs::symlink("pipe", fixture.root().join("link")).unwrap();
    let start = Instant::now();
    assert_eq!(fixture.tree(), ["docs", "docs/x"]);
    for name in ["pipe", "socket", "link"] {
        let uri = format!("file:///docs/{name}");
        fixture.assert_absent(&uri);
    }
    assert_eq!(fixture.read("file:///docs").unwrap().len(), 1);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_not_there() {
    let fixture = Fixture::with(&[], |builder| builder.mount_as("dev", "/dev"));
    for name in ["zero", "random", "null", "tty"] {
        assert_eq!(
            fixture.text(&format!("file:///dev/{name}")),
            "resource not found",
            "{name}"
        );
    }
    let listed = fixture.children("file:///dev");
    assert!(!listed.iter().any(|uri| uri == "dev/zero"), "{listed:?}");
}

#[test]
fn what_may_not_be_read_looks_as_if_it_were_absent() {
    let fixture = Fixture::new(&[("file", "x"), ("dir/x", "x"), ("open", "x")]);
    for name in ["file", "dir"] {
        let path = fixture.root().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    if fs::read(fixture.root().join("file")).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    assert_eq!(fixture.tree(), ["docs", "docs/open"]);
    for name in ["file", "dir", "dir/x", "absent"] {
        let uri = format!("file:///docs/{name}");
        assert_eq!(fixture.text(&uri), "resource not found", "{name}");
        fixture.assert_absent(&uri);
    }
    fs::set_permissions(
        fixture.root().join("dir"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
}
