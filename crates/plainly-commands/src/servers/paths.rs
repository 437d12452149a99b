//! Paths in the form for a host, because hosts start servers from any directory.

use std::path::{Path, PathBuf};

use super::hosts::row;
use crate::args::Host;
use crate::failure::Failure;
use crate::installed;

/// The form of paths.
#[derive(Clone, Debug)]
pub(crate) enum Paths {
    /// From the root of the file system.
    Absolute,
    /// From the directory of a project, so that they are valid wherever the project is.
    Portable {
        project: PathBuf,
        /// The host's variable for that directory.
        called: &'static str,
    },
}

impl Paths {
    /// Paths from the directory of the project, with the host's name for it.
    pub(crate) fn portable(host: Host, directory: &Path) -> Result<Self, Failure> {
        Ok(Self::Portable {
            project: found(directory)?,
            called: row(host).project_directory,
        })
    }

    /// An existing file or directory.
    pub(crate) fn of(&self, path: &Path) -> Result<String, Failure> {
        self.written(&found(path)?)
    }

    /// A file that may not exist yet, in an existing directory.
    pub(crate) fn of_new(&self, path: &Path) -> Result<String, Failure> {
        let place = std::path::absolute(path).ok();
        let place = place.as_deref().unwrap_or(path);
        match (place.parent(), place.file_name()) {
            (Some(directory), Some(name)) => self.written(&found(directory)?.join(name)),
            _ => self.of(path),
        }
    }

    /// The path in the form for the configuration.
    fn written(&self, path: &Path) -> Result<String, Failure> {
        let Self::Portable { project, called } = self else {
            return text(path);
        };
        let below = path.strip_prefix(project).map_err(|_outside| {
            let (path, project) = (path.display(), project.display());
            let why = format!("{path} is not in {project}: leave out --portable, or move it there");
            Failure::impossible(why, None)
        })?;
        match below.as_os_str().is_empty() {
            true => Ok((*called).to_owned()),
            false => Ok(format!("{called}/{}", text(below)?)),
        }
    }

    /// The command that starts this program, and its first arguments: the program's path if it is
    /// permanent, otherwise a package manager.
    pub(crate) fn this_program(&self) -> Result<(String, Vec<String>), Failure> {
        let Self::Absolute = self else {
            return Ok(("plainly".to_owned(), Vec::new()));
        };
        let failed = |error| Failure::caused("cannot find this program", error);
        let program = std::env::current_exe().map_err(failed)?;
        let Some((manager, words)) = installed::passing(&program) else {
            return Ok((text(&installed::linked(&program))?, Vec::new()));
        };
        tracing::warn!(
            "the host will start plainly by {manager}, because {} does not last: install plainly for good and repeat this, \
             to let the host start it at once",
            program.display()
        );
        Ok((manager.to_owned(), words))
    }

    /// A word on a command line: a path if such a file or directory exists, otherwise unchanged. A
    /// plain name can also be a package, for example, so it only counts as a path if there is a
    /// file with this name and with an extension.
    pub(crate) fn of_word(&self, word: &str) -> Result<String, Failure> {
        // The word may have the form `--root=./docs`.
        let (before, path) = match word.split_once('=') {
            Some((option, path)) if option.starts_with('-') => (format!("{option}="), path),
            _ => (String::new(), word),
        };
        let is_path = path.contains(std::path::is_separator) || [".", ".."].contains(&path);
        let path = Path::new(path);
        let is_meant = match is_path {
            true => path.exists(),
            false => path.is_file() && path.extension().is_some(),
        };
        match is_meant && path.is_relative() && !before.contains("://") {
            true => Ok(before + &self.of(path)?),
            false => Ok(word.to_owned()),
        }
    }
}

fn found(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        Failure::impossible(format!("cannot find {}", path.display()), error)
    })
}

/// A path as text for a host's file.
fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let why = format!(
            "{} is not UTF-8, and no host's configuration can name it",
            path.display()
        );
        Failure::impossible(why, None)
    })
}
