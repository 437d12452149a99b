//! The settings of a connection.

use std::future::IntoFuture;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr};
use futures_util::future::{BoxFuture, FutureExt as _};
use plainly_cluster::ReplicaId;
use plainly_transport::tls;
use tokio::sync::watch;

use crate::Nats;
use crate::connection::{Cause, Connection, News, note};
use crate::streams::Streams;

/// The interval between two pings. A server that has stopped is detected after three.
const PING: Duration = Duration::from_secs(2);
/// The maximum time for one attempt to connect.
const ATTEMPT: Duration = Duration::from_secs(1);
/// The minimum and maximum pause between two attempts to connect, in milliseconds.
const PAUSES: (u64, u64) = (20, 500);
/// The maximum number of unread messages of each kind.
const UNREAD: usize = 4 * 1024;

/// A future that starts a connection to NATS. It is ready at once, because the servers are reached
/// in the background.
#[derive(Debug)]
#[must_use = "the connection begins once this is awaited"]
pub struct Connecting {
    urls: Vec<String>,
    name: String,
    credentials: Option<PathBuf>,
    root_certificate: Option<PathBuf>,
    copies: Option<u8>,
}

/// The reason why a connection can't be started.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// No URL is given.
    #[error("there is no URL of a NATS server: name at least one")]
    NoServer,
    /// A URL is invalid.
    #[error(
        "URL {number} names no NATS server: it must be as `nats://HOST:4222` or `tls://HOST:4222`"
    )]
    Url {
        /// The position of the URL, from 1. The URL is not shown because it may contain a password.
        number: usize,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The name of the cluster is invalid.
    #[error("`{0}` is no name of a cluster: use 1 to 40 letters, digits, `-` and `_`")]
    Name(String),
    /// A file can't be used.
    #[error("cannot use the file {} to connect to NATS", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Cause,
    },
    /// The system has no trusted certificates, or no random numbers.
    #[error("this system can't connect to NATS")]
    System(#[source] Cause),
}

plainly_errors::debug_with_causes!(SettingsError);

impl Connecting {
    pub(crate) fn new(urls: Vec<String>) -> Self {
        Self {
            urls,
            name: "plainly".to_owned(),
            credentials: None,
            root_certificate: None,
            copies: None,
        }
    }

    /// Sets the name shared by all replicas of one server, and by no other server on the same NATS:
    /// `plainly` by default.
    pub fn name(mut self, cluster: impl Into<String>) -> Self {
        self.name = cluster.into();
        self
    }

    /// Sets the file with the credentials of a NATS user (`.creds`). Without it, this replica
    /// authenticates with the name and password in the first URL that has them.
    pub fn credentials(mut self, file: impl Into<PathBuf>) -> Self {
        self.credentials = Some(file.into());
        self
    }

    /// Sets a file with certificates (PEM) to trust in addition to those of the system.
    pub fn root_certificate(mut self, file: impl Into<PathBuf>) -> Self {
        self.root_certificate = Some(file.into());
        self
    }

    /// Sets the number of servers that store each stream. By default 3 if the servers form a
    /// cluster when the streams are created, and 1 otherwise.
    pub fn copies(mut self, copies: u8) -> Self {
        self.copies = Some(copies);
        self
    }

    async fn connect(self) -> Result<Nats, SettingsError> {
        let servers = self.servers()?;
        self.check_name()?;
        let (noted, news) = watch::channel(News::default());
        let places = servers.iter();
        let places = places.map(|server| format!("{}:{}", server.host(), server.port()));
        let places = places.collect::<Vec<_>>().join(", ");
        let options = self
            .options(&servers)?
            .event_callback(move |event| {
                note(&noted, event, &places);
                std::future::ready(())
            })
            .connect(servers)
            .await;
        let client = options.map_err(|error| SettingsError::System(error.into()))?;
        let id = ReplicaId::random().map_err(|error| SettingsError::System(error.into()))?;
        Ok(Nats {
            id,
            root: format!("plainly.v1.{}", self.name).into(),
            connection: Connection::new(client, news),
            streams: Arc::new(Streams::new(self.name, self.copies)),
        })
    }

    fn servers(&self) -> Result<Vec<ServerAddr>, SettingsError> {
        let urls = self.urls.iter().enumerate();
        let servers = urls
            .map(|(index, url)| {
                url.trim().parse().map_err(|source| SettingsError::Url {
                    number: index + 1,
                    source,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        match servers.is_empty() {
            true => Err(SettingsError::NoServer),
            false => Ok(servers),
        }
    }

    fn check_name(&self) -> Result<(), SettingsError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        match (1..=40).contains(&self.name.len()) && self.name.bytes().all(is_plain) {
            true => Ok(()),
            false => Err(SettingsError::Name(self.name.clone())),
        }
    }

    fn options(&self, servers: &[ServerAddr]) -> Result<ConnectOptions, SettingsError> {
        let certificates = match &self.root_certificate {
            Some(path) => read(path, |pem| {
                let certificates = tls::certificates(pem.as_bytes());
                match certificates.is_empty() {
                    true => Err("it has no certificates, in PEM".into()),
                    false => Ok(certificates),
                }
            })?,
            None => Vec::new(),
        };
        let tls = tls::config("https", &certificates)
            .map_err(|error| SettingsError::System(error.into()))?;
        let options = ConnectOptions::new()
            .name(format!("plainly {}", self.name))
            .custom_inbox_prefix(format!("_INBOX_{}", self.name))
            .tls_client_config(tls)
            .retry_on_initial_connect()
            .ping_interval(PING)
            .connection_timeout(ATTEMPT)
            .reconnect_delay_callback(pause)
            .subscription_capacity(UNREAD);
        let user = servers
            .iter()
            .find_map(|one| Some((one.username()?, one.password()?)));
        match (&self.credentials, user) {
            (Some(path), _) => read(path, |text| Ok(options.credentials(text)?)),
            (None, Some((user, password))) => {
                Ok(options.user_and_password(user.to_owned(), password.to_owned()))
            }
            (None, None) => Ok(options),
        }
    }
}

impl IntoFuture for Connecting {
    type Output = Result<Nats, SettingsError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.connect().boxed()
    }
}

/// Reads a small file. Blocks, but only once, before anything is served.
fn read<T>(
    path: &PathBuf,
    parse: impl FnOnce(&str) -> Result<T, Cause>,
) -> Result<T, SettingsError> {
    let parsed = std::fs::read_to_string(path)
        .map_err(Cause::from)
        .and_then(|text| parse(&text));
    parsed.map_err(|source| SettingsError::File {
        path: path.clone(),
        source,
    })
}

/// The pause before an attempt to connect: none before the first one, then random, so that replicas
/// don't connect at the same time.
fn pause(attempts: usize) -> Duration {
    if attempts <= 1 {
        return Duration::ZERO;
    }
    let (least, most) = PAUSES;
    let doubled = u32::try_from(attempts - 2).ok();
    let longest = doubled
        .and_then(|times| least.checked_shl(times))
        .map_or(most, |longest| longest.clamp(least, most));
    let part = getrandom::u32().map_or(0, u64::from) % longest;
    Duration::from_millis(longest / 2 + part / 2)
}
