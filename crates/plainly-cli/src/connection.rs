//! The connection of a command to its server: opened, used, and closed whatever happens.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use plainly::client::{self, Client};
use plainly::errors::Revision;

use crate::args::{HeaderArg, Server, ServerArgs, ServerName};
use crate::failure::{Failure, Subject};
use crate::servers::{Reach, Search, expanded, unknown};

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
    let given = headers(&args)?;
    let connected = match server {
        Server::Open(client) => return Ok(client),
        Server::Url(url) => over_http(url, given, &args)?.connect().await,
        Server::Child(words) => {
            let mut words = words.into_iter();
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words);
            over_stdio(command, &args).connect().await
        }
        Server::Named(name) => match reach(&name, &args, &given)? {
            Reach::Url { url, headers } => {
                // The last of a name counts.
                let headers = headers.into_iter().chain(given).collect();
                over_http(url, headers, &args)?.connect().await
            }
            Reach::Command {
                program,
                args: words,
                env,
                cwd,
            } => {
                let mut command = Command::new(program);
                command.args(words).envs(env);
                if let Some(directory) = cwd {
                    command.current_dir(directory);
                }
                over_stdio(command, &args).connect().await
            }
        },
    };
    let client = connected.map_err(Failure::about(Subject::Connection))?;
    tracing::debug!(revision = %client.revision(), "connected");
    Ok(client)
}

/// How the server of this name is reached.
fn reach(
    name: &ServerName,
    args: &ServerArgs,
    headers: &[(String, String)],
) -> Result<Reach, Failure> {
    let search = Search::new(args.config.as_deref());
    let Some(server) = search.find(&name.text)? else {
        return Err(name.unknown(unknown(&name.text, &search.all()?)));
    };
    let reach = search.reach(&server, &args.env, headers)?;
    let why = match &reach {
        Reach::Command { .. } => args.only_over_http(),
        // Its variables may be in the headers.
        Reach::Url { .. } => args
            .cwd
            .is_some()
            .then(|| args.only_for_a_process())
            .flatten(),
    };
    match why {
        Some(why) => Err(Failure::impossible(format!("{}: {why}", name.text), None)),
        None => Ok(reach),
    }
}

fn over_http(
    url: String,
    headers: Vec<(String, String)>,
    args: &ServerArgs,
) -> Result<client::Builder<client::Http>, Failure> {
    let headers = headers.into_iter();
    let builder = headers.fold(Client::http(url), |builder, (name, value)| {
        builder.header(name, value)
    });
    let builder = match &args.cacert {
        Some(path) => builder.trust(readable(path, fs::read(path))?),
        None => builder,
    };
    Ok(set(builder, args.timeout, args.revision))
}

fn over_stdio(mut command: Command, args: &ServerArgs) -> client::Builder<client::Spawn> {
    command.envs(args.env.iter().map(|(name, value)| (name, value)));
    if let Some(directory) = &args.cwd {
        command.current_dir(directory);
    }
    set(Client::spawn(command), args.timeout, args.revision)
}

/// The headers that are given, with the values of their variables.
fn headers(args: &ServerArgs) -> Result<Vec<(String, String)>, Failure> {
    let mut headers = Vec::new();
    for given in &args.headers {
        match given {
            HeaderArg::Pair(name, value) => {
                let value = expanded(value, &args.env).map_err(|variable| {
                    let why = format!("--header {name}: the variable {variable} is not set");
                    Failure::impossible(why, None)
                })?;
                headers.push((name.clone(), value));
            }
            HeaderArg::File(path) => {
                let text = readable(path, fs::read_to_string(path))?;
                let lines = HeaderArg::in_lines(&text);
                headers.extend(lines.map_err(|why| {
                    Failure::impossible(format!("{}: {why}", path.display()), None)
                })?);
            }
        }
    }
    Ok(headers)
}

fn readable<T>(path: &Path, read: std::io::Result<T>) -> Result<T, Failure> {
    read.map_err(|error| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        Failure::impossible(format!("cannot read {}", path.display()), error)
    })
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
