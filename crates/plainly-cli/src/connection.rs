//! The connection of a command to its server: opened, used, and closed whatever happens.

use std::process::Command;
use std::time::Duration;

use plainly::client::{self, Client};
use plainly::errors::Revision;

use crate::args::{Server, ServerArgs};
use crate::failure::{Failure, Subject};

/// Does `work` with a connection to the server.
pub(crate) async fn with_client<T>(
    server: Server,
    args: ServerArgs,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if let Server::Open(client) = server {
        return match args.timeout {
            Some(timeout) => work(&client.with_timeout(timeout)).await,
            None => work(&client).await,
        };
    }
    let client = open(server, args).await?;
    // Closed even after a failure, so that a server that was started ends in good order.
    let result = work(&client).await;
    client.close().await;
    result
}

/// A connection to the server.
pub(crate) async fn open(server: Server, args: ServerArgs) -> Result<Client, Failure> {
    let client = connect(server, args).await;
    let client = client.map_err(Failure::about(Subject::Connection))?;
    tracing::debug!(revision = %client.revision(), "connected");
    Ok(client)
}

async fn connect(server: Server, args: ServerArgs) -> client::Result<Client> {
    match server {
        Server::Open(client) => Ok(client),
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
