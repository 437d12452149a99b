//! A server as a child process: starts it, reads its standard error, and stops it with all
//! processes that it started.
//!
//! This module handles processes and bytes, not messages. The program gets exactly the arguments of
//! the command, without a shell, and this process's environment as modified by the command.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::lock::Lock;

/// The number of bytes of standard error that are stored.
const TAIL: usize = 64 << 10;
/// The maximum number of bytes of one line that are logged at once.
const LOGGED_LINE: usize = 4 << 10;

/// The time that a process gets to stop after each step.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "these are the two steps")]
pub struct Grace {
    /// The time after its input was closed.
    pub eof: Duration,
    /// The time after it was asked to terminate.
    pub term: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self {
            eof: Duration::from_secs(2),
            term: Duration::from_secs(3),
        }
    }
}

/// A process that was just started, with its standard streams.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "it is taken apart")]
pub struct Child {
    /// The process's standard input.
    pub stdin: ChildStdin,
    /// The process's standard output.
    pub stdout: ChildStdout,
    /// The process itself.
    pub process: Process,
}

/// A running process; on Unix the leader of its own group. Dropping it kills it, together with all
/// processes that it started and that did not leave the group.
#[derive(Debug)]
pub struct Process {
    child: Box<dyn ChildWrapper>,
    stderr: Stderr,
    /// Whether the whole group has ended, so that its id may belong to other processes.
    gone: bool,
}

/// A program that can be started, also several times.
#[derive(Debug)]
pub struct Program {
    command: CommandWrap,
    /// The directory to start in, if not the current one.
    directory: Option<PathBuf>,
}

/// The reason why a program can't be started in a directory.
#[derive(thiserror::Error)]
#[error("no directory {} to start it in", .0.display())]
struct NoDirectory(PathBuf);

plainly_errors::debug_with_causes!(NoDirectory);

impl Program {
    /// A program that `command` runs.
    pub fn new(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let directory = command.get_current_dir().map(Path::to_owned);
        let mut wrapped = CommandWrap::from(tokio::process::Command::from(command));
        wrapped.wrap(KillOnDrop);
        // Launchers such as npx or a shell start the real server as their own child, which signals
        // must reach too.
        #[cfg(unix)]
        wrapped.wrap(process_wrap::tokio::ProcessGroup::leader());
        Self {
            command: wrapped,
            directory,
        }
    }

    /// Starts the program.
    pub fn start(&mut self) -> io::Result<Child> {
        let mut child = self.command.spawn().map_err(|error| self.why(error))?;
        let pipes = (
            child.stdin().take(),
            child.stdout().take(),
            child.stderr().take(),
        );
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let stderr = Stderr::drain(stderr, child.id());
        Ok(Child {
            stdin,
            stdout,
            process: Process {
                child,
                stderr,
                gone: false,
            },
        })
    }

    /// The error, or a missing directory, because the operating system reports both in the same
    /// way.
    fn why(&self, error: io::Error) -> io::Error {
        match &self.directory {
            Some(directory) if !directory.is_dir() => {
                io::Error::new(error.kind(), NoDirectory(directory.clone()))
            }
            Some(_) | None => error,
        }
    }
}

impl Process {
    /// Waits for the process itself, but not for processes that it started. Cancel-safe.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Stops the process, whose input must already be closed: waits, sends SIGTERM, then kills.
    /// Processes that it left running are killed too.
    pub async fn stop(&mut self, grace: Grace) {
        // End of input, SIGTERM, SIGKILL: the order that the specification requires (2025-11-25,
        // "Shutdown", stdio).
        if timeout(grace.eof, self.wait()).await.is_err() {
            self.terminate();
            let is_running = timeout(grace.term, self.wait()).await.is_err();
            if is_running && !grace.term.is_zero() {
                tracing::warn!(
                    pid = self.child.id(),
                    "the server did not stop when asked: killing it"
                );
            }
        }
        // Also if the process has ended by itself, because processes that it started may have
        // survived.
        self.kill();
        if let Err(error) = self.wait().await {
            tracing::debug!(%error, "waiting for the server to stop failed");
        }
        self.gone = true;
    }

    /// The end of standard error, after the process has ended or shortly afterwards.
    pub async fn last_words(&mut self) -> String {
        self.stderr.text().await
    }

    fn terminate(&mut self) {
        #[cfg(unix)]
        {
            let signal = tokio::signal::unix::SignalKind::terminate().as_raw_value();
            if let Err(error) = self.child.signal(signal) {
                tracing::debug!(%error, "asking the server to stop failed");
            }
        }
    }

    fn kill(&mut self) {
        // Fails if the group has already ended.
        let _ended = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.gone {
            self.kill();
        }
    }
}

/// The standard error of a process. It is always read, so that the process never blocks on writing.
#[derive(Debug)]
struct Stderr {
    tail: Arc<Lock<Tail>>,
    reader: JoinHandle<()>,
}

impl Stderr {
    fn drain(stderr: ChildStderr, pid: Option<u32>) -> Self {
        let tail = Arc::<Lock<Tail>>::default();
        let reader = tokio::spawn(read(stderr, Arc::clone(&tail), pid));
        Self { tail, reader }
    }

    /// The stored text. Waits for the end of the stream, because the last lines are the most
    /// useful, but only for a moment, because a grandchild may keep the pipe open.
    async fn text(&mut self) -> String {
        const LAST_WORDS: Duration = Duration::from_millis(100);
        if !self.reader.is_finished() {
            let _still_open = timeout(LAST_WORDS, &mut self.reader).await;
        }
        self.tail.lock().text()
    }
}

async fn read(mut stderr: ChildStderr, tail: Arc<Lock<Tail>>, pid: Option<u32>) {
    let mut buffer = vec![0; 8 << 10];
    let mut line = Vec::new();
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let bytes = buffer.get(..length).unwrap_or_default();
        tail.lock().push(bytes);
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            line.extend_from_slice(piece);
            // A line without an end must not use unlimited memory.
            if line.ends_with(b"\n") || line.len() >= LOGGED_LINE {
                log(&line, pid);
                line.clear();
            }
        }
    }
    log(&line, pid);
}

fn log(line: &[u8], pid: Option<u32>) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end();
    if !text.is_empty() {
        tracing::debug!(target: "plainly::child", pid, "{}", super::EscapedText(text));
    }
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Tail(VecDeque<u8>);

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        let bytes = bytes
            .get(bytes.len().saturating_sub(TAIL)..)
            .unwrap_or_default();
        let excess = (self.0.len() + bytes.len()).saturating_sub(TAIL);
        self.0.drain(..excess);
        self.0.extend(bytes);
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.0.make_contiguous()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end_of_all_that_was_written() {
        let mut tail = Tail::default();
        let mut all = Vec::new();
        for round in 0..40_u8 {
            let piece = vec![b'a' + round % 26; usize::from(round) * 257];
            tail.push(&piece);
            all.extend_from_slice(&piece);
            let end = &all[all.len().saturating_sub(TAIL)..];
            assert_eq!(tail.text().as_bytes(), end);
        }
        tail.push(&vec![b'z'; 3 * TAIL]);
        assert_eq!(tail.text(), "z".repeat(TAIL));
    }
}
