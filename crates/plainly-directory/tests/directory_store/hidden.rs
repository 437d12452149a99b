//! Hidden names: dot names and ignored ones. A name that isn't listed can't be read either, by its
//! own URI or through a link.

use std::collections::BTreeSet;
use std::fs;

use plainly::store::StoreError;

use crate::fixture::{ALL, Fixture};

/// A project with rules on three levels. [`SHOWN`] has its visible files.
const PROJECT: &[(&str, &str)] = &[
    (
        ".gitignore",
        "\u{feff}# build results\n*.log\n/target/\nsecrets/*\n!secrets/public.txt\nlogs\n\\#odd\n[bad\n",
    ),
    (".ignore", "!keep.log\ndraft.*\n"),
    (".env", "PASSWORD=1"),
    (".git/config", "[core]"),
    ("main.rs", "m"),
    ("a.log", "l"),
    ("keep.log", "k"),
    ("draft.md", "d"),
    ("#odd", "o"),
    ("target/debug/out.txt", "t"),
    ("src/target/kept.txt", "t"),
    ("secrets/key.txt", "s"),
    ("secrets/public.txt", "p"),
    ("src/.gitignore", "!b.log\ngenerated.rs\n/only-here.txt\n"),
    ("src/b.log", "b"),
    ("src/c.log", "c"),
    ("src/generated.rs", "g"),
    ("src/only-here.txt", "1"),
    ("src/deep/only-here.txt", "2"),
    ("src/deep/generated.rs", "g"),
    ("src/deep/.ignore", "!generated.rs\n"),
    ("src/deep/.hidden/x.txt", "h"),
    ("generated.rs", "g"),
    ("logs/today.txt", "t"),
    ("src/logs", "a file of that name"),
];

const SHOWN: &[&str] = &[
    "docs",
    "docs/generated.rs",
    "docs/keep.log",
    "docs/main.rs",
    "docs/secrets",
    "docs/src",
    "docs/secrets/public.txt",
    "docs/src/b.log",
    "docs/src/deep",
    "docs/src/deep/generated.rs",
    "docs/src/deep/only-here.txt",
    "docs/src/target",
    "docs/src/target/kept.txt",
];

/// The URIs of all files and directories of [`PROJECT`].
fn all() -> BTreeSet<String> {
    PROJECT
        .iter()
        .flat_map(|(path, _)| {
            let ends = path
                .match_indices('/')
                .map(|(at, _)| at)
                .chain([path.len()]);
            ends.map(|end| format!("docs/{}", path[..end].replace('#', "%23")))
        })
        .chain(["docs".to_owned()])
        .collect()
}

/// Checks that exactly `shown` is listed, and that other paths can't be reached.
fn check(fixture: &Fixture, shown: &[String]) {
    assert_eq!(fixture.tree(), shown);
    for path in all() {
        let uri = format!("file:///{path}");
        let answers = [
            fixture.metadata(&uri).map(drop),
            fixture.read(&uri).map(drop),
            match fixture.list(Some(&uri), None, ALL) {
                Err(StoreError::NotACollection) => Ok(()),
                listed => listed.map(drop),
            },
        ];
        for answer in answers {
            match answer {
                Ok(()) => assert!(shown.contains(&path), "{path} is there and not listed"),
                Err(StoreError::NotFound) => {
                    assert!(!shown.contains(&path), "{path} is listed and not there")
                }
                Err(error) => panic!("{path}: {error}"),
            }
        }
    }
}

#[test]
fn hidden_and_ignored_names_are_not_there() {
    check(
        &Fixture::new(PROJECT),
        &SHOWN
            .iter()
            .map(|path| (*path).to_owned())
            .collect::<Vec<_>>(),
    );
}

#[test]
fn all_is_there_when_asked_for() {
    let fixture = Fixture::with(PROJECT, |builder| builder.hidden(true).ignored(true));
    let tree = fixture.tree();
    assert_eq!(tree.iter().cloned().collect::<BTreeSet<_>>(), all());
    check(&fixture, &tree);
}

