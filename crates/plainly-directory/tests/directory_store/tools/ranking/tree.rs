//! 5,000 files: the texts of this project, with its sources cut into pieces.

use std::fs;
use std::path::{Path, PathBuf};

/// The number of lines after which a source is cut.
const PIECE: usize = 40;

pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below `directory` with one of the endings, with their relative paths. Hidden and built
/// files are left out.
pub(crate) fn files(directory: &Path, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut directories = vec![PathBuf::new()];
    while let Some(inner) = directories.pop() {
        for entry in fs::read_dir(directory.join(&inner)).expect("a file of the project") {
            let entry = entry.expect("a file of the project");
            let name = entry
                .file_name()
                .into_string()
                .expect("a file of the project");
            let path = inner.join(&name);
            let is_directory = entry.file_type().expect("a file of the project").is_dir();
            if is_directory
                && !name.starts_with('.')
                && !["target", "node_modules"].contains(&&*name)
            {
                directories.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let text = fs::read_to_string(entry.path()).expect("a file of the project");
                found.push((
                    path.to_str().expect("a file of the project").to_owned(),
                    text,
                ));
            }
        }
    }
    found.sort();
    found
}

/// Cuts a text at the first empty line after each `PIECE` lines.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut lines = 0;
    for line in text.lines() {
        lines += 1;
        if lines > PIECE && line.is_empty() {
            pieces.push(String::new());
            lines = 0;
        }
        let piece = pieces.last_mut().expect("the first is there");
        piece.push_str(line);
        piece.push('\n');
    }
    pieces
}

/// The names and texts of all files.
pub(crate) fn files_of_project() -> Vec<(String, String)> {
    let mut tree = Vec::new();
    for (path, text) in files(&project(), &[".rs", ".md", ".toml", ".py", ".mjs"]) {
        match path.strip_suffix(".rs") {
            None => tree.push((path, text)),
            Some(stem) => {
                tree.extend(pieces(&text).into_iter().enumerate().map(|(index, piece)| {
                    let number = if index == 0 {
                        String::new()
                    } else {
                        format!(".{index}")
                    };
                    (format!("{stem}{number}.rs"), piece)
                }))
            }
        }
    }
    tree
}
