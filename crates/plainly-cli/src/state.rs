//! The directory for lasting data that is not configuration: the history of the shell, and the
//! files of projects that the user has allowed.

use std::io;
use std::path::{Path, PathBuf};

/// The directory of the user, unless the user has none.
pub(crate) fn directory() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")))?;
    Some(state.join("plainly"))
}

/// Makes the directory for its owner alone: logins are kept there too, and not where others could put something.
pub(crate) fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
