//! Listings of directories that change between pages. Whatever is added, deleted, renamed or made a
//! directory meanwhile, a listing continues from its position, ends, has no entry twice, and has
//! all entries that existed the whole time.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use crate::fixture::{Fixture, short};

/// A change between two pages, to the file with some number.
#[derive(Clone, Copy, Debug)]
enum Change {
    Write,
    Delete,
    /// Renames to the name with another number, replacing its file.
    Rename(u8),
    MakeDirectory,
    /// Creates a file in the directory of that name.
    Fill,
}

fn change() -> impl Strategy<Value = (u8, Change)> {
    let change = prop_oneof![
        3 => Just(Change::Write),
        3 => Just(Change::Delete),
        3 => (0_u8..40).prop_map(Change::Rename),
        1 => Just(Change::MakeDirectory),
        1 => Just(Change::Fill),
    ];
    (0_u8..40, change)
}

/// Applies a change, if it is possible.
fn apply(root: &Path, (number, change): (u8, Change)) {
    let path = |number: u8| root.join(format!("{number:02}"));
    let this = path(number);
    let _ = match change {
        Change::Write => fs::write(&this, "x"),
        Change::Delete => fs::remove_file(&this).or_else(|_| fs::remove_dir_all(&this)),
        Change::Rename(other) => fs::rename(&this, path(other)),
        Change::MakeDirectory => fs::create_dir(&this),
        Change::Fill => fs::write(this.join("inner"), "x"),
    };
}

/// Names between the others that never change.
const LASTING: [&str; 6] = [
    "00-lasts",
    "13-lasts",
    "20-lasts",
    "20-lasts/in",
    "39-lasts",
    "~",
];

/// Reads all pages, and applies changes after each page. Returns the listed entries, in order.
fn page_through(
    fixture: &Fixture,
    parent: Option<&str>,
    limit: usize,
    changes: &[Vec<(u8, Change)>],
) -> Vec<String> {
    let root = fixture.root();
    let mut listed = Vec::new();
    let mut after = None;
    // Once nothing changes any more, the listing must end.
    for page in 0..changes.len() + 200 {
        let page_of = fixture.list(parent, after.as_deref(), limit).unwrap();
        assert!(page_of.resources.len() <= limit);
        listed.extend(short(&page_of));
        after = page_of.next;
        if after.is_none() {
            return listed;
        }
        for change in changes.get(page).into_iter().flatten() {
            apply(&root, *change);
        }
    }
    panic!("endless: {listed:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_listing_goes_on_whatever_changes(
        first in proptest::collection::vec(change(), 0..60),
        changes in proptest::collection::vec(proptest::collection::vec(change(), 0..12), 0..20),
        limit in 1_usize..7,
        is_below in any::<bool>(),
    ) {
        let files = LASTING.map(|name| match name {
            "20-lasts" => ("20-lasts/", ""),
            name => (name, "x"),
        });
        let fixture = Fixture::new(&files);
        for change in first {
            apply(&fixture.root(), change);
        }
        let parent = is_below.then_some("file:///docs");
        let listed = page_through(&fixture, parent, limit, &changes);
        let path = |uri: &String| uri.split('/').map(str::to_owned).collect::<Vec<_>>();
        // Deeper entries come last, depth first.
        let position = |path: Vec<String>| (path.len().min(3), path);
        let paths: Vec<_> = listed.iter().map(path).map(position).collect();
        prop_assert!(paths.is_sorted_by(|one, next| one < next), "{:?}", listed);
        let listed: BTreeSet<_> = listed.into_iter().collect();
        for name in LASTING.into_iter().filter(|name| !is_below || !name.contains('/')) {
            prop_assert!(listed.contains(&format!("docs/{name}")), "{} {:?}", name, listed);
        }
    }
}
