//! The end of a connection over a byte stream.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::process::ExitStatus;

use plainly_errors::mistake::shortened;

use super::last_words::telling;
use plainly_transport::Escaped;

/// The most bytes of a process's last words that an error repeats.
const LONGEST_WORDS: usize = 1_024;

/// The reason and the way that a connection over a byte stream ended.
#[non_exhaustive]
pub struct Closed {
    /// Which side ended the connection, and why.
    pub reason: CloseReason,
    /// The exit status of the process, if we started the server and it has ended.
    pub exit: Option<ExitStatus>,
    /// The last 64 KiB that the process wrote to standard error; bytes that are not UTF-8 are replaced.
    pub stderr: String,
}

plainly_errors::debug_with_causes!(Closed);

/// The end of a connection: who ended it, and why.
#[derive(Debug)]
#[non_exhaustive]
pub enum CloseReason {
    /// This client did.
    Ours,
    /// The server did: it closed its output or exited.
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
    /// The server sent too many lines that are not JSON-RPC messages: its output is probably used for something else.
    NotMessages,
}

impl Closed {
    pub(crate) fn without_words(reason: CloseReason) -> Self {
        Self {
            reason,
            exit: None,
            stderr: String::new(),
        }
    }
}

impl Closed {
    /// The line of standard error with the reason, if there is one: not where this client found the
    /// reason, and only an error of a process that a signal ended.
    fn last_words(&self) -> Option<String> {
        match self.reason {
            CloseReason::LineTooLong { .. } | CloseReason::NotMessages => None,
            CloseReason::Ours
            | CloseReason::Peer
            | CloseReason::Read(_)
            | CloseReason::Write(_) => {
                let is_by_signal = self.exit.is_some_and(|exit| exit.code().is_none());
                telling(&self.stderr, is_by_signal)
            }
        }
    }
}

impl fmt::Display for Closed {
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
        if let Some(exit) = self.exit {
            write!(f, " ({exit})")?;
        }
        match self.last_words() {
            Some(line) => write!(f, ": {}", Escaped(&shortened(&line, LONGEST_WORDS))),
            None => Ok(()),
        }
    }
}

impl StdError for Closed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.reason {
            CloseReason::Read(error) | CloseReason::Write(error) => Some(error),
            CloseReason::Ours
            | CloseReason::Peer
            | CloseReason::LineTooLong { .. }
            | CloseReason::NotMessages => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(stderr: &str) -> String {
        let mut closed = Closed::without_words(CloseReason::Peer);
        stderr.clone_into(&mut closed.stderr);
        closed.to_string()
    }

    #[cfg(unix)]
    #[test]
    fn only_what_says_why_is_told() {
        use std::os::unix::process::ExitStatusExt as _;

        for (reason, signal, stderr, told) in [
            (
                CloseReason::Peer,
                Some(9),
                "Server running\n",
                " (signal: 9 (SIGKILL))",
            ),
            (
                CloseReason::Peer,
                Some(6),
                "panic: no\n",
                " (signal: 6 (SIGABRT)): panic: no",
            ),
            (CloseReason::NotMessages, None, "Server running\n", ""),
            (
                CloseReason::LineTooLong { limit: 9 },
                None,
                "Error: x\n",
                "",
            ),
        ] {
            let mut closed = Closed::without_words(reason);
            let bare = closed.to_string();
            closed.exit = signal.map(ExitStatus::from_raw);
            stderr.clone_into(&mut closed.stderr);
            let bare = match signal {
                Some(_) => "the server exited",
                None => &bare,
            };
            assert_eq!(closed.to_string(), format!("{bare}{told}"));
        }
    }

    #[test]
    fn what_a_process_said_at_its_end_is_told_at_no_length() {
        assert_eq!(ended("gone\n"), "the server closed the connection: gone");
        let long = ended(&format!("Error: {} (see x)\n", "é".repeat(30_000)));
        assert!(long.len() < 1_100, "{}", long.len());
        assert!(
            long.contains("Error: é") && long.ends_with("(see x)"),
            "{long}"
        );
    }
}
