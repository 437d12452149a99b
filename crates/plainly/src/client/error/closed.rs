//! The end of a connection over a byte stream.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::process::ExitStatus;

use crate::transport::Escaped;

/// Why and how a connection over a byte stream ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Closed {
    /// Which side ended the connection, and why.
    pub reason: CloseReason,
    /// How the process ended, if we started the server and it has ended.
    pub exit: Option<ExitStatus>,
    /// The last 64 KiB that the process wrote to standard error; bytes that are not UTF-8 are replaced.
    pub stderr: String,
}

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
    pub(in crate::client) fn without_words(reason: CloseReason) -> Self {
        Self {
            reason,
            exit: None,
            stderr: String::new(),
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
        match telling(&self.stderr) {
            Some(line) => write!(f, ": {}", Escaped(line.trim_end())),
            None => Ok(()),
        }
    }
}

/// The line that says most about why a process ended.
fn telling(stderr: &str) -> Option<&str> {
    let lines = stderr.lines().filter(|line| !line.trim().is_empty());
    // npm says first what failed, and then at length what one could do, and where its own log is.
    if let Some(line) = lines.clone().find(|line| says_why(line)) {
        return Some(line);
    }
    let mut said = lines.rev();
    let last = said.clone().next();
    // The lines after the error are mostly a stack trace, a version or a hint.
    said.find(|line| line.to_ascii_lowercase().contains("error"))
        .or(last)
}

/// Whether a line of npm is about the failure itself, rather than a detail of it for programs.
fn says_why(line: &str) -> bool {
    let said = ["npm error ", "npm ERR! "].iter();
    let said = said.filter_map(|mark| line.strip_prefix(mark)).next();
    let details = ["code ", "errno ", "syscall ", "path ", "dest "];
    said.is_some_and(|said| !details.iter().any(|detail| said.starts_with(detail)))
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

    #[test]
    fn a_process_is_quoted_with_its_error_and_not_with_what_it_says_after_it() {
        let quoted = |stderr: &str| {
            let stderr = stderr.to_owned();
            let reason = CloseReason::Peer;
            Closed {
                reason,
                exit: None,
                stderr,
            }
            .to_string()
        };
        let missing = "Error [ERR]: no package x\n    at load (node:1)\n\nNode.js v20\n";
        assert!(quoted(missing).ends_with(": Error [ERR]: no package x"));
        assert!(quoted("starting\ngone\n").ends_with(": gone"));
        let npm = "npm error code E404\nnpm error 404 Not Found - GET https://r.example/x\nnpm error 404\n\
                   npm error A complete log of this run can be found in: /x.log\n";
        assert!(quoted(npm).ends_with(": npm error 404 Not Found - GET https://r.example/x"));
    }
}