#[test]
fn hidden_names_alone_can_be_shown() {
    let fixture = Fixture::with(PROJECT, |builder| builder.hidden(true));
    let hidden = |path: &&String| path.contains("/.");
    let tree = fixture.tree();
    let shown: Vec<_> = tree.iter().filter(|path| !hidden(path)).cloned().collect();
    assert_eq!(shown, SHOWN);
    let hidden: Vec<_> = tree.iter().filter(hidden).cloned().collect();
    let expected: Vec<_> = all()
        .into_iter()
        .filter(|path| path.contains("/."))
        .collect();
    let found = hidden.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(found, expected.into_iter().collect());
    check(&fixture, &tree);
}

#[test]
fn ignored_names_alone_can_be_shown() {
    let fixture = Fixture::with(PROJECT, |builder| builder.ignored(true));
    let tree = fixture.tree();
    let expected: BTreeSet<_> = all()
        .into_iter()
        .filter(|path| !path.contains("/."))
        .collect();
    assert_eq!(tree.iter().cloned().collect::<BTreeSet<_>>(), expected);
    check(&fixture, &tree);
}

#[test]
fn a_rule_can_not_show_a_hidden_name() {
    let fixture = Fixture::new(&[(".gitignore", "!.env\n"), (".env", "PASSWORD=1")]);
    fixture.assert_absent("file:///docs/.env");
}

#[test]
fn rules_are_read_anew_for_each_request() {
    let fixture = Fixture::new(&[("a.txt", "a")]);
    assert_eq!(fixture.text("file:///docs/a.txt"), "a");
    fs::write(fixture.root().join(".ignore"), "a.txt").unwrap();
    assert_eq!(fixture.text("file:///docs/a.txt"), "resource not found");
}

#[test]
fn rules_that_can_not_be_read_hide_everything() {
    let fixture = Fixture::new(&[
        ("a/.gitignore", ""),
        ("a/x", "x"),
        ("a/sub/x", "x"),
        ("b/x", "x"),
    ]);
    let rules = fs::File::create(fixture.root().join("a/.gitignore")).unwrap();
    rules.set_len((1 << 20) + 1).unwrap();
    assert_eq!(fixture.tree(), ["docs", "docs/a", "docs/b", "docs/b/x"]);
    assert_eq!(fixture.text("file:///docs/a/sub/x"), "resource not found");
    rules.set_len(0).unwrap();
    assert_eq!(fixture.text("file:///docs/a/sub/x"), "x");
}

#[test]
fn a_directory_named_like_a_rule_file_has_no_rules() {
    let fixture = Fixture::new(&[(".gitignore/x", "*"), ("x", "x")]);
    assert_eq!(fixture.tree(), ["docs", "docs/x"]);
}

#[cfg(unix)]
#[test]
fn a_link_shows_nothing_that_is_left_out() {
    use std::os::unix::fs::symlink;

    let fixture = Fixture::new(PROJECT);
    for (link, target) in [
        ("env.txt", ".env"),
        ("config", ".git/config"),
        ("git", ".git"),
        ("log.txt", "a.log"),
        ("out", "target/debug"),
        ("key.txt", "secrets/key.txt"),
        ("src/up.txt", "../.env"),
        ("src/x.txt", "deep/.hidden/../only-here.txt"),
        // The link's own name is ignored, so its target doesn't matter.
        ("src/target/a.log", "../b.log"),
    ] {
        symlink(target, fixture.root().join(link)).unwrap();
        let uri = format!("file:///docs/{link}");
        fixture.assert_absent(&uri);
        assert_eq!(fixture.text(&uri), "resource not found", "{link}");
    }
    symlink("secrets", fixture.root().join("s")).unwrap();
    assert_eq!(fixture.children("file:///docs/s"), ["docs/s/public.txt"]);
    assert_eq!(fixture.text("file:///docs/s/key.txt"), "resource not found");
    let mut shown: Vec<String> = SHOWN.iter().map(|path| (*path).to_owned()).collect();
    let before_secrets = shown
        .iter()
        .position(|path| path == "docs/secrets")
        .unwrap();
    shown.insert(before_secrets, "docs/s".to_owned());
    check(&fixture, &shown);
}
