//! A server started as a child process, which ends with its client.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::builder::Builder;
use super::error::{Error, LocalError};
use super::stream::{MessageConnection, OtherEnd};
use super::{Client, Result};
use crate::transport::Meter;
use crate::transport::child::{self, Grace, Process};
use crate::transport::lines::Lines;

/// The longest wait for the exit status of a process whose output has ended. Requests in flight wait for it.
const AT_ONCE: Duration = Duration::from_millis(250);

/// A server started as a child process, connected through its standard input and output.
#[derive(Debug)]
pub struct Spawn {
    command: Command,
    grace: Grace,
}

impl Client {
    /// A client for a server that is started by `command`.
    ///
    /// The program gets exactly these arguments, without a shell, and this process's environment as modified by the
    /// command: call [`env_clear`](std::process::Command::env_clear) to keep secrets from it. Its standard streams are
    /// taken over; what it writes to standard error is logged. It ends when the client does, and on Unix so does
    /// everything it started.
    pub fn spawn(command: Command) -> Builder<Spawn> {
        Builder::new(Spawn {
            command,
            grace: Grace::default(),
        })
    }
}

impl Builder<Spawn> {
    /// Sets how long the process has to end by itself: after its input is closed (2 s by default), and then after it is
    /// asked to terminate (3 s). After that it is killed.
    pub fn shutdown(mut self, eof: Duration, term: Duration) -> Self {
        (self.target.grace.eof, self.target.grace.term) = (eof, term);
        self
    }

    /// Starts the process, connects and negotiates a revision. Must be called within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let Spawn { command, grace } = self.target;
        let program = command.get_program().to_string_lossy().into_owned();
        let child = child::spawn(command)
            .map_err(|source| Error::from(LocalError::Spawn { program, source }))?;
        let other_end = ChildProcess {
            process: child.process,
            grace,
        };
        let received = Meter::default();
        let reader = received.count(child.stdout);
        let messages = Lines::new(reader, child.stdin, self.options.limits.message_bytes);
        let dispatcher = self.options.dispatcher();
        let connection = MessageConnection::new(messages, received, other_end, dispatcher);
        Client::establish(connection, self.options).await
    }
}

/// The process of the server, and how long it has to end.
struct ChildProcess {
    process: Process,
    grace: Grace,
}

impl OtherEnd for ChildProcess {
    fn exited(&mut self) -> BoxFuture<'_, ()> {
        async {
            if self.process.wait().await.is_err() {
                // It may well be running: the end of its output will tell.
                std::future::pending::<()>().await;
            }
        }
        .boxed()
    }

    fn hurry(&mut self) {
        (self.grace.eof, self.grace.term) = (Duration::ZERO, Duration::ZERO);
    }

    fn last_words(&mut self) -> BoxFuture<'_, (Option<ExitStatus>, String)> {
        async {
            let exit = tokio::time::timeout(AT_ONCE, self.process.wait()).await;
            let exit = exit.ok().and_then(std::result::Result::ok);
            (exit, self.process.last_words().await)
        }
        .boxed()
    }

    fn stop(&mut self) -> BoxFuture<'_, ()> {
        self.process.stop(self.grace).boxed()
    }
}
