//! A user with a home directory and a project, for tests that depend on files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Run, of, plainly};

/// A user whose only project is `projects/site`, where commands run.
pub(crate) struct Home {
    _root: TempDir,
    path: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        let path = root.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("projects/site")).unwrap();
        Self { _root: root, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file of the user.
    pub(crate) fn user(&self, file: &str, text: &str) -> PathBuf {
        let path = self.path.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a file of the project.
    pub(crate) fn project(&self, file: &str, text: &str) -> PathBuf {
        self.user(&format!("projects/site/{file}"), text)
    }

    /// Writes a file of the project, and allows its servers.
    pub(crate) fn allowed(&self, file: &str, text: &str) -> PathBuf {
        let path = self.project(file, text);
        self.run(&["servers", "--allow", file]).succeeded();
        path
    }

    /// Runs the binary for this user, in the project.
    pub(crate) fn run(&self, words: &[&str]) -> Run {
        of(self.command(words))
    }

    /// The binary with these words for this user, in the project.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = plainly();
        command.args(words).env("HOME", &self.path);
        command.current_dir(self.path.join("projects/site"));
        command
    }
}
