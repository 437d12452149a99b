//! The end of a connection over a byte stream.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::process::ExitStatus;

use super::bounded::BoundedText;

/// The end of a connection over a byte stream, with its reason. Its error source is the last line
/// of standard error, if there is one, or else the error of the operating system.
#[non_exhaustive]
pub struct ConnectionEnd {
    /// The side that ended the connection, and why.
    pub reason: CloseReason,
    /// The exit status of the process, if this client started the server and it has ended.
    pub exit: Option<ExitStatus>,
    /// The last 64 KiB that the process wrote to standard error; bytes that are not UTF-8 are
    /// replaced.
    pub stderr: Stderr,
}

/// The last part of a process's standard error. As an error, it shows the last line.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Stderr(String);

plainly_errors::debug_with_causes!(ConnectionEnd, Stderr);

/// The reason for the end of a connection.
#[derive(Debug)]
#[non_exhaustive]
pub enum CloseReason {
    /// This client ended it.
    Ours,
    /// The server ended it: it closed its output or exited.
    Peer,
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
    /// The server sent a line longer than the client accepts.
    LineTooLong {
        /// The most bytes that are read.
        limit: usize,
    },
    /// The server sent too many lines that are not JSON-RPC messages: its output is probably used
    /// for something else.
    NotMessages,
}

impl ConnectionEnd {
    pub(crate) fn without_words(reason: CloseReason) -> Self {
        Self {
            reason,
            exit: None,
            stderr: Stderr::default(),
        }
    }
}

impl fmt::Display for ConnectionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            CloseReason::Ours => f.write_str("the connection was closed by this client"),
            CloseReason::Peer if self.exit.is_some() => f.write_str("the server exited"),
            CloseReason::Peer => f.write_str("the server closed the connection"),
            CloseReason::Read(_) => f.write_str("reading from the server failed"),
            CloseReason::Write(_) => f.write_str("writing to the server failed"),
            CloseReason::LineTooLong { limit } => {
                write!(f, "the server sent a line of more than {limit} bytes")
            }
            CloseReason::NotMessages => {
                f.write_str("the server sent too many lines that are not JSON-RPC messages")
            }
        }?;
        match self.exit {
            Some(exit) => write!(f, " ({exit})"),
            None => Ok(()),
        }
    }
}

impl StdError for ConnectionEnd {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.reason {
            CloseReason::LineTooLong { .. } | CloseReason::NotMessages => None,
            _ if self.stderr.last_line().is_some() => Some(&self.stderr),
            CloseReason::Read(error) | CloseReason::Write(error) => Some(error),
            CloseReason::Ours | CloseReason::Peer => None,
        }
    }
}

impl Stderr {
    fn last_line(&self) -> Option<&str> {
        self.lines().map(str::trim).rfind(|line| !line.is_empty())
    }
}

impl From<String> for Stderr {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Deref for Stderr {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Stderr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        BoundedText(self.last_line().unwrap_or_default()).fmt(f)
    }
}

impl StdError for Stderr {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_standard_error_is_the_cause() {
        let closed = |reason, stderr: &str| ConnectionEnd {
            reason,
            exit: None,
            stderr: stderr.to_owned().into(),
        };
        let long = format!("Error: {} (see x)", "é".repeat(30_000));
        for (reason, stderr, cause) in [
            (
                CloseReason::Peer,
                "starting\n\u{7}gone\n \n",
                Some(r"\u{7}gone"),
            ),
            (CloseReason::Peer, " \n", None),
            (CloseReason::NotMessages, "gone", None),
            (CloseReason::LineTooLong { limit: 9 }, "gone", None),
            (
                CloseReason::Write(io::ErrorKind::BrokenPipe.into()),
                "gone",
                Some("gone"),
            ),
            (
                CloseReason::Write(io::ErrorKind::BrokenPipe.into()),
                "",
                Some("broken pipe"),
            ),
        ] {
            let closed = closed(reason, stderr);
            let found = closed.source().map(ToString::to_string);
            assert_eq!(found.as_deref(), cause, "{closed}");
        }
        let shown = Stderr::from(long).to_string();
        assert!(shown.len() < 1_100 && shown.ends_with("(see x)"), "{shown}");
    }
}
