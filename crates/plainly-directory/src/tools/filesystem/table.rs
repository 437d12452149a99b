//! The table that maps each tool of the other server to the tool of this crate that implements it.

use plainly::protocol::types::Content;
use plainly::server::Failure;

use super::answer::{self, Answer};
use super::arguments::Names;

/// A tool of `@modelcontextprotocol/server-filesystem`.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// The name of the tool of this crate.
    pub(super) of: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// The names of the arguments, and of words that only appear in this crate's results.
    pub(super) arguments: Names,
    /// Arguments with a value that the model can't choose.
    pub(super) fixed: &'static [(&'static str, usize)],
    pub(super) answer: fn(Answer<'_>) -> Result<Vec<Content>, Failure>,
}

const PATH: (&str, &str) = ("path", "uri");
const LINES: Names = &[
    PATH,
    ("head", "limit"),
    ("tail", "tail"),
    ("offset", "offset"),
];

/// All tools, in the order of the other server.
pub(super) const TABLE: &[Row] = &[
    Row {
        name: "read_file",
        of: "read_resource",
        title: "Read a file (deprecated)",
        description: "Use read_text_file.",
        arguments: LINES,
        fixed: &[],
        answer: answer::as_it_is,
    },
    Row {
        name: "read_text_file",
        of: "read_resource",
        title: "Read a text file",
        description: "Reads a text file: all of it, its first lines (head), its last lines (tail) or lines from an offset. \
                      A result has up to 256 KiB and says which offset to continue with.",
        arguments: LINES,
        fixed: &[],
        answer: answer::as_it_is,
    },
    Row {
        name: "read_media_file",
        of: "read_resource",
        title: "Read a media file",
        description: "Reads an image, audio or other binary file as such.",
        arguments: &[PATH],
        fixed: &[],
        answer: answer::as_it_is,
    },
    Row {
        name: "read_multiple_files",
        of: "read_resources",
        title: "Read multiple files",
        description: "Reads several files at once, with up to 256 KiB of text in all. If a file can't be read, the result says \
                      why; the others are still read.",
        arguments: &[("paths", "uris")],
        fixed: &[],
        answer: answer::files,
    },
    Row {
        name: "write_file",
        of: "write_resource",
        title: "Write a file",
        description: "Creates a file, or replaces all of its content.",
        arguments: &[PATH, ("content", "text")],
        fixed: &[],
        answer: answer::written,
    },
    Row {
        name: "edit_file",
        of: "edit_resource",
        title: "Edit a file",
        description: "Replaces pieces of a text file, all or none, and shows a diff. Each is looked for in the text as it was \
                      before.",
        arguments: &[
            PATH,
            ("edits", "edits"),
            ("oldText", "old"),
            ("newText", "new"),
            ("all", "all"),
            ("dryRun", "dry_run"),
        ],
        fixed: &[],
        answer: answer::edited,
    },
    Row {
        name: "create_directory",
        of: "create_collection",
        title: "Create a directory",
        description: "Creates a directory and those above it, unless they exist.",
        arguments: &[PATH],
        fixed: &[],
        answer: answer::created,
    },
    Row {
        name: "list_directory",
        of: "list_resources",
        title: "List a directory",
        description: "Lists what is directly in a directory, with [FILE] or [DIR] before each name.",
        arguments: &[PATH, ("after", "after")],
        fixed: &[("limit", 1_000)],
        answer: answer::names,
    },
    Row {
        name: "list_directory_with_sizes",
        of: "list_resources",
        title: "List a directory with sizes",
        description: "Lists what is directly in a directory, with [FILE] or [DIR] before each name and the sizes of files.",
        arguments: &[PATH, ("sortBy", "sort"), ("after", "after")],
        fixed: &[("limit", 1_000)],
        answer: answer::sizes,
    },
    Row {
        name: "directory_tree",
        of: "tree",
        title: "Show a directory tree",
        description: "Shows everything below a directory as JSON: each entry has a name and a type (file or directory), and \
                      a directory its children.",
        arguments: &[PATH, ("excludePatterns", "exclude")],
        fixed: &[("depth", 64), ("limit", 2_000)],
        answer: answer::tree,
    },
    Row {
        name: "move_file",
        of: "move_resource",
        title: "Move a file",
        description: "Moves or renames a file or directory, never over something that exists.",
        arguments: &[("source", "from"), ("destination", "to")],
        fixed: &[],
        answer: answer::moved,
    },
    Row {
        name: "search_files",
        of: "search",
        title: "Search for files",
        description: "Finds files and directories below a directory whose names or paths match a glob. Returns full paths.",
        arguments: &[PATH, ("pattern", "glob"), ("excludePatterns", "exclude")],
        fixed: &[("limit", 1_000)],
        answer: answer::found,
    },
    Row {
        name: "get_file_info",
        of: "stat_resource",
        title: "Get information about a file",
        description: "Shows size, kind and the time of the last change of a file or directory.",
        arguments: &[PATH],
        fixed: &[],
        answer: answer::info,
    },
    Row {
        name: "list_allowed_directories",
        of: "list_resources",
        title: "List the allowed directories",
        description: "Lists the directories that this server has. Start with that.",
        arguments: &[],
        fixed: &[],
        answer: answer::allowed,
    },
];
