//! Faults of a file of tokens, and the commands that repair them.

use std::io;
use std::path::Path;

use plainly_errors::visible::visible;

use super::super::TokenStoreError;

/// A fault of a file, or of its directory.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the system reports an error")]
    Failed(#[from] io::Error),
    #[error("it is a symbolic link, whose target can change: remove it and log in again")]
    Link,
    #[error("it is not a file")]
    NotAFile,
    #[error("it is too large for a file of this program")]
    TooLarge,
    #[cfg(unix)]
    #[error("other users can read or change it (mode {0:03o})")]
    OpenFile(u32),
    #[cfg(unix)]
    #[error("other users can change its contents (mode {0:03o})")]
    OpenDirectory(u32),
    #[cfg(unix)]
    #[error("it belongs to the user {owner}, and this program runs as the user {own}")]
    OtherOwner { owner: u32, own: u32 },
    #[error("it is incomplete: move it away and log in again")]
    Incomplete,
    #[error(
        "unknown version {0}, expected 1: use the program that wrote it, or move it away and log \
         in again"
    )]
    OtherVersion(u64),
    #[error("invalid contents at line {line}, column {column}: move it away and log in again")]
    Foreign { line: usize, column: usize },
    #[error("its key is no longer in {0}: move the file away and log in again")]
    NoKey(String),
    #[error("the key in {0} is not the file's: move the file away and log in again")]
    NoSuchKey(String),
    #[error("it is encrypted with another key, or damaged: move it away and log in again")]
    OtherKey,
    #[error(transparent)]
    OfDirectory(Box<Self>),
}

impl Fault {
    /// The error for a fault of the file at `path`, which was to be `read`, `written` or `locked`.
    pub(super) fn at(self, done: &str, path: &Path) -> TokenStoreError {
        if let Self::OfDirectory(fault) = self {
            return fault.at("used", path.parent().unwrap_or(path));
        }
        let path = shown(path);
        let failed = TokenStoreError::new(format!("{path} cannot be {done}"));
        match (self.command(&path), self) {
            (_, Self::Failed(error)) => failed.with_source(error),
            (command, fault) => failed.because(fault.to_string()).with_command(command),
        }
    }

    /// The command that fixes the fault.
    fn command(&self, path: &str) -> String {
        match self {
            Self::Link => format!("{REMOVE} {path}"),
            #[cfg(unix)]
            Self::OpenFile(_) => format!("chmod 600 {path}"),
            #[cfg(unix)]
            Self::OpenDirectory(_) => format!("chmod 700 {path}"),
            #[cfg(unix)]
            Self::OtherOwner { own, .. } => format!("sudo chown {own} {path}"),
            Self::OfDirectory(fault) => fault.command(path),
            Self::Failed(_)
            | Self::NotAFile
            | Self::TooLarge
            | Self::Incomplete
            | Self::OtherVersion(_)
            | Self::NoKey(_)
            | Self::NoSuchKey(_)
            | Self::OtherKey
            | Self::Foreign { .. } => {
                let (path, quote) = path.split_at(path.len() - 1);
                format!("{MOVE} {path}{quote} {path}.old{quote}")
            }
        }
    }
}

const REMOVE: &str = if cfg!(windows) { "del" } else { "rm" };
const MOVE: &str = if cfg!(windows) { "move" } else { "mv" };

/// A path as a word of a command, in quotation marks so that it can be pasted.
pub(super) fn shown(path: &Path) -> String {
    let path = path.to_string_lossy();
    let path = visible(&path);
    match cfg!(windows) {
        true => format!("\"{path}\""),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}
