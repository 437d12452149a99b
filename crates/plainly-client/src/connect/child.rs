//! A server started as a child process, which ends with its client.

use std::process::{Command, ExitStatus};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::connect::Client;
use crate::connect::builder::Builder;
use crate::connect::options::ClientOptions;
use crate::error::{Error, LocalError, Result};
use crate::link::Link;
use crate::link::stream::{MessageConnection, OtherEnd};
use crate::message::deadline::Deadline;
use plainly_transport::Meter;
use plainly_transport::child::{Grace, Process, Program};
use plainly_transport::lines::Lines;

/// The longest wait for the exit status of a process whose output has ended. Requests in flight
/// wait as long.
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
    /// The program gets exactly these arguments, without a shell, and this process's environment as
    /// modified by the command: call [`env_clear`](std::process::Command::env_clear) to keep
    /// secrets from it. The client uses its standard input and output, and logs its standard error.
    /// The program ends when the client does; on Unix, so do all processes that it started.
    pub fn spawn(command: Command) -> Builder<Spawn> {
        Builder::new(Spawn {
            command,
            grace: Grace::default(),
        })
    }
}

impl Builder<Spawn> {
    /// Sets the time for the process to end on its own: after its input is closed (2 s by default),
    /// and then after it is asked to terminate (3 s). After that it is killed.
    pub fn shutdown(mut self, eof: Duration, term: Duration) -> Self {
        (self.target.grace.eof, self.target.grace.term) = (eof, term);
        self
    }

    /// Starts the process, connects and negotiates a revision. Must be called within a tokio
    /// runtime. A program that ends at the first request is started once more, within the same
    /// [time](Self::connect_timeout).
    ///
    /// # Errors
    ///
    /// [`LocalError::Spawn`] if the program can't be started. [`LocalError::Closed`] with its last
    /// standard error if it ends. [`LocalError::UnsupportedVersion`] if there is no revision in
    /// common. Otherwise the errors of any call.
    pub async fn connect(self) -> Result<Client> {
        let Spawn { command, grace } = self.target;
        let name = command.get_program().to_string_lossy().into_owned();
        let mut program = Program::new(command);
        let mut options = self.options;
        let by = options.deadline();
        let first = start(&mut program, &name, grace, options.clone(), &by).await;
        let error = match first {
            Err(error) if options.revision.is_none() && has_exited(&error) => error,
            first => return first,
        };
        // Some legacy servers end at an unknown request, and the first request was one.
        tracing::debug!(%error, "the server ended: starting it once more, with the legacy handshake");
        options.probes = false;
        let second = start(&mut program, &name, grace, options, &by).await;
        // If that did not help, the first error says more.
        second.map_err(|second| if second.is_closed() { error } else { second })
    }
}

/// Starts the program `name`, and agrees on a revision with it.
async fn start(
    program: &mut Program,
    name: &str,
    grace: Grace,
    options: ClientOptions,
    by: &Deadline,
) -> Result<Client> {
    let child = program.start().map_err(|source| LocalError::Spawn {
        program: name.to_owned(),
        source,
    })?;
    let other_end = ChildProcess {
        process: child.process,
        grace,
    };
    let received = Meter::default();
    let reader = received.count(child.stdout);
    let messages = Lines::new(reader, child.stdin, options.limits.message_bytes);
    let dispatcher = options.dispatcher();
    let connection = MessageConnection::new(messages, received, other_end, dispatcher);
    Client::establish(Link::new(connection), options, by).await
}

/// Whether the connection has ended because the process has.
fn has_exited(error: &Error) -> bool {
    matches!(error.local(), Some(LocalError::Closed(closed)) if closed.exit.is_some())
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
                // The process may still run; the end of its output will show.
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
