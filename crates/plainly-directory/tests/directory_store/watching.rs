//! The changes that the store reports. Each test changes the directory and then edits files that
//! mark the end of the test. All reports up to that point are compared, so that forbidden reports
//! have had time to arrive.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use plainly::server::SubscribedResources;
use plainly::store::{Change, Store, Watch};
use plainly_directory::{DirectoryStore, DirectoryStoreBuilder};

use crate::fixture::{ALL, Fixture, SECRET, set_modified, short, write_all};

const PATIENCE: Duration = Duration::from_secs(20);

/// The files that are edited to end a test. Reports that come with the first one precede those of
/// the second.
const ENDS: [&str; 2] = ["zz/end-1", "zz/end-2"];

/// A served directory, and its reported changes.
struct Watched {
    fixture: Fixture,
    changes: Watch,
}

impl Watched {
    fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, |builder| builder)
    }

    fn with(
        files: &[(&str, &str)],
        configure: impl FnOnce(DirectoryStoreBuilder) -> DirectoryStoreBuilder,
    ) -> Self {
        Self::of(Self::fixture(files, configure), |fixture| {
            fixture.store.watch(SubscribedResources::none())
        })
    }

    fn fixture(
        files: &[(&str, &str)],
        configure: impl FnOnce(DirectoryStoreBuilder) -> DirectoryStoreBuilder,
    ) -> Fixture {
        let fixture = Fixture::with(files, configure);
        write_all(&fixture.root(), &ENDS.map(|name| (name, "")));
        fixture
    }

    fn of(fixture: Fixture, watch: impl FnOnce(&Fixture) -> Option<Watch>) -> Self {
        age(&fixture.root());
        let changes = watch(&fixture).unwrap();
        let mut watched = Self { fixture, changes };
        watched.assert_told("", "nothing has changed");
        watched
    }

    fn root(&self) -> PathBuf {
        self.fixture.root()
    }

    fn next(&mut self) -> Change {
        let next = async { tokio::time::timeout(PATIENCE, self.changes.next()).await };
        let change = self.fixture.block_on(next).expect("nothing is told");
        let change = change.expect("the changes end");
        let said = format!("{change:?}");
        let outside = self.fixture.outside().to_str().unwrap();
        assert!(!said.contains(outside) && !said.contains(SECRET), "{said}");
        change
    }

    /// The reports before the listing.
    fn until_listing(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        while let Change::Resource(uri) = self.next() {
            told.push(uri);
        }
        told
    }

    /// Checks the reports since the last check.
    #[track_caller]
    fn assert_told(&mut self, expected: &str, what: &str) {
        let told = self.told();
        assert_eq!(comparable(&told), comparable(expected), "{what}");
    }

    /// All reports since the last call: URIs without their common prefix, those of trees with a
    /// slash, and `*` for the listing.
    fn told(&mut self) -> String {
        let mut told = BTreeSet::new();
        for end in ENDS {
            edit(&self.root().join(end));
            loop {
                let short = |uri: String| uri.strip_prefix("file:///").unwrap().to_owned();
                let change = match self.next() {
                    Change::Resource(uri) => short(uri),
                    Change::Tree(uri) => short(uri) + "/",
                    Change::Listing => "*".to_owned(),
                    other => panic!("{other:?}"),
                };
                if change.ends_with(end) {
                    break;
                }
                told.insert(change);
            }
        }
        told.retain(|change| !change.starts_with("docs/zz"));
        told.into_iter().collect::<Vec<_>>().join(" ")
    }
}

/// The reports in a comparable form. Windows doesn't report the kind of a removed entry, so the
/// store reports a tree there.
fn comparable(told: &str) -> BTreeSet<&str> {
    let words = told.split(' ');
    match cfg!(windows) {
        true => words.map(|word| word.trim_end_matches('/')).collect(),
        false => words.collect(),
    }
}

/// Changes a file once. Writing it anew would be two changes.
fn edit(path: &Path) {
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.write_all(b"edited").unwrap();
}

/// Makes the entries at `path` look as if they hadn't changed for long.
fn age(path: &Path) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            age(&entry.unwrap().path());
        }
    }
    age_alone(path);
}

