//! The listed entries, their order, and the sequence of pages.

use std::fs;
use std::time::Instant;

use plainly::store::StoreError;

use crate::fixture::{ALL, Fixture, short, write_all};

const FILES: &[(&str, &str)] = &[
    ("b.txt", "b"),
    ("a/x", "x"),
    ("a/sub/deep", "d"),
    ("a/sub-1", "s"),
    ("a.txt", "a"),
    ("B", "upper"),
    ("empty/", ""),
    ("é", "accent"),
    ("a b", "blank"),
];

const TREE: &[&str] = &[
    "",
    "docs",
    "docs/B",
    "docs/a",
    "docs/a%20b",
    "docs/a.txt",
    "docs/b.txt",
    "docs/empty",
    "docs/%C3%A9",
    "docs/a/sub",
    "docs/a/sub/deep",
    "docs/a/sub-1",
    "docs/a/x",
];

#[test]
fn what_is_directly_in_a_mount_is_listed_before_what_is_deeper() {
    assert_eq!(Fixture::new(FILES).tree(), TREE[1..]);
}

#[test]
fn children_are_the_direct_ones() {
    let fixture = Fixture::new(FILES);
    assert_eq!(
        fixture.children("file:///docs"),
        [
            "docs/B",
            "docs/a",
            "docs/a%20b",
            "docs/a.txt",
            "docs/b.txt",
            "docs/empty",
            "docs/%C3%A9"
        ]
    );
    let expected = ["docs/a/sub", "docs/a/sub-1", "docs/a/x"];
    assert_eq!(fixture.children("file:///docs/a"), expected);
    assert!(fixture.children("file:///docs/empty").is_empty());
}

#[test]
fn only_an_existing_collection_has_children() {
    let fixture = Fixture::new(FILES);
    let fail = |uri| fixture.list(Some(uri), None, ALL).unwrap_err();
    assert!(matches!(
        fail("file:///docs/b.txt"),
        StoreError::NotACollection
    ));
    assert!(matches!(fail("file:///docs/none"), StoreError::NotFound));
    assert!(matches!(fail("file:///docs/b.txt/x"), StoreError::NotFound));
    assert!(matches!(fail("file:///other"), StoreError::NotFound));
    assert!(matches!(fail("file://docs"), StoreError::InvalidUri { .. }));
}

#[test]
fn the_beginning_of_every_mount_is_listed_before_the_rest_of_any() {
    let files = [("x", "1"), ("y/deep/er", "2")];
    let fixture = Fixture::with(&files, |builder| {
        let other = tempfile::tempdir().unwrap().keep();
        write_all(&other, &[("d/z", "3")]);
        builder
            .mount_as("z last", &other)
            .mount_as("A first", &other)
    });
    let expected = [
        "A%20first",
        "docs",
        "z%20last",
        "A%20first/d",
        "docs/x",
        "docs/y",
        "z%20last/d",
        "A%20first/d/z",
        "docs/y/deep",
        "docs/y/deep/er",
        "z%20last/d/z",
    ];
    assert_eq!(fixture.tree(), expected);
    for limit in 1..=expected.len() {
        assert_eq!(pages(&fixture, None, limit)[1..], expected);
    }
}

#[test]
fn above_all_mounts_is_a_collection_of_them() {
    let fixture = Fixture::with(&[("x", "1")], |builder| {
        let other = tempfile::tempdir().unwrap().keep();
        builder.mount_as("b", &other).mount_as("z", &other)
    });
    let top = "file:///";
    let metadata = fixture.metadata(top).unwrap();
    assert_eq!(metadata.is_collection, Some(true));
    assert_eq!(metadata, fixture.list(None, None, 1).unwrap().resources[0]);
    assert!(fixture.read(top).unwrap().is_empty());
    for limit in 1..=4 {
        assert_eq!(pages(&fixture, Some(top), limit), ["b", "docs", "z"]);
    }
    // The mount `c` is no longer served.
    let rest = fixture.list(Some(top), Some("file:///c"), ALL).unwrap();
    assert_eq!(short(&rest), ["docs", "z"]);
}

