//! The content of files and collections, and their metadata without it.

use std::fs::{self, File};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plainly::protocol::types::Body;
use plainly::store::StoreError;

use crate::fixture::{ALL, Fixture};

#[test]
fn the_same_is_said_of_a_file_wherever_it_is_said() {
    let fixture = Fixture::new(&[
        ("a.md", "# Title"),
        ("README", "plain"),
        ("empty.txt", ""),
        ("empty", ""),
        ("sub/page.html", "<p>"),
        ("sub/mod.ts", "let a = 1;"),
    ]);
    fs::write(fixture.root().join("picture"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
    for listed in fixture.list(None, None, ALL).unwrap().resources {
        let mut found = fixture.metadata(&listed.uri).unwrap();
        let tag = found.own_tag().map(str::to_owned);
        found.remove_tag();
        // Listings don't open files, so they have no titles.
        let title = found.title.take();
        assert_eq!(title.as_deref(), (listed.name == "a.md").then_some("Title"));
        assert_eq!(found, listed);
        if listed.is_collection == Some(true) {
            assert_eq!(listed.mime_type.as_deref(), Some("inode/directory"));
            assert_eq!(listed.size, None);
            continue;
        }
        let contents = fixture.read(&listed.uri).unwrap();
        let [read] = &*contents else {
            panic!("{contents:?}")
        };
        assert_eq!(read.uri, listed.uri);
        assert_eq!(read.clone().into_resource().own_tag(), tag.as_deref());
        assert!(tag.is_some(), "{}", listed.uri);
        assert_eq!(read.name.as_ref(), Some(&listed.name));
        assert_eq!(read.title, title);
        assert_eq!(read.mime_type, listed.mime_type);
        assert_eq!(read.size, listed.size);
        assert_eq!(read.is_collection, Some(false));
        assert_eq!(read.annotations, listed.annotations);
        assert_eq!(read.body.as_bytes().len() as u64, listed.size.unwrap());
    }
    let mime = |name| {
        fixture
            .metadata(&format!("file:///docs/{name}"))
            .unwrap()
            .mime_type
            .unwrap()
    };
    assert_eq!(mime("picture"), "image/png");
    assert_eq!(mime("README"), "text/plain");
    assert_eq!(mime("sub/mod.ts"), "text/typescript");
    assert_eq!(fixture.text("file:///docs/empty"), "");
}

/// The tag differs even if size and modification time are the same.
#[test]
fn a_file_that_was_written_has_another_tag() {
    let fixture = Fixture::new(&[("a", "one")]);
    let tag = || {
        let contents = fixture.read("file:///docs/a").unwrap();
        let resource = contents.into_iter().next().unwrap().into_resource();
        resource.own_tag().unwrap().to_owned()
    };
    let before = tag();
    assert_eq!(tag(), before);
    let path = fixture.root().join("a");
    let times = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "two").unwrap();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(times)
        .unwrap();
    assert_ne!(tag(), before);
}

#[test]
fn text_is_given_as_text_and_the_rest_as_bytes() {
    let fixture = Fixture::new(&[]);
    for (content, is_text) in [
        (b"a\r\nb\n".as_slice(), true),
        ("\u{feff}gr\u{fc}n".as_bytes(), true),
        (b"a\0b", false),
        (b"h\0i\0", false),
    ] {
        fs::write(fixture.root().join("x.txt"), content).unwrap();
        let read = fixture.read("file:///docs/x.txt").unwrap().remove(0);
        assert_eq!(read.body.as_bytes(), content);
        assert_eq!(matches!(read.body, Body::Text(_)), is_text, "{content:?}");
    }
}

#[test]
fn files_are_read_up_to_the_limit() {
    let fixture = Fixture::with(&[], |builder| builder.max_file_bytes(10));
    let uri = "file:///docs/x";
    for (size, fits) in [(0, true), (10, true), (11, false), (4 << 30, false)] {
        File::create(fixture.root().join("x"))
            .unwrap()
            .set_len(size)
            .unwrap();
        assert_eq!(fixture.metadata(uri).unwrap().size, Some(size));
        match fixture.read(uri) {
            Ok(contents) => assert!(fits && contents.len() == 1, "{size}"),
            Err(StoreError::TooLarge {
                size: told,
                limit: 10,
            }) => assert!(!fits && told == size, "{size}"),
            Err(error) => panic!("{size}: {error}"),
        }
    }
}

#[test]
fn the_limit_is_16_mib_unless_set() {
    let fixture = Fixture::new(&[]);
    let file = File::create(fixture.root().join("x")).unwrap();
    file.set_len(16 << 20).unwrap();
    let found = fixture.read("file:///docs/x").unwrap()[0]
        .body
        .as_bytes()
        .len();
    assert_eq!(found, 16 << 20);
    file.set_len((16 << 20) + 1).unwrap();
    assert!(matches!(
        fixture.read("file:///docs/x"),
        Err(StoreError::TooLarge { .. })
    ));
}

#[test]
fn the_last_change_is_told_in_utc_to_the_millisecond() {
    let fixture = Fixture::new(&[("x", "x")]);
    let file = File::options()
        .write(true)
        .open(fixture.root().join("x"))
        .unwrap();
    let after = |millis| UNIX_EPOCH + Duration::from_millis(millis);
    let cases: &[(SystemTime, &str)] = &[
        (after(1_736_694_058_000), "2025-01-12T15:00:58Z"),
        (after(1_736_694_058_999), "2025-01-12T15:00:58.999Z"),
        (
            after(1_736_694_058_050) + Duration::from_nanos(999_999),
            "2025-01-12T15:00:58.05Z",
        ),
        (after(0), "1970-01-01T00:00:00Z"),
        (
            UNIX_EPOCH - Duration::from_secs(86_400),
            "1969-12-31T00:00:00Z",
        ),
    ];
    for (time, expected) in cases {
        file.set_modified(*time).unwrap();
        let annotations = fixture
            .metadata("file:///docs/x")
            .unwrap()
            .annotations
            .unwrap();
        assert_eq!(annotations.last_modified.as_deref(), Some(*expected));
    }
}

#[test]
fn a_collection_is_read_as_its_own_files_in_order() {
    let fixture = Fixture::new(&[
        ("d/b.txt", "b"),
        ("d/a.txt", "a"),
        ("d/sub/c.txt", "c"),
        ("d/.hidden", "h"),
        ("empty/", ""),
    ]);
    let contents = fixture.read("file:///docs/d").unwrap();
    let read: Vec<_> = contents
        .iter()
        .map(|one| (one.uri.as_str(), one.body.as_text().unwrap()))
        .collect();
    let expected = [("file:///docs/d/a.txt", "a"), ("file:///docs/d/b.txt", "b")];
    assert_eq!(read, expected);
    assert_eq!(contents[0].name.as_deref(), Some("a.txt"));
    assert_eq!(contents[0].is_collection, Some(false));
    assert!(fixture.read("file:///docs/empty").unwrap().is_empty());
    assert!(fixture.read("file:///docs").unwrap().is_empty());
}

#[test]
fn a_collection_that_is_too_large_is_read_in_part() {
    let fixture = Fixture::new(&[]);
    let write =
        |name: String, size: usize| fs::write(fixture.root().join(name), "x".repeat(size)).unwrap();
    write("0-too-large".into(), (64 << 10) + 1);
    for n in 0..5 {
        write(format!("1-large-{n}"), 60 << 10);
    }
    for n in 0..200 {
        write(format!("2-small-{n:03}"), 10);
    }
    let contents = fixture.read("file:///docs").unwrap();
    assert_eq!(contents.len(), 100);
    let bytes: usize = contents.iter().map(|one| one.body.as_bytes().len()).sum();
    assert_eq!(bytes, 4 * (60 << 10) + 96 * 10);
    assert_eq!(contents[99].name.as_deref(), Some("2-small-095"));
}

#[test]
fn a_collection_is_read_up_to_its_limits() {
    let kib = |kib: usize| kib << 10;
    let cases: [(&[usize], usize); 7] = [
        (&[kib(64)], 1),
        (&[kib(64) + 1], 0),
        (&[kib(64); 4], 4),
        // After these files, only an empty file fits.
        (&[kib(64), kib(64), kib(64), kib(64), 1, 0], 5),
        (&[kib(64), kib(64), kib(64), kib(63), kib(1), 1], 5),
        (&[1; 100], 100),
        (&[1; 101], 100),
    ];
    for (sizes, expected) in cases {
        let fixture = Fixture::new(&[]);
        for (number, size) in sizes.iter().enumerate() {
            let path = fixture.root().join(format!("{number:03}"));
            fs::write(path, "x".repeat(*size)).unwrap();
        }
        let contents = fixture.read("file:///docs").unwrap();
        assert_eq!(contents.len(), expected, "{sizes:?}");
        assert_eq!(fixture.children("file:///docs").len(), sizes.len());
    }
}

#[test]
fn a_collection_is_not_searched_for_files_without_end() {
    let fixture = Fixture::new(&[]);
    for number in 0..999 {
        fs::create_dir(fixture.root().join(format!("{number:04}"))).unwrap();
    }
    for name in ["a", "b"] {
        fs::write(fixture.root().join(name), name).unwrap();
    }
    let contents = fixture.read("file:///docs").unwrap();
    let names: Vec<_> = contents.iter().map(|one| one.name.as_deref()).collect();
    assert_eq!(names, [Some("a")]);
}

/// A log is written while it is read. Each read succeeds, and returns a beginning of the file.
#[test]
fn a_file_that_is_being_written_is_read() {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};

    let fixture = Fixture::new(&[("log.txt", "line 0\n")]);
    let over = AtomicBool::new(false);
    let read = std::thread::scope(|scope| {
        scope.spawn(|| {
            let log = fixture.root().join("log.txt");
            let mut log = File::options().append(true).open(log).unwrap();
            for line in 1.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                log.write_all(format!("line {line}\n").as_bytes()).unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let read = |_| fixture.text("file:///docs/log.txt");
        let read: Vec<String> = (0..100).map(read).collect();
        over.store(true, Ordering::Relaxed);
        read
    });
    let whole = fs::read_to_string(fixture.root().join("log.txt")).unwrap();
    assert!(read.iter().all(|text| whole.starts_with(text)));
    assert!(read.last().unwrap().len() > read[0].len());
}
