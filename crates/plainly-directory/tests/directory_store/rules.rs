//! The rules that every store must follow.

use plainly::store::{Stores, check, check_writes};
use plainly_directory::DirectoryStore;

use super::fixture::Fixture;

#[test]
fn directories_keep_the_rules_of_stores() {
    let fixture = Fixture::new(&[
        ("readme.md", "# Read me"),
        ("page.html", "<h1>Read me</h1>"),
        ("table.csv", "a,b\n1,2\n"),
        ("empty.txt", ""),
        ("guide/a b.md", "é"),
        ("guide/deep/er/x.json", "{}"),
        ("guide.md", "beside its directory"),
        ("guide-2/é.txt", "e"),
        (".hidden/x", "no"),
        ("100%/#1?.txt", "odd"),
    ]);
    let report = fixture.block_on(check(&fixture.store));
    assert!(report.is_ok(), "{report}");
}

#[test]
fn two_mounts_keep_them_too() {
    let fixture = Fixture::new(&[("a/x", "x"), ("b/y", "y"), ("b/z/1", "1")]);
    let [a, b] = ["a", "b"].map(|name| fixture.root().join(name));
    let both = DirectoryStore::builder()
        .mount(&a)
        .mount(&b)
        .build()
        .unwrap();
    let report = fixture.block_on(check(&both));
    assert!(report.is_ok(), "{report}");
    // Each store has the collection above its mounts.
    let [a, b] = [a, b].map(|path| DirectoryStore::new(path).unwrap());
    let report = fixture.block_on(check(&Stores::new().add(a).add(b)));
    assert!(report.is_ok(), "{report}");
}

#[test]
fn directories_keep_those_of_writing_too() {
    let fixture = Fixture::writable(&[("dir/x", "x")]);
    for base in ["file:///docs/", "file:///docs/dir/a%20b-"] {
        let report = fixture.block_on(check_writes(&fixture.store, base));
        assert!(report.is_ok(), "{report}");
    }
    assert_eq!(fixture.tree(), ["docs", "docs/dir", "docs/dir/x"]);
}

#[cfg(feature = "skills")]
#[test]
fn skills_keep_them_too() {
    let skill = "---\nname: refunds\ndescription: How to refund\n---\nAsk.\n";
    let fixture = Fixture::new(&[
        ("refunds/SKILL.md", skill),
        ("refunds/forms/a.md", "A form"),
        ("beside.md", "of no skill"),
    ]);
    let skills = plainly_directory::SkillDirectory::new(fixture.root()).unwrap();
    let report = fixture.block_on(check(&skills));
    assert!(report.is_ok(), "{report}");
}
