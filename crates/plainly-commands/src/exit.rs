//! Exit statuses, for scripts. One table determines the help text and the documentation.

use std::fmt::Write;
use std::process::ExitCode;

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Success,
    Failure,
    Usage,
    Unreachable,
    NotFound,
    ToolError,
    Refused,
    Unauthorized,
    Interrupted,
}

impl Exit {
    pub(crate) const ALL: [Self; 9] = [
        Self::Success,
        Self::Failure,
        Self::Usage,
        Self::Unreachable,
        Self::NotFound,
        Self::ToolError,
        Self::Refused,
        Self::Unauthorized,
        Self::Interrupted,
    ];

    /// The status, its word in JSON errors, and its meaning.
    const fn row(self) -> (u8, &'static str, &'static str) {
        match self {
            Self::Success => (
                0,
                "success",
                "the command succeeded, even if the reader of the output stopped early",
            ),
            Self::Failure => (
                1,
                "failure",
                "it failed locally: a timeout, a lost connection, an unreadable reply, an address in use, `read` on a collection, an unwritable file, an `--answer` that does not fit, a task that waits for an answer, a skill that is not what the server lists, a mark (`!`) in `cluster status`, a path that exists again for `trash restore`",
            ),
            Self::Usage => (
                2,
                "usage",
                "the command line is wrong, names something that can't be served, or has arguments that the tool or prompt does not accept; nothing was called",
            ),
            Self::Unreachable => (
                3,
                "unreachable",
                "no connection to an MCP server: nothing is listening, it can't be started, it doesn't answer in time, or it is not an MCP server",
            ),
            Self::NotFound => (4, "not-found", "the server has no such resource"),
            Self::ToolError => (5, "tool-error", "the tool ran and reported a failure"),
            Self::Refused => (
                6,
                "refused",
                "the server has no such tool or prompt, or answered with any other error",
            ),
            Self::Unauthorized => (
                7,
                "unauthorized",
                "the server requires credentials: the token is missing, invalid or lacks a permission, or there is no way to get or send one",
            ),
            Self::Interrupted => (130, "interrupted", "stopped by a signal before it finished"),
        }
    }

    /// The word for the status in JSON errors.
    pub(crate) const fn name(self) -> &'static str {
        self.row().1
    }

    /// The meaning of the exit code.
    pub(crate) const fn meaning(self) -> &'static str {
        self.row().2
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.row().0.into()
    }
}

/// The table for help texts.
pub(crate) fn help() -> String {
    Exit::ALL
        .into_iter()
        .fold(String::from("Exit status:\n"), |mut text, exit| {
            let (code, _, meaning) = exit.row();
            // Writing to a string can't fail.
            let _ = writeln!(text, "{code:>5}  {meaning}");
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_this_very_table() {
        let page = include_str!("../../../docs/exit-codes.md");
        let rows: Vec<&str> = page
            .lines()
            .filter(|line| line.starts_with("| ") && !line.starts_with("| status"))
            .collect();
        let table = Exit::ALL.map(|exit| {
            let (code, name, meaning) = exit.row();
            format!("| {code} | `{name}` | {meaning} |")
        });
        assert_eq!(rows, table);
    }
}
