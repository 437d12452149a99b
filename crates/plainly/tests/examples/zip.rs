//! The example of a store of an archive.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::Write as _;

use plainly::store::{Store as _, StoreError, check};
use plainly::{Client, Revision, Server};
use zip::write::{SimpleFileOptions, ZipWriter};

#[path = "../../examples/zip.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

/// Returns an archive with these files.
fn archive(files: &[(&str, &[u8])]) -> example::Archive {
    let at = tempfile::NamedTempFile::new().unwrap();
    let mut zip = ZipWriter::new(at.reopen().unwrap());
    for (name, content) in files {
        match name.strip_suffix('/') {
            Some(name) => zip.add_directory(name, SimpleFileOptions::default()),
            None => zip.start_file(*name, SimpleFileOptions::default()),
        }
        .unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap();
    example::Archive::open(at.path().to_str().unwrap()).unwrap()
}

#[tokio::test]
async fn it_keeps_the_rules_of_stores() {
    let store = archive(&[
        ("readme.md", b"# Read me"),
        ("src/main.rs", b"fn main() {}"),
        ("src/a b/é.bin", &[0xff, 0x00]),
        ("empty/", b""),
        ("../outside", b"no"),
        ("/absolute", b""),
    ]);
    let report = check(&store).await;
    assert!(report.is_ok(), "{report}");
    let found = store.metadata("zip:///../outside").await;
    assert!(matches!(found, Err(StoreError::NotFound)));
    let server = Server::builder("zip", "1").store(store).build().unwrap();
    for revision in Revision::ALL {
        let client = Client::in_memory(&server).revision(revision);
        let client = client.connect().await.unwrap();
        let read = client.read("zip:///src/main.rs").await.unwrap();
        assert_eq!(read.text(), Some("fn main() {}"));
        let binary = client.read("zip:///src/a%20b/%C3%A9.bin").await.unwrap();
        assert_eq!(binary.contents[0].body.as_bytes(), [0xff, 0x00]);
    }
}