/// A name, a change in `docs/d`, which contains `a.md` and is next to an empty `e`, and the
/// expected reports.
type Case = (&'static str, fn(&Path), &'static str);

const EDITS: &[Case] = &[
    (
        "write",
        |d| fs::write(d.join("a.md"), "2").unwrap(),
        "docs/d docs/d/a.md",
    ),
    ("time", |d| age_alone(&d.join("a.md")), "docs/d docs/d/a.md"),
    ("time of a directory", age_alone, "docs docs/d"),
    ("read", |d| drop(fs::read(d.join("a.md")).unwrap()), ""),
    (
        "outside",
        |d| fs::write(d.join("../../x"), "2").unwrap(),
        "",
    ),
];

const NAMES: &[Case] = &[
    (
        "create",
        |d| fs::write(d.join("b c"), "").unwrap(),
        "* docs/d docs/d/b%20c",
    ),
    (
        "delete",
        |d| fs::remove_file(d.join("a.md")).unwrap(),
        "* docs/d docs/d/a.md",
    ),
    (
        "come and gone",
        |d| {
            fs::write(d.join("x"), "").unwrap();
            fs::remove_file(d.join("x")).unwrap();
        },
        "* docs/d docs/d/x",
    ),
    (
        "new directory",
        |d| write_all(d, &[("n/o/p", "")]),
        "* docs/d docs/d/n/",
    ),
    (
        "removed directory",
        |d| fs::remove_dir_all(d).unwrap(),
        "* docs docs/d/",
    ),
];

const MOVES: &[Case] = &[
    (
        "rename",
        |d| rename(d, "a.md", "b"),
        "* docs/d docs/d/a.md docs/d/b",
    ),
    (
        "within",
        |d| rename(d, "a.md", "../e/b"),
        "* docs/d docs/d/a.md docs/e docs/e/b",
    ),
    (
        "out",
        |d| rename(d, "a.md", "../../a"),
        "* docs/d docs/d/a.md",
    ),
    (
        "in",
        |d| rename(d, "../../secret.txt", "b"),
        "* docs/d docs/d/b",
    ),
    (
        "replace",
        |d| {
            fs::write(d.join("../../next"), "2").unwrap();
            rename(d, "../../next", "a.md");
        },
        "* docs/d docs/d/a.md",
    ),
    (
        "directory out",
        |d| fs::rename(d, d.join("../../d")).unwrap(),
        "* docs docs/d/",
    ),
    ("another in its place", replace, "* docs docs/d/"),
];

/// Moves a directory away, replaces it, and then changes the moved one.
fn replace(d: &Path) {
    let out = d.join("../../out");
    fs::rename(d, &out).unwrap();
    fs::create_dir(d).unwrap();
    fs::write(out.join("new"), "").unwrap();
    fs::remove_file(out.join("a.md")).unwrap();
}

fn rename(directory: &Path, from: &str, to: &str) {
    fs::rename(directory.join(from), directory.join(to)).unwrap();
}

fn age_alone(path: &Path) {
    set_modified(path, SystemTime::UNIX_EPOCH);
}

#[test]
fn each_change_is_told_of_what_changed() {
    for (what, change, expected) in [EDITS, NAMES, MOVES].concat() {
        let mut watched = Watched::new(&[("d/a.md", "1"), ("e/", "")]);
        change(&watched.root().join("d"));
        watched.assert_told(expected, what);
    }
}

#[test]
fn what_is_in_new_and_moved_directories_is_watched_too() {
    let mut watched = Watched::new(&[("d/e/f/x", "1")]);
    let root = watched.root();
    write_all(&root, &[("n/o/p/x", "1")]);
    watched.assert_told("* docs docs/n/", "");
    fs::write(root.join("n/o/p/x"), "2").unwrap();
    watched.assert_told("docs/n/o/p docs/n/o/p/x", "");
    fs::rename(root.join("d"), root.join("m")).unwrap();
    watched.assert_told("* docs docs/d/ docs/m/", "");
    fs::write(root.join("m/e/f/x"), "2").unwrap();
    watched.assert_told("docs/m/e/f docs/m/e/f/x", "");
    fs::rename(root.join("m/e"), root.join("../e")).unwrap();
    watched.assert_told("* docs/m docs/m/e/", "");
    fs::write(root.join("../e/f/x"), "3").unwrap();
    watched.assert_told("", "");
    // Changes are not reported either if another directory has the name now.
    write_all(&root, &[("m/e/f/", "")]);
    watched.assert_told("* docs/m docs/m/e/", "");
    fs::write(root.join("../e/f/y"), "").unwrap();
    fs::remove_file(root.join("../e/f/y")).unwrap();
    watched.assert_told("", "");
    fs::rename(root.join("../e"), root.join("e")).unwrap();
    watched.assert_told("* docs docs/e/", "");
    fs::write(root.join("e/f/x"), "4").unwrap();
    watched.assert_told("docs/e/f docs/e/f/x", "");
}

