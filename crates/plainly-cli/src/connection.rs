//! The connection of a command to its server: opened, used, and closed whatever happens. What the server asks and says
//! meanwhile is answered and shown.

mod server_log;

use std::process::Command;

use plainly::client::{self, Client};

use self::server_log::show;
use crate::args::{Server, ServerArgs};
use crate::asking::Respondent;
use crate::failure::{Failure, Subject};
use crate::terminal;

/// Does `work` with a connection to the server.
pub(crate) async fn with_client<T>(
    server: Server,
    args: ServerArgs,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let label = server.label();
    if let Server::Open(client) = server {
        terminal::doing(&format!("waiting for {label}"));
        return terminal::during(async {
            match args.timeout {
                Some(timeout) => work(&client.with_timeout(timeout)).await,
                None => work(&client).await,
            }
        })
        .await;
    }
    let respondent = Respondent::new(&label, &args.asking)?;
    terminal::during(async {
        let client = introduced(server, args, &respondent).await?;
        terminal::doing(&format!("waiting for {label}"));
        let result = respondent.unless_failed(work(&client)).await;
        terminal::doing(&format!("waiting for {label} to end"));
        // Closed even after a failure, so that a server that was started ends in good order.
        client.close().await;
        if result.is_ok() {
            respondent.name_unused();
        }
        result
    })
    .await
}

/// A connection to the server, for many commands. A question that can't be answered ends none of them.
pub(crate) async fn open(server: Server, args: ServerArgs) -> Result<Client, Failure> {
    let respondent = Respondent::new(&server.label(), &args.asking)?.lasting();
    terminal::during(introduced(server, args, &respondent)).await
}

/// Connects, and learns who that is.
async fn introduced(
    server: Server,
    args: ServerArgs,
    respondent: &Respondent,
) -> Result<Client, Failure> {
    let label = server.label();
    terminal::doing(&match &server {
        Server::Child(_) => format!("starting {label}"),
        Server::Url(_) | Server::Open(_) => format!("connecting to {label}"),
    });
    let client = connect(server, args, respondent).await;
    let client = client.map_err(Failure::about(Subject::Connection))?;
    tracing::debug!(revision = %client.revision(), "connected");
    if let Some(implementation) = client.server() {
        respondent.learn(&implementation.name);
    }
    Ok(client)
}

async fn connect(
    server: Server,
    args: ServerArgs,
    respondent: &Respondent,
) -> client::Result<Client> {
    match server {
        Server::Open(client) => Ok(client),
        Server::Url(url) => {
            let headers = args.headers.clone().into_iter();
            let builder = headers.fold(Client::http(url), |builder, (name, value)| {
                builder.header(name, value)
            });
            set(builder, &args, respondent).connect().await
        }
        Server::Child(words) => {
            let mut words = words.into_iter();
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words);
            let builder = Client::spawn(command);
            set(builder, &args, respondent).connect().await
        }
    }
}

fn set<T>(
    builder: client::Builder<T>,
    args: &ServerArgs,
    respondent: &Respondent,
) -> client::Builder<T> {
    let mut builder = respondent.answering(builder);
    if let Some(level) = args.asking.server_log() {
        builder = builder.on_log(level, show);
    }
    if let Some(timeout) = args.timeout {
        builder = builder.timeout(timeout).connect_timeout(timeout);
    }
    if let Some(revision) = args.revision {
        builder = builder.revision(revision);
    }
    builder
}
