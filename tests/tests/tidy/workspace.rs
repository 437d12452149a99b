//! The files of the workspace, and the crates that people use.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::facts::Word;
use crate::source::{Crate, Module};

/// Any file.
pub(crate) struct File {
    /// Its path from the root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace is above").to_owned()
}

/// All files of the workspace with one of these extensions.
pub(crate) fn files(extensions: &[&str]) -> Vec<File> {
    let root = root();
    let mut found = Vec::new();
    let mut waiting = vec![root.clone()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                let is_ours = !name.starts_with('.') && name != "target" && name != "node_modules";
                waiting.extend(is_ours.then_some(path));
            } else if kind.is_file() && extensions.iter().any(|end| name.ends_with(end)) {
                let relative = path.strip_prefix(&root).unwrap().to_str().unwrap();
                found.push(File {
                    path: relative.replace('\\', "/"),
                    text: fs::read_to_string(&path).unwrap(),
                });
            }
        }
    }
    assert!(!found.is_empty());
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The crates that people use, without their tests.
pub(crate) fn crates() -> &'static [Crate] {
    static CRATES: LazyLock<Vec<Crate>> = LazyLock::new(read_crates);
    &CRATES
}

fn read_crates() -> Vec<Crate> {
    let root = root();
    let read = |path: &Path| fs::read_to_string(root.join(path)).ok();
    let mut crates = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let sources = Path::new("crates").join(&name).join("src");
        let roots = ["lib.rs", "main.rs"].map(|file| sources.join(file));
        let roots: Vec<_> = roots
            .iter()
            .filter(|file| root.join(file).exists())
            .collect();
        assert_eq!(roots.len(), 1, "{name} has one root");
        crates.push(Crate::read(&name, roots[0], &read));
    }
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    crates
}

/// All modules that people use.
pub(crate) fn modules() -> impl Iterator<Item = &'static Module> {
    crates().iter().flat_map(|found| &found.modules)
}

/// Whether a file is one of `places`, or in one of them.
pub(crate) fn is_in(file: &str, places: &[&str]) -> bool {
    places.iter().any(|place| file.starts_with(place))
}

/// Where words break a rule, outside of the places in which they may. What breaks it is said of all words from one on.
pub(crate) fn breaches(allowed: &[&str], breaks: impl Fn(&[Word]) -> bool) -> Vec<String> {
    for place in allowed {
        let is_there = modules().any(|module| module.file.starts_with(place));
        assert!(is_there, "{place} is gone");
    }
    modules()
        .filter(|module| !is_in(&module.file, allowed))
        .flat_map(|module| found(module, &breaks))
        .collect()
}

/// Where the words of one module break a rule.
pub(crate) fn found(module: &Module, breaks: impl Fn(&[Word]) -> bool) -> Vec<String> {
    let words = &module.facts.words;
    let at = (0..words.len()).filter(|at| breaks(&words[*at..]));
    at.map(|at| format!("{}:{}: {}", module.file, words[at].line, words[at].text))
        .collect()
}

/// How often the words of a made-up file break a rule.
pub(crate) fn count_in(text: &str, breaks: impl Fn(&[Word]) -> bool) -> usize {
    let source = Crate::made_up(&[("lib.rs", text)]);
    let modules = source.modules.iter();
    modules.map(|module| found(module, &breaks).len()).sum()
}