#[test]
fn rules_from_above_that_change_are_told() {
    let mut watched = Watched::new(&[("a.log", "1"), ("d/a.md", "1")]);
    fs::create_dir_all(watched.root().join("../.git/info")).unwrap();
    let tree = Change::Tree("file:///docs".to_owned());
    let log = "file:///docs/a.log";
    for (file, rule, is_shown) in [
        (".gitignore", "*.log", false),
        (".gitignore", "!a.log", true),
        (".git/info/exclude", "*.log\nd/", true),
    ] {
        fs::write(watched.root().join("..").join(file), rule).unwrap();
        while watched.next() != tree {}
        assert_eq!(watched.fixture.metadata(log).is_ok(), is_shown, "{rule}");
    }
    watched.fixture.assert_absent("file:///docs/d/a.md");
}

#[cfg(unix)]
#[test]
fn a_directory_in_the_place_of_a_mount_is_told() {
    let mut watched = Watched::new(&[("x", "1")]);
    let root = watched.root();
    fs::rename(&root, root.with_extension("old")).unwrap();
    write_all(&root, &[("x", "2"), ("zz/end-1", ""), ("zz/end-2", "")]);
    while watched.next() != Change::Tree("file:///docs".to_owned()) {}
    assert_eq!(watched.next(), Change::Listing);
    assert_eq!(watched.fixture.text("file:///docs/x"), "2");
    fs::write(root.join("x"), "3").unwrap();
    watched.assert_told("docs docs/x", "");
}

#[test]
fn a_single_file_is_watched_and_nothing_beside_it() {
    let around = tempfile::tempdir().unwrap();
    let path = |name: &str| around.path().join(name);
    for name in ["notes.md", "beside", "next"] {
        fs::write(path(name), "1").unwrap();
        age_alone(&path(name));
    }
    let mut watched = Watched::with(&[], |builder| builder.mount_as("notes", path("notes.md")));
    edit(&path("notes.md"));
    edit(&path("beside"));
    watched.assert_told(" notes", "edited");
    fs::rename(path("next"), path("notes.md")).unwrap();
    watched.assert_told("*  notes", "replaced");
    fs::remove_file(path("beside")).unwrap();
    fs::create_dir(path("new")).unwrap();
    watched.assert_told("", "beside it");
    fs::remove_file(path("notes.md")).unwrap();
    watched.assert_told("*  notes", "removed");
}

#[cfg(unix)]
#[test]
fn what_is_withheld_is_not_told() {
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("key");
    let files = [("keys", ""), ("others", "")];
    let mut watched = Watched::with(&files, |builder| builder.withhold([&link]));
    std::os::unix::fs::symlink(watched.root().join("keys"), &link).unwrap();
    for name in ["keys", "others"] {
        edit(&watched.root().join(name));
    }
    watched.assert_told("docs docs/others", "");
}

