//! Compares the rules from above a mount with git's own.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use tempfile::TempDir;

use super::*;
use crate::job::Waiter;
use crate::place::{Place, VisibleNames};

/// The rules to choose from; each matches at least one of the files.
const RULES: [&str; 24] = [
    "*.log",
    "/x.log",
    "x.log",
    "build/",
    "build",
    "/a/m/build",
    "a/m/*.txt",
    "m/d/",
    "d/*",
    "!keep.log",
    "!x.log",
    "**/cache",
    "a/**/x.log",
    "d/**",
    "*.t?t",
    "[ab].txt",
    "# x.log",
    "\\!odd",
    "!build/",
    "*/x.log",
    "m/x.log  ",
    "/m",
    "*",
    "!*/",
];

/// The files below the mount `a/m`.
const FILES: [&str; 14] = [
    "x.log",
    "keep.log",
    "a.txt",
    "c.txt",
    "build/x",
    "build/keep.log",
    "d/x.log",
    "d/keep.log",
    "d/e/x.log",
    "d/build",
    "cache/y",
    "d/cache",
    "!odd",
    "d/e/a.txt",
];

/// The rule files in the work tree.
const PLACES: [&str; 6] = [
    ".gitignore",
    "a/.gitignore",
    "a/m/.gitignore",
    "a/m/d/.gitignore",
    ".git/info/exclude",
    ".git/user",
];

/// A new work tree with the files in it; `None` without git.
fn work_tree() -> Option<TempDir> {
    let around = tempfile::tempdir().unwrap();
    let made = git(around.path()).args(["init", "-q"]).status();
    if !made.is_ok_and(|made| made.success()) {
        println!("skipped: there is no git");
        return None;
    }
    for file in FILES {
        let path = around.path().join("a/m").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    Some(around)
}

fn git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(directory);
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    for variable in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        git.env(variable, directory.join("none"));
    }
    git
}

/// The paths that git ignores.
fn ignored(root: &Path, paths: &[String]) -> BTreeSet<String> {
    let user = format!("core.excludesFile={}", root.join(".git/user").display());
    let mut asked = git(root)
        .args(["-c", &user, "check-ignore", "--no-index", "--stdin", "-z"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = asked.stdin.take().unwrap();
    input.write_all(paths.join("\0").as_bytes()).unwrap();
    drop(input);
    let said = String::from_utf8(asked.wait_with_output().unwrap().stdout).unwrap();
    let said = said.split('\0').filter(|path| !path.is_empty());
    said.map(str::to_owned).collect()
}

/// The rules above the mount `a/m`, checked in the future so that they are not read again.
fn above(root: &Path) -> Arc<RulesAbove> {
    let mount = root.join("a/m").canonicalize().unwrap();
    let sources = sources(&mount, Some(root.join(".git/user")));
    let rules = Arc::new(OuterRules::read(&sources, mount.clone()).unwrap());
    let at = Instant::now() + Duration::from_secs(3_600);
    let last = Lock::from(Some(LastLook { at, sources, rules }));
    Arc::new(RulesAbove { mount, last })
}

/// The files that the mount doesn't show.
fn hidden(root: &Path) -> BTreeSet<String> {
    let dir = Dir::open_ambient_dir(root.join("a/m"), ambient_authority()).unwrap();
    let shown = VisibleNames {
        above: Some(above(root)),
        ..VisibleNames::default()
    };
    let (_waits, waiter) = Waiter::until_dropped();
    let place = Place::root(Arc::new(dir), shown, Arc::default(), waiter);
    let is_hidden = |file: &&str| {
        let path: Vec<OsString> = file.split('/').map(OsString::from).collect();
        place.open(&path).is_err()
    };
    let hidden = FILES.iter().copied().filter(is_hidden);
    hidden.map(|file| format!("a/m/{file}")).collect()
}

/// Writes random rules to each place, seeded by `number`, and returns them.
fn write_rules(root: &Path, number: usize) -> String {
    let mut state = number as u64 + 1;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut written = String::new();
    for place in PLACES {
        let lines = (0..random(4)).map(|_| RULES[random(RULES.len())]);
        let text = lines.collect::<Vec<_>>().join("\n");
        written += &format!("{place}: {text:?}\n");
        fs::write(root.join(place), text).unwrap();
    }
    written
}

#[test]
fn what_git_ignores_is_hidden_and_nothing_else() {
    let Some(tree) = work_tree() else { return };
    let root = tree.path();
    let files = FILES.map(|file| format!("a/m/{file}"));
    // Git shows nothing below the mount if rules match these paths.
    let all = ["a", "a/m", "a/m/\u{7f}", "a/m/\u{7f}/"].map(str::to_owned);
    let (mut compared, mut number) = (0, 0);
    while compared < 200 {
        number += 1;
        let rules = write_rules(root, number);
        let ignores = ignored(root, &all);
        if ignores.contains("a") || ignores.contains("a/m") || ignores.len() == 2 {
            continue;
        }
        assert_eq!(hidden(root), ignored(root, &files), "{rules}");
        compared += 1;
    }
}

#[test]
fn what_a_user_asked_for_is_served_though_git_ignores_it() {
    let Some(tree) = work_tree() else { return };
    let root = tree.path();
    fs::write(root.join(".git/user"), "*.log").unwrap();
    fs::write(root.join("a/m/.gitignore"), "a.txt").unwrap();
    for rule in ["m/", "a", "/a/m/*", "a/**"] {
        fs::write(root.join(".gitignore"), rule).unwrap();
        assert_eq!(
            hidden(root),
            BTreeSet::from(["a/m/a.txt".to_owned(), "a/m/d/e/a.txt".to_owned()]),
            "{rule}"
        );
    }
}

#[test]
fn a_work_tree_that_was_added_has_the_rules_of_its_repository() {
    let Some(tree) = work_tree() else { return };
    let root = tree.path();
    fs::rename(root.join(".git"), root.join("repository")).unwrap();
    fs::create_dir_all(root.join("repository/worktrees/w")).unwrap();
    fs::write(root.join("repository/worktrees/w/commondir"), "../..\n").unwrap();
    fs::write(root.join(".git"), "gitdir: repository/worktrees/w\n").unwrap();
    fs::write(root.join("repository/info/exclude"), "x.log").unwrap();
    let expected = ["a/m/d/e/x.log", "a/m/d/x.log", "a/m/x.log"];
    assert_eq!(hidden(root), expected.map(str::to_owned).into());
}

#[test]
fn outside_of_a_work_tree_and_in_its_root_there_is_nothing_above() {
    let around = tempfile::tempdir().unwrap();
    let path = |name: &str| around.path().join(name);
    fs::create_dir_all(path("a/m/d")).unwrap();
    fs::write(path(".gitignore"), "*").unwrap();
    assert!(sources(&path("a/m"), Some(path("user"))).is_empty());
    fs::create_dir(path("a/m/.git")).unwrap();
    let paths = |mount: &str| {
        let sources = sources(&path(mount), Some(path("user")));
        let names = sources.into_iter().map(|source| {
            let path = source.path.strip_prefix(around.path()).unwrap().to_owned();
            path.to_str().unwrap().replace('\\', "/")
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(paths("a/m"), ["a/m/.git/info/exclude", "user"]);
    assert_eq!(
        paths("a/m/d"),
        ["a/m/.gitignore", "a/m/.git/info/exclude", "user"]
    );
}
