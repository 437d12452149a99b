//! The directory for persistent data that is not configuration: the history of the shell, and the
//! list of project files that the user has allowed.

use std::io;
use std::path::{Path, PathBuf};

/// The user's directory; `None` if the user has no home directory.
pub(crate) fn directory() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")))?;
    Some(state.join("plainly"))
}

/// Creates the directory with access only for its owner, because logins are stored there, too, and
/// no other user may add files.
pub(crate) fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
