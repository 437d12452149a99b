//! One file for each command, or for two that are alike, except the shortest, which is here; and the connection of those that
//! talk to a server: opened, used, and closed whatever happens.

pub(crate) mod serve;

pub(crate) mod discover;

pub(crate) mod ls;
pub(crate) mod read;
pub(crate) mod stat;
pub(crate) mod watch;

mod declared;
mod lacking;
pub(crate) mod listed;
mod tool;

pub(crate) mod call;

pub(crate) mod complete;
pub(crate) mod prompt;

pub(crate) mod codes;
pub(crate) mod explain;

use std::process::Command;
use std::time::Duration;

use clap::CommandFactory;
use plainly::client::{self, Client};
use plainly::errors::Revision;

use crate::args::{Args, CompletionsArgs, Server, ServerArgs, Shell};
use crate::failure::{Failure, Subject};
use crate::format::Format;
use crate::output::Output;

/// `plainly completions`: a script that completes the command line in a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    // Through memory, since the generator panics where nobody reads.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "plainly", &mut script);
    let mut output = Output::new(Format::Text);
    output.write(&script)?;
    output.flush()
}

/// Does `work` with a connection to the server.
async fn with_client<T>(
    server: Server,
    args: ServerArgs,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let client = connect(server, args).await;
    let client = client.map_err(Failure::about(Subject::Connection))?;
    tracing::debug!(revision = %client.revision(), "connected");
    // Closed even after a failure, so that a server that was started ends in good order.
    let result = work(&client).await;
    client.close().await;
    result
}

async fn connect(server: Server, args: ServerArgs) -> client::Result<Client> {
    match server {
        Server::Url(url) => {
            let builder = args
                .headers
                .into_iter()
                .fold(Client::http(url), |builder, (name, value)| {
                    builder.header(name, value)
                });
            set(builder, args.timeout, args.revision).connect().await
        }
        Server::Child(words) => {
            let mut words = words.into_iter();
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words);
            let builder = Client::spawn(command);
            set(builder, args.timeout, args.revision).connect().await
        }
    }
}

fn set<T>(
    mut builder: client::Builder<T>,
    timeout: Option<Duration>,
    revision: Option<Revision>,
) -> client::Builder<T> {
    if let Some(timeout) = timeout {
        builder = builder.timeout(timeout).connect_timeout(timeout);
    }
    if let Some(revision) = revision {
        builder = builder.revision(revision);
    }
    builder
}