#[test]
fn what_is_hidden_or_ignored_is_not_told() {
    let files = [
        (".git/x", "1"),
        (".env", "1"),
        ("d/.h", "1"),
        (".gitignore", "*.log\ntarget/\nout"),
        ("a.log", "1"),
        ("target/x", "1"),
    ];
    let mut watched = Watched::new(&files);
    let root = watched.root();
    for (name, _) in files {
        if name != ".gitignore" {
            fs::write(root.join(name), "2").unwrap();
        }
    }
    write_all(
        &root,
        &[
            (".new/x", ""),
            ("d/b.log", ""),
            ("d/target/x", ""),
            ("out/x", ""),
        ],
    );
    fs::rename(root.join("a.log"), root.join("c.log")).unwrap();
    fs::remove_file(root.join("c.log")).unwrap();
    fs::remove_dir_all(root.join("target")).unwrap();
    fs::remove_dir_all(root.join(".git")).unwrap();
    watched.assert_told("", "");
    fs::rename(root.join("d/b.log"), root.join("d/b")).unwrap();
    watched.assert_told("* docs/d docs/d/b", "");
    fs::rename(root.join("d/b"), root.join("d/.b")).unwrap();
    watched.assert_told("* docs/d docs/d/b", "");
}

#[test]
fn other_rules_are_another_listing_and_show_what_to_watch() {
    let mut watched = Watched::new(&[("d/.ignore", "n"), ("d/n/x", "1"), ("d/x", "1")]);
    let root = watched.root();
    fs::write(root.join("d/n/x"), "2").unwrap();
    watched.assert_told("", "");
    fs::write(root.join("d/.ignore"), "x").unwrap();
    watched.assert_told("* docs/d/", "");
    fs::write(root.join("d/n/y"), "1").unwrap();
    fs::write(root.join("d/x"), "2").unwrap();
    watched.assert_told("* docs/d/n docs/d/n/y", "");
    fs::remove_file(root.join("d/.ignore")).unwrap();
    watched.assert_told("* docs/d/", "");
    fs::write(root.join("d/x"), "3").unwrap();
    watched.assert_told("docs/d docs/d/x", "");
}

#[test]
fn all_is_told_where_all_is_served() {
    let files = [(".gitignore", "*.log"), ("a.log", "1"), (".h/x", "1")];
    let mut watched = Watched::with(&files, |builder| builder.hidden(true).ignored(true));
    for (name, _) in files {
        fs::write(watched.root().join(name), "2").unwrap();
    }
    let expected = "docs docs/.gitignore docs/.h docs/.h/x docs/a.log";
    watched.assert_told(expected, "");
}

#[cfg(unix)]
#[test]
fn only_links_that_stay_inside_are_told() {
    use std::os::unix::fs::symlink;

    use crate::fixture::make_pipe;

    let mut watched = Watched::new(&[("d/x", "1")]);
    let root = watched.root();
    symlink("../secret.txt", root.join("out")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    make_pipe(&root.join("pipe"));
    fs::write(root.join("../secret.txt"), SECRET).unwrap();
    fs::write(root.join("../beside"), SECRET).unwrap();
    watched.assert_told("", "");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o640);
    fs::set_permissions(root.join("pipe"), mode).unwrap();
    watched.assert_told("", "a pipe");
    symlink("d", root.join("in")).unwrap();
    watched.assert_told("* docs docs/in/", "");
    // The report has the file's own name, because the store doesn't know the other one.
    fs::write(root.join("in/x"), "2").unwrap();
    watched.assert_told("docs/d docs/d/x", "");
}

#[cfg(unix)]
#[test]
fn a_directory_that_takes_the_place_of_a_mount_is_not_watched() {
    let mut watched = Watched::new(&[("x", "1")]);
    let root = watched.root();
    let moved = root.with_file_name("moved");
    fs::rename(&root, &moved).unwrap();
    write_all(&root, &[("secret", SECRET), ("x", SECRET)]);
    fs::write(moved.join("x"), "2").unwrap();
    // The end files are edited at the watched directory's new place.
    edit(&moved.join(ENDS[0]));
    let mut told = BTreeSet::new();
    while let Change::Resource(uri) = watched.next() {
        if uri.ends_with(ENDS[0]) {
            break;
        }
        told.insert(uri);
    }
    let expected = ["file:///docs", "file:///docs/x", "file:///docs/zz"];
    assert_eq!(told, expected.map(str::to_owned).into());
}

#[cfg(unix)]
#[test]
fn a_mount_that_is_made_anew_is_told_and_watched() {
    let mut watched = Watched::new(&[("a.md", "1")]);
    let root = watched.root();
    fs::remove_dir_all(&root).unwrap();
    fs::create_dir(&root).unwrap();
    write_all(&root, &ENDS.map(|name| (name, "")));
    while watched.next() != Change::Tree("file:///docs".to_owned()) {}
    watched.told();
    fs::write(root.join("a.md"), "2").unwrap();
    watched.assert_told("* docs docs/a.md", "");
}

