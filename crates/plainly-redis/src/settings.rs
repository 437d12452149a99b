//! The settings of a connection.

use std::future::IntoFuture;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use plainly_cluster::ReplicaId;
use plainly_transport::tls;
use tokio_rustls::TlsConnector;

use crate::Redis;
use crate::link::Dialer;
use crate::place::Place;

/// A future that starts a connection to Redis. It is ready at once, because the servers are reached
/// in the background.
#[derive(Debug)]
#[must_use = "the connection begins once this is awaited"]
pub struct Connecting {
    urls: Vec<String>,
    name: String,
    root_certificate: Option<PathBuf>,
}

/// The reasons why a connection can't be started.
#[derive(thiserror::Error)]
#[error("{}", in_one_line(.0))]
pub struct SettingsError(Vec<WrongSetting>);

plainly_errors::debug_with_causes!(SettingsError);

/// An invalid setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WrongSetting {
    /// No URL is given.
    #[error("there is no URL of a Redis server: name at least one")]
    NoServer,
    /// A URL is invalid.
    #[error(
        "URL {number} names no Redis server, since {why}: write it as `redis://HOST:6379` or `redis+sentinel://HOST:26379/NAME`, with TLS `rediss://` or `rediss+sentinel://`"
    )]
    Url {
        /// The position of the URL, from 1. The URL is not shown because it may contain a password.
        number: usize,
        /// The reason.
        why: &'static str,
    },
    /// The name of the cluster is invalid.
    #[error("`{0}` is no name of a cluster: use 1 to 40 letters, digits, `-` and `_`")]
    Name(String),
    /// A file can't be used.
    #[error("cannot use the file {} to connect to Redis: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The system has no trusted certificates, or no random numbers.
    #[error("this system can't connect to Redis: {0}")]
    System(String),
}

impl SettingsError {
    /// All invalid settings.
    pub fn wrong(&self) -> &[WrongSetting] {
        &self.0
    }
}

fn in_one_line(wrong: &[WrongSetting]) -> String {
    let wrong: Vec<_> = wrong.iter().map(ToString::to_string).collect();
    wrong.join("; ")
}

impl Connecting {
    pub(crate) fn new(urls: Vec<String>) -> Self {
        Self {
            urls,
            name: "plainly".to_owned(),
            root_certificate: None,
        }
    }

    /// Sets the name shared by all replicas of one server, and by no other server on the same
    /// Redis: `plainly` by default.
    pub fn name(mut self, cluster: impl Into<String>) -> Self {
        self.name = cluster.into();
        self
    }

    /// Sets a file with certificates (PEM) to trust in addition to those of the system.
    pub fn root_certificate(mut self, file: impl Into<PathBuf>) -> Self {
        self.root_certificate = Some(file.into());
        self
    }

    fn connect(self) -> Result<Redis, SettingsError> {
        let mut wrong = Vec::new();
        let place = Place::parse(&self.urls).unwrap_or_else(|urls| {
            wrong.extend(
                urls.into_iter()
                    .map(|(number, why)| WrongSetting::Url { number, why }),
            );
            Place::default()
        });
        if wrong.is_empty() && place.hosts.is_empty() {
            wrong.push(WrongSetting::NoServer);
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !(1..=40).contains(&self.name.len()) || !self.name.bytes().all(is_plain) {
            wrong.push(WrongSetting::Name(self.name.clone()));
        }
        let trusted = self
            .root_certificate
            .as_deref()
            .map_or(Ok(Vec::new()), read);
        let tls = trusted.and_then(|trusted| match place.is_tls {
            true => tls::config("https", &trusted)
                .map(|config| Some(TlsConnector::from(Arc::new(config))))
                .map_err(|error| WrongSetting::System(error.to_string())),
            false => Ok(None),
        });
        let id = ReplicaId::random().map_err(|error| WrongSetting::System(error.to_string()));
        match (tls, id) {
            (Ok(tls), Ok(id)) if wrong.is_empty() => {
                Ok(Redis::new(id, &self.name, Dialer { place, tls }))
            }
            (tls, id) => {
                wrong.extend(tls.err().into_iter().chain(id.err()));
                Err(SettingsError(wrong))
            }
        }
    }
}

impl IntoFuture for Connecting {
    type Output = Result<Redis, SettingsError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        async { self.connect() }.boxed()
    }
}

/// Reads a small file with certificates. Blocks, but only once, before anything is served.
fn read(path: &Path) -> Result<Vec<tls::Certificate>, WrongSetting> {
    let wrong = |why| WrongSetting::File {
        path: path.to_owned(),
        why,
    };
    let pem = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let certificates = tls::certificates(&pem);
    match certificates.is_empty() {
        true => Err(wrong(
            "it has no certificates: name a file in PEM".to_owned(),
        )),
        false => Ok(certificates),
    }
}
