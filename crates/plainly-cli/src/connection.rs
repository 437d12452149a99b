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
    let respondent = Respondent::new(&label, &args.asking)?;
    terminal::during(async {
        terminal::doing(&match &server {
            Server::Url(_) => format!("connecting to {label}"),
            Server::Child(_) => format!("starting {label}"),
        });
        let client = connect(server, args, &respondent).await;
        let client = client.map_err(Failure::about(Subject::Connection))?;
        tracing::debug!(revision = %client.revision(), "connected");
        if let Some(implementation) = client.server() {
            respondent.learn(&implementation.name);
        }
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

async fn connect(
    server: Server,
    args: ServerArgs,
    respondent: &Respondent,
) -> client::Result<Client> {
    match server {
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
