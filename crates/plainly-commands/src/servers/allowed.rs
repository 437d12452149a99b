//! The files of projects that the user has allowed, because others may have written them, and they
//! decide which program a name starts. A file is no longer allowed once it changes.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::file::{FileWrite, lock, read, write};
use crate::failure::Failure;
use crate::state;

/// The file with the digests of all allowed files.
const FILE: &str = "allowed.json";

/// A file of a project, with its contents when it was read.
#[derive(Clone, Debug)]
pub(crate) struct ProjectFile {
    path: PathBuf,
    digest: String,
}

impl ProjectFile {
    pub(crate) fn new(path: &Path, text: &str) -> Self {
        let mut digest = String::from("sha256:");
        for byte in Sha256::digest(text) {
            // Writing to a string can't fail.
            let _ = write!(digest, "{byte:02x}");
        }
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Self { path, digest }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the user has allowed the current contents. An unreadable list allows nothing.
    pub(crate) fn is_allowed(&self) -> bool {
        let text = state::directory().map(|directory| read(&directory.join(FILE)));
        let allowed = text.and_then(|text| members(&text.ok()??));
        let digest = allowed.and_then(|mut allowed| allowed.remove(self.key().as_str()));
        digest.is_some_and(|digest| digest == *self.digest)
    }

    /// Allows the file until it changes.
    pub(crate) fn allow(&self) -> Result<(), Failure> {
        let directory = state::directory()
            .ok_or_else(|| Failure::impossible("the home directory is unknown: set HOME", None))?;
        let path = directory.join(FILE);
        let failed = |error| Failure::file(&path, error);
        state::make_private(&directory).map_err(failed)?;
        let _lock = lock();
        let before = read(&path).map_err(|broken| Failure::local(broken.to_string()))?;
        // An invalid list counts as empty.
        let mut allowed = before.as_deref().and_then(members).unwrap_or_default();
        allowed.insert(self.key(), json!(self.digest));
        let text = format!("{:#}\n", Value::Object(allowed));
        match write(&path, before.as_deref(), &text, true).map_err(failed)? {
            FileWrite::Done(_) => Ok(()),
            FileWrite::Outdated => Err(Failure::local(format!(
                "{} was changed by another program: try again",
                path.display()
            ))),
        }
    }

    fn key(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}

fn members(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}
