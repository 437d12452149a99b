//! Options for changes of what is served, and those of `plainly trash`.

use std::path::PathBuf;

use plainly::store::tools::Confirm;

use super::values;
use crate::format::Format;

/// The default for the largest write, in bytes.
pub(crate) const LARGEST_WRITE: u64 = 16 << 20;

/// The options for changes.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Writing")]
pub(crate) struct WriteArgs {
    /// Also offer tools that write, edit, move and delete the files. Overwritten and deleted files go to .plainly-trash in
    /// their served directory for 7 days: see `plainly trash`. NAME=PATH:rw does so for one directory
    #[arg(long, conflicts_with = "no_tools")]
    pub(crate) write: bool,

    /// The changes of which the user is asked first, through the client
    #[arg(long, value_name = "CHANGES", default_value = "destructive")]
    pub(crate) confirm: ConfirmArg,

    /// The largest content of one write or edit
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = values::some_size, allow_negative_numbers = true)]
    pub(crate) max_write_size: u64,
}

impl WriteArgs {
    /// The first of these options that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--write", self.write),
            ("--confirm", self.confirm != ConfirmArg::Destructive),
            ("--max-write-size", self.max_write_size != LARGEST_WRITE),
        ];
        let mut given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(option, _)| option)
    }
}

/// A value of `--confirm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ConfirmArg {
    /// All changes
    All,
    /// Deleting a directory with everything in it, and changes that can't be undone
    Destructive,
    /// None: destructive changes are made without asking
    Never,
}

impl ConfirmArg {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Destructive => "destructive",
            Self::Never => "never",
        }
    }
}

impl From<ConfirmArg> for Confirm {
    fn from(arg: ConfirmArg) -> Self {
        match arg {
            ConfirmArg::All => Self::All,
            ConfirmArg::Destructive => Self::Destructive,
            ConfirmArg::Never => Self::Never,
        }
    }
}

/// List the files that a server with --write has overwritten or deleted in a directory, and restore them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly trash ./docs                               the newest first
  plainly trash ./docs restore report.docx           the newest of this path, if nothing is there now
  plainly trash ./docs restore NAME                  another, by its name

It ends with status 0, with 1 if nothing was restored, and with 2 if there is no such directory or name.")]
pub(crate) struct TrashArgs {
    /// The directory
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,

    #[command(subcommand)]
    pub(crate) action: Option<TrashAction>,

    /// Print JSON, one object per line
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum TrashAction {
    Restore(RestoreArgs),
}

/// Move something back to its path
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// Its name in the list, or its path for the newest
    pub(crate) name: String,
}

impl TrashArgs {
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}