#[test]
fn pages_of_every_size_make_the_whole() {
    let fixture = Fixture::new(FILES);
    for limit in 1..=TREE.len() + 1 {
        assert_eq!(pages(&fixture, None, limit), TREE, "limit {limit}");
        for parent in [
            "file:///",
            "file:///docs",
            "file:///docs/a",
            "file:///docs/empty",
        ] {
            let found = pages(&fixture, Some(parent), limit);
            assert_eq!(found, fixture.children(parent), "limit {limit} of {parent}");
        }
    }
}

#[test]
fn a_listing_goes_on_where_something_was_removed() {
    for (removed, expected) in [
        ("a", &TREE[4..9]),
        ("a/sub", &TREE[11..]),
        ("a/sub/deep", &TREE[11..]),
        ("a/x", &[]),
    ] {
        let fixture = Fixture::new(FILES);
        let position = format!("file:///docs/{removed}");
        fs::rename(fixture.root().join(removed), fixture.outside().join("gone")).unwrap();
        let rest = fixture.list(None, Some(&position), ALL).unwrap();
        assert_eq!(short(&rest), expected, "{removed}");
    }
}

#[test]
fn a_position_of_another_listing_is_refused() {
    let fixture = Fixture::new(FILES);
    for (parent, position) in [
        (None, "file:///other"),
        (None, "file:///docs/"),
        (Some("file:///"), "file:///"),
        (Some("file:///"), "file:///docs/a"),
        (None, "docs/a"),
        (None, ""),
        (None, "file:///docs/%zz"),
        (Some("file:///docs"), "file:///docs"),
        (Some("file:///docs"), "file:///docs/a/x"),
        (Some("file:///docs"), "file:///other/a"),
        (Some("file:///docs"), "a"),
        (Some("file:///docs/a"), "file:///docs/a.txt"),
        (Some("file:///docs/a"), "file:///docs/a/.."),
    ] {
        let error = fixture.list(parent, Some(position), ALL).unwrap_err();
        assert!(
            matches!(error, StoreError::InvalidCursor),
            "{parent:?} {position:?}: {error}"
        );
    }
}

#[test]
fn nothing_is_deeper_than_64_directories() {
    let fixture = Fixture::new(&[]);
    let mut path = fixture.root();
    let mut uri = "file:///docs".to_owned();
    for _ in 0..64 {
        path.push("d");
        uri.push_str("/d");
    }
    fs::create_dir_all(path.join("beyond")).unwrap();
    assert_eq!(fixture.tree().len(), 65);
    assert_eq!(fixture.metadata(&uri).unwrap().is_collection, Some(true));
    assert!(fixture.children(&uri).is_empty());
    assert!(matches!(
        fixture.metadata(&format!("{uri}/beyond")),
        Err(StoreError::NotFound)
    ));
}

#[test]
fn a_large_directory_is_listed_in_order_and_complete() {
    let fixture = Fixture::new(&[]);
    let expected: Vec<String> = (0..20_000).map(|n| format!("docs/{n:05}.txt")).collect();
    for n in 0..20_000_u32 {
        // The files are not created in the order of their names.
        let n = n.wrapping_mul(7_919) % 20_000;
        fs::write(fixture.root().join(format!("{n:05}.txt")), "").unwrap();
    }
    let start = Instant::now();
    let first = fixture.list(Some("file:///docs"), None, 1_000).unwrap();
    println!("first page of 20,000: {:?}", start.elapsed());
    assert_eq!(short(&first), expected[..1_000]);
    // The directory has more names than one batch, so it is read again.
    assert_eq!(pages(&fixture, Some("file:///docs"), 5_000), expected);
    assert_eq!(fixture.tree()[1..], expected);
}

/// All pages of at most `limit` entries, one after the other.
fn pages(fixture: &Fixture, parent: Option<&str>, limit: usize) -> Vec<String> {
    let mut all = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = fixture.list(parent, after.as_deref(), limit).unwrap();
        assert!(page.resources.len() <= limit);
        all.extend(short(&page));
        match page.next {
            Some(next) => {
                assert_eq!(page.resources.len(), limit, "only the last page is shorter");
                after = Some(next);
            }
            None => return all,
        }
    }
}
