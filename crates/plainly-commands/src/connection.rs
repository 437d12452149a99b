//! The connection of a command to its server: opened, used, and always closed. Meanwhile, the
//! server's questions are answered, and its messages are shown.

mod reached;
mod server_log;
mod token;

use std::ffi::OsString;
use std::pin::pin;
use std::process::Command;
use std::time::{Duration, Instant};

use plainly::client::oauth::renewals_finished;
use plainly::client::{self, AuthError, Client, Traffic};
use plainly::protocol::types::{ClientCapabilities, ElicitationCapability, JsonObject};
use serde_json::json;
use tokio::time::timeout;
use url::Url;

use self::reached::reached;
use self::server_log::shown;
use self::token::token;
use crate::accounts::{Account, authorities};
use crate::args::{Server, ServerArgs, startable};
use crate::asking::Respondent;
use crate::failure::{Failure, Subject};
use crate::format::Format;
use crate::machine::is_this_machine;
use crate::secrets::sent;
use crate::terminal;
use crate::trace::Trace;
use crate::visible::visible;

/// The purpose of a connection.
#[derive(Clone, Debug)]
pub(crate) enum Purpose {
    /// Work that ends before the connection does.
    Work,
    /// The command leaves a task behind, which other commands await, and whose questions they
    /// answer.
    Task,
    /// A login with this account.
    Login(Account),
}

/// The error for `--task` with a server that the command starts itself.
const ENDS_TOO: &str = "--task needs a server that keeps running, and this one stops with the command: use a URL, or type the call in `plainly shell`";

/// The error for a client's options that contradict other credentials.
const TWO_IDENTITIES: &str = "credentials are given twice: leave out the header Authorization or the user name in the URL, or the client's options (--client-id, --workload-token)";

/// The error for a login at a server without HTTP.
const HAS_NO_LOGIN: &str = "logins are for servers over HTTP: this one is started by the command, and gets its credentials from its variables";

/// The time limit for an orderly end after a signal.
const FAREWELL: Duration = Duration::from_secs(1);
/// The time limit for the renewal of a token after the command.
const RENEWAL: Duration = Duration::from_secs(10);
/// The time after which the user gets a notice that closing takes longer.
const NOTICE: Duration = Duration::from_millis(100);

/// Does `work` with a connection to the server, until there is a signal.
pub(crate) async fn with_client<T>(
    server: Server,
    args: ServerArgs,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    with_client_for(Purpose::Work, server, args, work).await
}

/// Like `with_client`, for another purpose.
pub(crate) async fn with_client_for<T>(
    purpose: Purpose,
    server: Server,
    args: ServerArgs,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let label = server.label();
    if let Server::Open(client) = server {
        terminal::doing(&format!("waiting for {label}"));
        return terminal::during(async {
            let start = Instant::now();
            let result = match args.timeout {
                Some(timeout) => work(&client.with_timeout(timeout)).await,
                None => work(&client).await,
            };
            if args.time {
                tell_time(Duration::ZERO, start.elapsed(), args.format());
            }
            result
        })
        .await;
    }
    let respondent = Respondent::new(&label, &args.asking)?;
    let (is_timed, format, start) = (args.time, args.format(), Instant::now());
    terminal::during(async {
        // The signals come first, because the user may stop the command, and its server, as soon as
        // it runs.
        let mut stopped = pin!(stopped());
        let client = tokio::select! {
            biased;
            () = &mut stopped => return Err(Failure::Interrupted),
            client = Box::pin(introduced(purpose, server, args, &respondent)) => client?,
        };
        let connected = start.elapsed();
        terminal::doing(&format!("waiting for {label}"));
        let result = tokio::select! {
            biased;
            () = &mut stopped => Err(Failure::Interrupted),
            result = Box::pin(respondent.unless_failed(work(&client))) => result,
        };
        if is_timed {
            tell_time(connected, start.elapsed() - connected, format);
        }
        terminal::doing(&format!("waiting for {label} to end"));
        close(&label, &client, &result, stopped).await;
        if result.is_ok() {
            respondent.name_unused();
        }
        result
    })
    .await
}

