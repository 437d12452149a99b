//! The directories that a server may work in.

use std::path::{Path, PathBuf};

use plainly::protocol::types::Root;
use url::Url;

use crate::failure::Failure;

/// Each directory as a root.
pub(super) fn roots(directories: &[PathBuf]) -> Result<Vec<Root>, Failure> {
    directories.iter().map(|it| root(it)).collect()
}

fn root(directory: &Path) -> Result<Root, Failure> {
    let shown = directory.display();
    let path = directory
        .canonicalize()
        .map_err(|error| Failure::impossible(format!("--root {shown}"), Some(Box::from(error))))?;
    if !path.is_dir() {
        let why = format!("--root {shown}: it is not a directory");
        return Err(Failure::impossible(why, None));
    }
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let uri = Url::from_file_path(&path)
        .map_err(|()| Failure::impossible(format!("--root {shown}: it has no file: URI"), None))?;
    let root = Root::new(uri);
    Ok(match name {
        Some(name) => root.name(name),
        None => root,
    })
}
