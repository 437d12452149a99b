//! Spellings of URIs. Spellings that escaped other servers' directories are not found here, even
//! where the file that they seem to name exists. Other spellings name listed files.

use plainly::store::{Store, StoreError};

use crate::fixture::{ALL, Fixture};
use crate::table::lines;

const TABLES: &str = include_str!("uris.txt");

/// The paths to append to `file:///docs/`.
pub(crate) fn bad_paths() -> impl Iterator<Item = &'static str> {
    lines(TABLES, "paths").chain(["/", "ok.txt ", "o\tk.txt", "o\nk.txt"])
}

/// URIs that start unlike any URI of the store, each with a file's name at the end.
pub(crate) fn bad_beginnings() -> impl Iterator<Item = String> {
    let odd = [" file:///docs/", "fi\nle:///docs/", ""];
    let all = lines(TABLES, "beginnings").chain(odd);
    all.map(|begin| format!("{begin}ok.txt"))
}

#[test]
fn no_bad_spelling_leads_anywhere() {
    let fixture = Fixture::new(&[("ok.txt", "ok"), ("a/x", "x")]);
    assert_eq!(fixture.text("file:///docs/ok.txt"), "ok");
    let bad = bad_paths()
        .map(|path| format!("file:///docs/{path}"))
        .chain(bad_beginnings())
        .chain([
            format!("file:///docs/{}", "x".repeat(256)),
            format!("file:///docs/{}", "x/".repeat(2_048)),
            format!("file:///docs/{}ok.txt", "a/../".repeat(1_000)),
            format!("file:///docs{}", "/a".repeat(1_000)),
        ]);
    for uri in bad {
        for answer in [
            fixture.read(&uri).map(drop),
            fixture.metadata(&uri).map(drop),
            fixture.list(Some(&uri), None, ALL).map(drop),
        ] {
            let refused = matches!(
                answer,
                Err(StoreError::NotFound | StoreError::InvalidUri { .. })
            );
            assert!(refused, "{uri:?}: {answer:?}");
        }
    }
}

#[test]
fn each_spelling_names_what_is_listed() {
    let fixture = Fixture::new(&[("ok.txt", "ok"), ("a/x", "x")]);
    let spelling = |uri: &str| {
        fixture
            .store
            .spelling(uri)
            .map(|listed| listed.into_owned())
    };
    for uri in lines(TABLES, "a file") {
        assert_eq!(spelling(uri).as_deref(), Some("file:///docs/ok.txt"));
        let read = fixture.read(uri).unwrap();
        assert_eq!(read[0].uri, "file:///docs/ok.txt");
        assert_eq!(read[0].body.as_text(), Some("ok"), "{uri}");
        assert_eq!(fixture.metadata(uri).unwrap().uri, "file:///docs/ok.txt");
        let children = fixture.list(Some(uri), None, ALL);
        assert!(matches!(children, Err(StoreError::NotACollection)), "{uri}");
    }
    for uri in lines(TABLES, "a directory") {
        assert_eq!(spelling(uri).as_deref(), Some("file:///docs/a"));
        assert_eq!(fixture.metadata(uri).unwrap().uri, "file:///docs/a");
        assert_eq!(fixture.read(uri).unwrap()[0].uri, "file:///docs/a/x");
        let children = fixture.list(Some(uri), None, ALL).unwrap();
        assert_eq!(children.resources[0].uri, "file:///docs/a/x", "{uri}");
        let rest = fixture.list(Some(uri), Some("file:///docs/a/x"), ALL);
        assert_eq!(rest.unwrap().resources, []);
    }
}

#[cfg(unix)]
#[test]
fn every_listed_uri_is_read_as_it_was_listed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let fixture = Fixture::with(&[], |builder| builder.hidden(true));
    let names: &[&[u8]] = &[
        b"with blank",
        b"100%",
        b"%41",
        b"%2e%2e",
        b"question?hash#",
        b"back\\slash",
        b"colon:star*pipe|<>\"",
        b"new\nline",
        b"escape\x1b[31m",
        b"del\x7f",
        b"-rf",
        b"...",
        b"trailing.",
        b"trailing ",
        b"not-utf-8-\xff\xfe",
        b"\xe2\x80\xaertl",
        "caf\u{e9}".as_bytes(),
        "cafe\u{301}".as_bytes(),
        b"CON",
        b"(1)!$&'+,;=@[]{}^`",
    ];
    for name in names {
        std::fs::write(fixture.root().join(OsStr::from_bytes(name)), name).unwrap();
    }
    let page = fixture.list(Some("file:///docs"), None, ALL).unwrap();
    assert_eq!(page.resources.len(), names.len());
    for listed in page.resources {
        assert!(
            listed.uri.bytes().all(|byte| byte.is_ascii_graphic()),
            "{}",
            listed.uri
        );
        let spelling = fixture.store.spelling(&listed.uri);
        assert_eq!(spelling.as_deref(), Some(&*listed.uri));
        let read = fixture.read(&listed.uri).unwrap();
        assert_eq!(read[0].uri, listed.uri);
        let name = read[0].body.as_bytes();
        assert!(names.contains(&name), "{}", listed.uri);
        assert_eq!(listed.name, String::from_utf8_lossy(name));
        let mut found = fixture.metadata(&listed.uri).unwrap();
        found.remove_tag();
        assert_eq!(found, listed);
    }
}

/// Windows opens `ok.txt`, or a device, by each of these names.
#[cfg(windows)]
#[test]
fn names_that_windows_takes_for_another_lead_nowhere() {
    let fixture = Fixture::new(&[("ok.txt", "ok"), ("longer name.txt", "ok"), ("a/x", "x")]);
    for name in [
        "OK.TXT",
        "ok.txt.",
        "ok.txt%20",
        "ok.txt::$DATA",
        "ok.txt:",
        "longer~1.txt",
        "LONGER~1.TXT",
        "a%5Cx",
        "a::$INDEX_ALLOCATION",
        "A/x",
        "..%5Csecret.txt",
        "NUL",
        "nul.txt",
        "CON",
        "COM1",
        "C:",
        "C:%5Cwindows",
        "%5C%5C.%5CNUL",
        "%5C%5C%3F%5CC:",
    ] {
        let text = fixture.text(&format!("file:///docs/{name}"));
        let is_refused = text == "resource not found" || text.starts_with("invalid URI");
        assert!(is_refused, "{name}: {text}");
    }
}
