//! Symbolic links. Links that stay inside the mount act as their targets; all others are missing.

use std::fs;
use std::os::unix::fs::symlink;

use crate::fixture::{Fixture, SECRET};

#[test]
fn links_that_stay_inside_are_followed() {
    let fixture = Fixture::new(&[("a/x.txt", "x"), ("b/c/y.txt", "y")]);
    for (link, target, through, text) in [
        ("file", "a/x.txt", "file", "x"),
        ("dotted", "./a/./x.txt", "dotted", "x"),
        ("dir", "b", "dir/c/y.txt", "y"),
        ("b/c/up", "../../a/x.txt", "b/c/up", "x"),
        ("b/c/around", "../../b/c/y.txt", "b/c/around", "y"),
        ("chain", "file", "chain", "x"),
        ("middle", "b/c/..", "middle/c/y.txt", "y"),
        ("self", ".", "self/self/a/x.txt", "x"),
    ] {
        symlink(target, fixture.root().join(link)).unwrap();
        let found = fixture.text(&format!("file:///docs/{through}"));
        assert_eq!(found, text, "{link}");
    }
    let file = fixture.metadata("file:///docs/file").unwrap();
    assert_eq!(
        (file.name.as_str(), file.size, file.is_collection),
        ("file", Some(1), Some(false))
    );
}

#[test]
fn links_to_directories_are_listed_and_not_descended_into() {
    let fixture = Fixture::new(&[("a/x", "x")]);
    symlink("a", fixture.root().join("b")).unwrap();
    symlink("..", fixture.root().join("a/parent")).unwrap();
    let expected = ["docs", "docs/a", "docs/b", "docs/a/parent", "docs/a/x"];
    assert_eq!(fixture.tree(), expected);
    assert_eq!(
        fixture.metadata("file:///docs/b").unwrap().is_collection,
        Some(true)
    );
    let expected = ["docs/b/parent", "docs/b/x"];
    assert_eq!(fixture.children("file:///docs/b"), expected);
    let expected = ["docs/a/parent/a", "docs/a/parent/b"];
    assert_eq!(fixture.children("file:///docs/a/parent"), expected);
    let page = fixture.list(None, Some("file:///docs/a/x"), 10).unwrap();
    assert!(page.resources.is_empty());
}

#[test]
fn links_that_lead_out_are_not_there() {
    let fixture = Fixture::new(&[("a/x", "x")]);
    let outside = fixture.outside();
    fs::create_dir(outside.join("dir")).unwrap();
    fs::write(outside.join("dir/x"), SECRET).unwrap();
    let absolute = outside.join("secret.txt");
    let inside = fixture.root().join("a/x");
    for (link, target, through) in [
        ("file", "../secret.txt", "file"),
        ("far", "a/../../secret.txt", "far"),
        ("back", "../docs/a/x", "back"),
        ("root", "..", "root/secret.txt"),
        ("roots", "../../../../../../../..", "roots/etc/passwd"),
        ("dir", "../dir", "dir/x"),
        ("a/dir", "../../dir", "a/dir/x"),
        ("absolute", absolute.to_str().unwrap(), "absolute"),
        (
            "absolute-inside",
            inside.to_str().unwrap(),
            "absolute-inside",
        ),
        ("slash", "/", "slash/etc/passwd"),
        ("environ", "/proc/self/environ", "environ"),
        ("proc-root", "/proc/self/root", "proc-root/etc/passwd"),
        ("fd", "/proc/self/fd/0", "fd"),
        ("dangling", "none", "dangling"),
        ("through-file", "a/x/../x", "through-file"),
        ("loop", "loop", "loop"),
        ("one", "two", "one"),
        ("two", "one", "two"),
    ] {
        symlink(target, fixture.root().join(link)).unwrap();
        for uri in [
            format!("file:///docs/{link}"),
            format!("file:///docs/{through}"),
        ] {
            fixture.assert_absent(&uri);
        }
    }
    assert_eq!(fixture.tree(), ["docs", "docs/a", "docs/a/x"]);
    assert_eq!(fixture.read("file:///docs").unwrap().len(), 0);
}

#[test]
fn forty_links_in_a_chain_are_followed_and_not_one_more() {
    let fixture = Fixture::new(&[("0", "end")]);
    for n in 1..=41 {
        symlink((n - 1).to_string(), fixture.root().join(n.to_string())).unwrap();
    }
    assert_eq!(fixture.text("file:///docs/40"), "end");
    assert_eq!(fixture.text("file:///docs/41"), "resource not found");
}

#[test]
fn hard_links_that_differ_in_case_are_two_files() {
    let fixture = Fixture::new(&[("name", "same")]);
    if fs::hard_link(fixture.root().join("name"), fixture.root().join("NAME")).is_err() {
        println!("skipped: this file system has one spelling for both");
        return;
    }
    assert_eq!(fixture.text("file:///docs/name"), "same");
    assert_eq!(fixture.text("file:///docs/NAME"), "same");
    assert_eq!(fixture.text("file:///docs/Name"), "resource not found");
}

#[cfg(target_os = "linux")]
#[test]
fn links_of_the_kernel_are_not_followed() {
    let fixture = Fixture::with(&[], |builder| builder.mount_as("proc", "/proc"));
    assert!(fixture.text("file:///proc/version").contains("Linux"));
    let version = fixture.metadata("file:///proc/version").unwrap();
    assert_eq!(version.own_tag(), None);
    assert!(fixture.text("file:///proc/self/status").contains("Name:"));
    for path in [
        "self/root",
        "self/root/etc/passwd",
        "self/cwd",
        "self/cwd/Cargo.toml",
        "self/exe",
        "self/fd/0",
        "self/fd/1",
    ] {
        assert_eq!(
            fixture.text(&format!("file:///proc/{path}")),
            "resource not found",
            "{path}"
        );
    }
}
