//! MIME types of common files in software projects, and text in encodings other than UTF-8.

use std::fs;

use plainly::protocol::part::{PartPosition, PartUnit};
use plainly::protocol::types::Body;
use plainly::store::{ByteRange, RangeQuery, Store};
use plainly::{Client, Server};

use crate::fixture::Fixture;

/// The encoding and the content of the file that is read at `uri`.
fn read(fixture: &Fixture, uri: &str) -> (Option<String>, Body) {
    let contents = fixture.read(uri).unwrap();
    let [content] = <[_; 1]>::try_from(contents).unwrap();
    let meta = content.meta.unwrap_or_default();
    let encoding = meta.get("dev.plainly/encoding").and_then(|it| it.as_str());
    (encoding.map(str::to_owned), content.body)
}

#[test]
fn files_of_developers_are_text_of_their_type() {
    let fixture = Fixture::with(&[], |builder| builder.hidden(true));
    let expected = [
        ("Main.java", "text/x-java"),
        ("notes.org", "text/org"),
        ("App.tsx", "text/tsx"),
        ("app.ts", "text/typescript"),
        ("app.mts", "text/typescript"),
        ("app.cts", "text/typescript"),
        ("app.cjs", "text/javascript"),
        ("run.SH", "text/x-shellscript"),
        ("run.bat", "text/x-msdos-batch"),
        ("main.go", "text/x-go"),
        ("go.mod", "text/x-go-mod"),
        ("main.rs", "text/x-rust"),
        ("main.py", "text/x-python"),
        ("main.dart", "application/vnd.dart"),
        ("Cargo.toml", "application/toml"),
        ("ci.yml", "application/yaml"),
        ("query.sql", "application/sql"),
        ("log.jsonl", "application/jsonl"),
        ("page.html", "text/html"),
        ("picture.svg", "image/svg+xml"),
        ("flow.dot", "text/vnd.graphviz"),
        ("unit.vhd", "text/x-vhdl"),
        ("CMakeLists.txt", "text/x-cmake"),
        ("Dockerfile", "text/x-dockerfile"),
        ("LICENSE", "text/plain"),
        ("Makefile", "text/x-makefile"),
        (".gitignore", "text/plain"),
    ];
    for (name, _) in expected {
        fs::write(fixture.root().join(name), b"# caf\xe9\n").unwrap();
    }
    for (name, mime_type) in expected {
        let uri = format!("file:///docs/{name}");
        let metadata = fixture.metadata(&uri).unwrap();
        assert_eq!(metadata.mime_type.as_deref(), Some(mime_type), "{name}");
        let (encoding, body) = read(&fixture, &uri);
        assert_eq!(body, Body::Text("# café\n".to_owned()), "{name}");
        assert_eq!(encoding.as_deref(), Some("windows-1252"), "{name}");
    }
}

#[test]
fn a_directory_is_read_as_far_as_its_decoded_files_fit() {
    let fixture = Fixture::new(&[("small.txt", "x")]);
    let text = "\u{feff}".to_owned() + &"語".repeat((64 << 10) / 2 - 1);
    let utf_16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for name in ["1.txt", "2.txt", "3.txt"] {
        fs::write(fixture.root().join(name), &utf_16).unwrap();
    }
    let contents = fixture.read("file:///docs").unwrap();
    let uris: Vec<&str> = contents.iter().map(|one| &*one.uri).collect();
    let expected = ["1.txt", "2.txt", "small.txt"].map(|name| format!("file:///docs/{name}"));
    assert_eq!(uris, expected);
}

/// Files with their bytes, and the encoding that they are decoded from.
const FILES: [(&str, &[u8], Option<&str>); 10] = [
    ("utf-8.txt", "é".as_bytes(), None),
    ("marked.txt", b"\xef\xbb\xbf\xc3\xa9", None),
    ("little.txt", b"\xff\xfe\xe9\0", Some("utf-16le")),
    ("big.csv", b"\xfe\xff\0\xe9", Some("utf-16be")),
    ("latin.txt", b"caf\xe9", Some("windows-1252")),
    ("page.html", b"<meta charset=koi8-r>\xd7", Some("koi8-r")),
    ("nul.txt", b"caf\xe9\0", None),
    ("broken.txt", b"caf\xc3\xa9 caf\xc3\xa9 \xe9", None),
    ("picture.png", b"\x89PNG", None),
    ("unknown", b"caf\xe9", None),
];

#[test]
fn text_in_another_encoding_is_decoded_and_nothing_is_lost() {
    let decoded = Fixture::new(&[]);
    let as_is = Fixture::with(&[], |builder| builder.as_is(true));
    for (name, bytes, expected) in FILES {
        let uri = format!("file:///docs/{name}");
        for fixture in [&decoded, &as_is] {
            fs::write(fixture.root().join(name), bytes).unwrap();
        }
        let (encoding, body) = read(&decoded, &uri);
        assert_eq!(encoding.as_deref(), expected, "{name}");
        match expected {
            Some(_) => assert!(body.as_text().is_some(), "{name}"),
            None => assert_eq!(body, Body::of_bytes(bytes.to_vec()), "{name}"),
        }
        let (encoding, body) = read(&as_is, &uri);
        assert_eq!((encoding, body.as_bytes()), (None, bytes), "{name}");
        let size = decoded.metadata(&uri).unwrap().size;
        assert_eq!(size, Some(bytes.len() as u64), "{name}");
        let query = RangeQuery::new(&uri, ByteRange::Last(99));
        let part = decoded.block_on(decoded.store.read_range(query)).unwrap();
        assert_eq!(part.bytes, bytes, "{name}");
    }
}

#[test]
fn lines_are_cut_from_the_decoded_text() {
    let fixture = Fixture::new(&[]);
    let text = "one\nzwei é\nthree";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let files = [
        ("a.txt", [&[0xff, 0xfe][..], &little].concat(), "utf-16le"),
        ("b.txt", b"one\nzwei \xe9\nthree".to_vec(), "windows-1252"),
    ];
    let server = Server::builder("files", "1").store(fixture.store.clone());
    let server = server.build().unwrap();
    let client = fixture.block_on(Client::in_memory(&server).connect());
    let client = client.unwrap();
    for (name, bytes, encoding) in files {
        fs::write(fixture.root().join(name), bytes).unwrap();
        for (part, lines, next) in [
            ("line=1,2", "zwei é\n", Some("line=2,3")),
            ("tail=2", "zwei é\nthree", None),
        ] {
            let uri = format!("file:///docs/{name}");
            let read = client.read(format!("{uri}#{part}"));
            let read = fixture.block_on(read.into_future()).unwrap();
            assert_eq!(read.text(), Some(lines), "{name} {part}");
            let meta = read.contents[0].meta.as_ref().unwrap();
            assert_eq!(meta["dev.plainly/encoding"], encoding);
            let position = PartPosition::stated(meta).unwrap();
            assert_eq!(position.unit, PartUnit::Line);
            if let Some(next) = next {
                assert_eq!(position.next, Some(format!("{uri}#{next}")));
            }
        }
    }
}