#[test]
fn what_changes_before_the_first_look_is_told() {
    let fixture = Fixture::new(&[("d/e/x", "1"), ("d/old", "1")]);
    age(&fixture.root());
    let changes = fixture.store.watch(SubscribedResources::none()).unwrap();
    fs::write(fixture.root().join("d/e/x"), "2").unwrap();
    fs::write(fixture.root().join("d/e/new"), "2").unwrap();
    let mut watched = Watched { fixture, changes };
    let told = watched.until_listing();
    for expected in [
        "file:///docs/d/e",
        "file:///docs/d/e/new",
        "file:///docs/d/e/x",
    ] {
        assert!(told.contains(&expected.to_owned()), "{expected}: {told:?}");
    }
    assert!(!told.contains(&"file:///docs/d/old".to_owned()), "{told:?}");
}

#[test]
fn a_burst_is_told_in_few_words_and_nothing_after_it_is_missed() {
    const FILES: usize = 5_000;
    let directories: Vec<_> = (0..50).map(|index| format!("burst/{index}/")).collect();
    let directories: Vec<_> = directories.iter().map(|name| (name.as_str(), "")).collect();
    let mut watched = Watched::new(&directories);
    let root = watched.root();
    for index in 0..FILES {
        fs::write(root.join(format!("burst/{}/{index}", index % 50)), "").unwrap();
    }
    let everything = Change::Tree("file:///docs".to_owned());
    let mut told = Vec::new();
    while !told.contains(&everything) {
        told.push(watched.next());
    }
    assert!(told.len() < FILES / 2, "{}", told.len());
    assert_eq!(watched.next(), Change::Listing);
    watched.told();
    let found = watched
        .fixture
        .list(None, None, ALL)
        .map(|page| short(&page).len())
        .unwrap();
    assert_eq!(found, 1 + FILES + 50 + 1 + 1 + 1 + 2);
    fs::write(root.join("burst/49/4999"), "2").unwrap();
    watched.assert_told("docs/burst/49 docs/burst/49/4999", "");
}

#[test]
fn whoever_reads_much_changes_nothing() {
    let mut watched = Watched::new(&[("a", "1"), ("b", "1")]);
    // More events than the system stores.
    for _ in 0..20_000 {
        for name in ["a", "b"] {
            drop(fs::File::open(watched.root().join(name)).unwrap());
        }
    }
    watched.assert_told("", "");
}

#[test]
fn nested_mounts_are_each_told() {
    let mut watched = Watched::of(
        Watched::fixture(&[("d/x", "1")], |builder| builder),
        |fixture| {
            let both = DirectoryStore::builder()
                .mount(fixture.root())
                .mount_as("inner", fixture.root().join("d"))
                .build();
            both.unwrap().watch(SubscribedResources::none())
        },
    );
    fs::write(watched.root().join("d/x"), "2").unwrap();
    watched.assert_told("docs/d docs/d/x inner inner/x", "");
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_of_a_watch_that_is_dropped() {
    /// The number of watches that this process has on the fixture's directory. Other tests have
    /// watches too, so only this fixture's are counted.
    fn watches(fixture: &Fixture) -> usize {
        use std::os::unix::fs::MetadataExt;

        let inode = format!("ino:{:x} ", fs::metadata(fixture.root()).unwrap().ino());
        let infos = fs::read_dir("/proc/self/fdinfo").unwrap();
        infos
            .filter_map(|info| fs::read_to_string(info.ok()?.path()).ok())
            .flat_map(|info| info.lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| line.starts_with("inotify ") && line.contains(&inode))
            .count()
    }

    let watched = Watched::new(&[("x", "1")]);
    assert_eq!(watches(&watched.fixture), 1);
    let Watched { fixture, changes } = watched;
    drop(changes);
    let start = std::time::Instant::now();
    while watches(&fixture) > 0 {
        assert!(start.elapsed() < PATIENCE, "it is still being watched");
        std::thread::yield_now();
    }
}
