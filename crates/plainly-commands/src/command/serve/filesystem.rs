//! The tools of `@modelcontextprotocol/server-filesystem`.

use plainly_directory::{DirectoryStore, FilesystemTools};

use super::network;
use crate::args::ServeArgs;

/// These tools, with the paths that their callers may see.
pub(super) fn tools(store: &DirectoryStore, args: &ServeArgs) -> FilesystemTools {
    match network::is_local(args) {
        true => FilesystemTools::local(store),
        false => FilesystemTools::remote(store),
    }
}
