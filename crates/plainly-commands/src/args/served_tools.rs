//! The tools of a server, and their names.

use clap::builder::{PossibleValue, PossibleValuesParser};
use plainly::store::tools::WriteTools;
use plainly_directory::{DirectoryStore, FilesystemTools};

/// The names of plainly's reading tools.
const READING: [&str; 6] = [
    "list_resources",
    "tree",
    "stat_resource",
    "read_resource",
    "read_resources",
    "search",
];

/// The word for the two tools that are enough to list, find and read.
const TWO: &str = "two";

/// A value of `--tool-names`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ToolNames {
    /// Plainly's own
    #[default]
    Plainly,
    /// As in @modelcontextprotocol/server-filesystem, with its arguments
    Filesystem,
}

impl ToolNames {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Plainly => "plainly",
            Self::Filesystem => "filesystem",
        }
    }

    /// The names of all tools.
    pub(crate) fn all(self) -> Vec<&'static str> {
        match self {
            Self::Plainly => READING.into_iter().chain(self.writing()).collect(),
            Self::Filesystem => FilesystemTools::names().collect(),
        }
    }

    /// The names of the tools that change files.
    pub(crate) fn writing(self) -> Vec<&'static str> {
        match self {
            Self::Plainly => WriteTools::<DirectoryStore>::NAMES.to_vec(),
            Self::Filesystem => FilesystemTools::writing_names().collect(),
        }
    }
}

/// The values of `--tools`. Help shows only plainly's own.
pub(super) fn parser() -> PossibleValuesParser {
    let own = [TWO].into_iter().chain(ToolNames::Plainly.all());
    let others = ToolNames::Filesystem.all().into_iter();
    let own = own.map(PossibleValue::new);
    let others = others.map(|name| PossibleValue::new(name).hide(true));
    own.chain(others).collect::<Vec<_>>().into()
}

/// The names that the values of `--tools` stand for.
pub(crate) fn named(values: &[String]) -> Vec<&str> {
    let names = values.iter().flat_map(|value| match &**value {
        TWO => vec!["search", "read_resource"],
        name => vec![name],
    });
    names.collect()
}
