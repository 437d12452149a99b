//! Spellings that have led out of other servers' directories. None leads anywhere here, even where what it seems to name is
//! there.

use plainly::store::StoreError;

use crate::fixture::{ALL, Fixture};

/// Each is put behind `file:///docs/`.
pub(crate) const BAD_PATHS: &[&str] = &[
    "../secret.txt",
    "../../secret.txt",
    "a/../../secret.txt",
    "a/../ok.txt",
    "./ok.txt",
    "a/./x",
    "a//x",
    "/ok.txt",
    "//ok.txt",
    "ok.txt/",
    "a/",
    "",
    ".",
    "..",
    "%2e%2e%2fsecret.txt",
    "%2E%2E/secret.txt",
    "%2e%2e/secret.txt",
    ".%2e/secret.txt",
    "..%2fsecret.txt",
    "..%2Fsecret.txt",
    "a%2fx",
    "a%2Fx",
    "..%5csecret.txt",
    "..\\secret.txt",
    "%252e%252e/secret.txt",
    "%252e%252e%252fsecret.txt",
    "ok.txt%00",
    "ok.txt%00.png",
    "%00",
    "ok.txt%0a",
    "ok.txt%0A",
    "%c0%ae%c0%ae/secret.txt",
    "%C0%AE%C0%AE/secret.txt",
    "%u002e%u002e/secret.txt",
    "%zz",
    "%",
    "%2",
    "ok%2etxt",
    "%6Fk.txt",
    "ok.txt?",
    "ok.txt?x=1",
    "ok.txt#",
    "ok.txt#top",
    "ok.txt ",
    "ok.txt%20",
    "ok.txt.",
    "OK.TXT",
    "ok.txt;..",
    "o\tk.txt",
    "o\nk.txt",
    "ok.txt::$DATA",
    "ok.txt:s",
    "OK~1.TXT",
    "C:x",
    "C:/x",
    "%5C%5C%3F%5CC:%5Cx",
    "CON",
    "con.txt",
    "NUL",
    "AUX:",
    "COM1",
    "LPT%C2%B9",
    "CONIN$",
    "~",
    "~root/x",
    "etc/passwd",
    "%2fetc%2fpasswd",
    "ok.txt/x",
    "ok.txt/../../secret.txt",
];

/// What is no URI of the store whatever comes after it.
pub(crate) const BAD_BEGINNINGS: &[&str] = &[
    "FILE:///docs/",
    "File:///docs/",
    "file:/docs/",
    "file:docs/",
    "file://docs/",
    "file://localhost/docs/",
    "file://LOCALHOST/docs/",
    "file://127.0.0.1/docs/",
    "file://evil/docs/",
    "file://user@/docs/",
    "file:///DOCS/",
    "file:////docs/",
    "file:///./docs/",
    "file:///../docs/",
    "file:///%64ocs/",
    "file:///docs%2F",
    "file:///",
    "file:\\\\\\docs\\",
    " file:///docs/",
    "fi\nle:///docs/",
    "http:///docs/",
    "http://localhost/docs/",
    "/docs/",
    "docs/",
    "",
];

#[test]
fn no_other_spelling_leads_anywhere() {
    let fixture = Fixture::new(&[("ok.txt", "ok"), ("a/x", "x")]);
    assert_eq!(fixture.text("file:///docs/ok.txt"), "ok");
    let bad = BAD_PATHS
        .iter()
        .map(|path| format!("file:///docs/{path}"))
        .chain(BAD_BEGINNINGS.iter().map(|begin| format!("{begin}ok.txt")))
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
        let read = fixture.read(&listed.uri).unwrap();
        assert_eq!(read[0].uri, listed.uri);
        let name = read[0].body.as_bytes();
        assert!(names.contains(&name), "{}", listed.uri);
        assert_eq!(listed.name, String::from_utf8_lossy(name));
        assert_eq!(fixture.metadata(&listed.uri).unwrap(), listed);
    }
}