/// Waits for Ctrl-C, or another termination signal. The process continues, because otherwise the
/// server that it started would outlive it.
async fn stopped() {
    let interrupted = async {
        // If the signal can't be received, this waits forever.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    };
    tokio::select! {
        () = interrupted => {}
        () = plainly::shutdown::terminated() => {}
    }
    terminal::interrupted();
}

/// Closes the connection even after a failure, so that a server that the command started ends in an
/// orderly way, and an abandoned task is cancelled. After a signal, there is a short time limit; a
/// second signal ends the wait at once.
pub(crate) async fn close<T>(
    label: &str,
    client: &Client,
    result: &Result<T, Failure>,
    signal: impl Future<Output = ()>,
) {
    let mut closing = pin!(client.close());
    if !matches!(result, Err(Failure::Interrupted)) {
        tokio::select! {
            biased;
            () = &mut closing => return,
            () = signal => {}
        }
    }
    let again = stopped();
    let farewell = async {
        if timeout(NOTICE, &mut closing).await.is_err() {
            if terminal::is_seen() {
                terminal::line(&format!(
                    "waiting for {} to end: Ctrl-C ends it at once",
                    visible(label)
                ));
            }
            let _late = timeout(FAREWELL.saturating_sub(NOTICE), closing).await;
        }
    };
    tokio::select! {
        biased;
        () = again => {}
        () = farewell => {}
    }
}

/// Waits for a renewal that the command started, so that the new token is stored. Another signal
/// ends the wait.
pub(crate) async fn renewed() {
    let mut finished = pin!(renewals_finished());
    if timeout(NOTICE, &mut finished).await.is_ok() {
        return;
    }
    if terminal::is_seen() {
        terminal::line("waiting for the login to be renewed: Ctrl-C ends it at once");
    }
    tokio::select! {
        biased;
        () = stopped() => {}
        _late = timeout(RENEWAL, finished) => {}
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
    terminal::line(&line);
}

/// A connection to the server for many commands. A question that can't be answered ends none of
/// them.
pub(crate) async fn open(server: Server, args: ServerArgs) -> Result<Client, Failure> {
    let respondent = Respondent::new(&server.label(), &args.asking)?.lasting();
    terminal::during(Box::pin(introduced(
        Purpose::Work,
        server,
        args,
        &respondent,
    )))
    .await
}

/// Connects, and stores the server's name for questions.
async fn introduced(
    purpose: Purpose,
    server: Server,
    mut args: ServerArgs,
    respondent: &Respondent,
) -> Result<Client, Failure> {
    let label = server.label();
    let (server, headers) = reached(server, &mut args).await?;
    if let (Purpose::Task, Server::Child(_)) = (&purpose, &server) {
        return Err(Failure::impossible(ENDS_TOO, None));
    }
    if let (Purpose::Login(_), Server::Child(_)) = (&purpose, &server) {
        return Err(Failure::impossible(HAS_NO_LOGIN, None));
    }
    terminal::doing(&match &server {
        Server::Child(_) => format!("starting {label}"),
        Server::Url(_) | Server::Named(_) | Server::Open(_) => format!("connecting to {label}"),
    });
    let trace = Trace::open(&args.trace, &server, &args.env)?;
    let connected = match server {
        Server::Open(client) => return Ok(client),
        Server::Url(url) => {
            let builder = over_http(url, headers, &purpose, &args)?;
            set(builder, purpose, &args, respondent, trace)
                .connect()
                .await
        }
        Server::Child(words) => {
            let builder = over_stdio(words, &args);
            set(builder, purpose, &args, respondent, trace)
                .connect()
                .await
        }
        Server::Named(name) => return Err(name.unknown(None)),
    };
    let subject = args.revision.map_or(Subject::Connection, Subject::Revision);
    let client = connected.map_err(Failure::about(subject))?;
    tracing::debug!(revision = %client.revision(), "connected");
    if let Some(implementation) = client.server() {
        respondent.learn(&implementation.name);
    }
    Ok(client)
}

/// The URL of the server, which must be one over HTTP.
pub(crate) async fn address(server: Server, args: &mut ServerArgs) -> Result<String, Failure> {
    match reached(server, args).await? {
        (Server::Url(url), _) => Ok(url),
        (Server::Child(_) | Server::Named(_) | Server::Open(_), _) => {
            Err(Failure::impossible(HAS_NO_LOGIN, None))
        }
    }
}

fn over_http(
    url: String,
    headers: Vec<(String, String)>,
    purpose: &Purpose,
    args: &ServerArgs,
) -> Result<client::Builder<client::Http>, Failure> {
    let has_credentials = has_credentials(&url, &headers);
    let builder = headers
        .into_iter()
        .fold(Client::http(&*url), |builder, (name, value)| {
            builder.header(name, value)
        });
    let mut builder = match (token(args)?, purpose) {
        (Some(token), _) => builder.bearer(token),
        (None, Purpose::Login(account)) => {
            account.url.get_or_init(|| url);
            builder.authorizer(account.oauth.clone())
        }
        (None, _) if has_credentials && args.account.has_client() => {
            return Err(Failure::impossible(TWO_IDENTITIES, None));
        }
        // These credentials identify the caller to the server.
        (None, _) if has_credentials => {
            if is_exposed(&url) && !args.allow_plaintext_token {
                let exposed = AuthError::Plaintext { server: url };
                return Err(Failure::about(Subject::Connection)(exposed.into()));
            }
            builder
        }
        (None, _) => builder.authorizer(Account::of_command(args)?.oauth),
    };
    if args.allow_plaintext_token {
        builder = builder.allow_plaintext_token();
    }
    Ok(match &args.cacert {
        Some(path) => builder.trust(authorities(path)?),
        None => builder,
    })
}

/// Whether the URL or a header contains credentials.
fn has_credentials(url: &str, headers: &[(String, String)]) -> bool {
    let mut names = headers.iter().map(|(name, _)| name);
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.contains('@') || names.any(|name| name.eq_ignore_ascii_case("authorization"))
}

/// Whether others on the network can read what is sent to this URL.
fn is_exposed(url: &str) -> bool {
    let url = Url::parse(url).ok().filter(|it| it.scheme() == "http");
    url.is_some_and(|url| !is_this_machine(url.host_str().unwrap_or_default()))
}

fn over_stdio(words: Vec<OsString>, args: &ServerArgs) -> client::Builder<client::Spawn> {
    let mut words = words.into_iter();
    let mut command = Command::new(startable(words.next().unwrap_or_default()));
    command.args(words);
    command.envs(args.env.iter().map(|(name, value)| (name, value)));
    if let Some(directory) = &args.cwd {
        command.current_dir(directory);
    }
    Client::spawn(command)
}

fn set<T>(
    builder: client::Builder<T>,
    purpose: Purpose,
    args: &ServerArgs,
    respondent: &Respondent,
    trace: Option<Trace>,
) -> client::Builder<T> {
    let mut builder = match purpose {
        Purpose::Work | Purpose::Login(_) => respondent.answering(builder),
        Purpose::Task => {
            let elicitation = ElicitationCapability::new()
                .form(JsonObject::new())
                .url(JsonObject::new());
            let capabilities = ClientCapabilities::new().elicitation(elicitation);
            respondent.answering(builder).capabilities(capabilities)
        }
    };
    if let Some(level) = args.asking.server_log() {
        let shown = shown(args.asking.most_messages());
        builder = match args.asking.server_log {
            Some(_) => builder.on_log(level, shown),
            // By default, no level is requested, because the user did not ask for it and should not
            // wait for the response.
            None => builder.on_unasked_log(level, shown),
        };
    }
    if let Some(timeout) = args.timeout {
        builder = builder.timeout(timeout).connect_timeout(timeout);
    }
    if let Some(revision) = args.revision {
        builder = builder.revision(revision);
    }
    builder.on_traffic(move |traffic| {
        if let Traffic::Request { headers, .. } = traffic {
            sent::keep(headers);
        }
        if let Some(trace) = &trace {
            trace.see(traffic);
        }
    })
}
