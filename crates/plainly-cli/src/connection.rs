//! The connection of a command to its server: opened, used, and closed whatever happens.

use std::io::{self, Write};
use std::pin::pin;
use std::process::Command;
use std::time::{Duration, Instant};

use plainly::client::{self, Client};
use plainly::protocol::types::{ClientCapabilities, ElicitationCapability, JsonObject};
use serde_json::json;
use tokio::time::timeout;

use crate::args::{Server, ServerArgs};
use crate::failure::{Failure, Subject};
use crate::format::Format;
use crate::trace::Trace;

/// The most that ending in good order may take after a signal.
const FAREWELL: Duration = Duration::from_secs(1);

/// Does `work` with a connection to the server, until a signal comes.
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
    // The signals first: whoever sees that a command runs may stop it, and its server with it.
    let mut stopped = pin!(plainly::shutdown::requested());
    let client = tokio::select! {
        biased;
        () = &mut stopped => return Err(Failure::Interrupted),
        client = open(server, args) => client?,
    };
    let connected = start.elapsed();
    let result = tokio::select! {
        biased;
        () = &mut stopped => Err(Failure::Interrupted),
        result = work(&client) => result,
    };
    if is_timed {
        tell_time(connected, start.elapsed() - connected, format);
    }
    // Closed even after a failure, so that a server that was started ends in good order, and a task is cancelled that
    // nobody waits for any more.
    let patience = match result {
        Err(Failure::Interrupted) => FAREWELL,
        _ => Duration::MAX,
    };
    // Whatever has not ended by then is killed.
    let _late = timeout(patience, client.close()).await;
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
    let trace = Trace::open(&args.trace, &server)?;
    let client = connect(server, args, trace).await;
    let client = client.map_err(Failure::about(Subject::Connection))?;
    tracing::debug!(revision = %client.revision(), "connected");
    Ok(client)
}

async fn connect(server: Server, args: ServerArgs, trace: Option<Trace>) -> client::Result<Client> {
    match server {
        Server::Open(client) => Ok(client),
        Server::Url(url) => {
            let headers = args.headers.clone().into_iter();
            let builder = headers.fold(Client::http(url), |builder, (name, value)| {
                builder.header(name, value)
            });
            set(builder, &args, trace).connect().await
        }
        Server::Child(words) => {
            let mut words = words.into_iter();
            let mut command = Command::new(words.next().unwrap_or_default());
            command.args(words);
            let builder = Client::spawn(command);
            set(builder, &args, trace).connect().await
        }
    }
}

fn set<T>(
    mut builder: client::Builder<T>,
    args: &ServerArgs,
    trace: Option<Trace>,
) -> client::Builder<T> {
    if args.answers_later {
        let elicitation = ElicitationCapability::new()
            .form(JsonObject::new())
            .url(JsonObject::new());
        builder = builder.capabilities(ClientCapabilities::new().elicitation(elicitation));
    }
    if let Some(timeout) = args.timeout {
        builder = builder.timeout(timeout).connect_timeout(timeout);
    }
    if let Some(revision) = args.revision {
        builder = builder.revision(revision);
    }
    if let Some(trace) = trace {
        builder = builder.on_traffic(move |traffic| trace.see(traffic));
    }
    builder
}
