//! The files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of the workspace.
pub(crate) struct File {
    /// Its path from the root, with slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace is above").to_owned()
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
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
