//! The connection of a command to its server: opened, used, and closed whatever happens.

use std::io::{self, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use plainly::client::{self, Client};
use plainly::errors::Revision;
use serde_json::json;

use crate::args::{Server, ServerArgs};
use crate::failure::{Failure, Subject};
use crate::format::Format;

/// Does `work` with a connection to the server.
pub(crate) async fn with_client<T>(
    server: Server,
    args: ServerArgs,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if let Server::Open(client) = server {
        let (start, client) = (Instant::now(), within(client, args.timeout));
        let result = work(&client).await;
        if args.time {
            tell_time(Duration::ZERO, start.elapsed(), args.format());
        }
        return result;
    }
    let (is_timed, format, start) = (args.time, args.format(), Instant::now());
    let client = open(server, args).await?;
    let connected = start.elapsed();
    // Closed even after a failure, so that a server that was started ends in good order.
    let result = work(&client).await;
    if is_timed {
        tell_time(connected, start.elapsed() - connected, format);
    }
    client.close().await;
    result
}

/// The open connection, for a command that waits so long.
fn within(client: Client, timeout: Option<Duration>) -> Client {
    match timeout {
        Some(timeout) => client.with_timeout(timeout),
        None => client,
    }
}

fn tell_time(connecting: Duration, work: Duration, format: Format) {
    let line = match format.is_json() {
        true => {
            let [connecting, work] = [connecting, work].map(|it| it.as_secs_f64());
            json!({ "time": { "connecting": connecting, "work": work } }).to_string()
        }
        false => format!("time: {connecting:.1?} to connect, {work:.1?} for the rest"),
    };
    // Where standard error is gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{line}");
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
