//! Options that show and record the messages between a command and its server.

use std::path::PathBuf;

/// The options that show and record messages.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct TraceArgs {
    /// Show every message on standard error, with the seconds since the start and known secrets masked.
    /// On a terminal, lines are cut at its width, unless --trace=full is given
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, require_equals = true, default_missing_value = "line")]
    pub(crate) trace: Option<TraceLength>,

    /// Record every message in this file, with known secrets masked, for `plainly replay`
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

impl TraceArgs {
    /// Whether messages are shown or recorded.
    pub(crate) fn is_wanted(&self) -> bool {
        self.trace.is_some() || self.record.is_some()
    }
}

/// The part of a message that a trace shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TraceLength {
    /// One line per message, as much as fits on the terminal
    Line,
    /// The whole message
    Full,
}
