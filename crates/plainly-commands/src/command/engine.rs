//! The engine that replicas share, which the scheme of its URLs determines.

use std::fs::File;
use std::path::Path;

use plainly::server::ServerBuilder;
use plainly_nats::Nats;
use plainly_redis::Redis;

use crate::args::{EngineArgs, URLS};
use crate::failure::Failure;

/// The engines, by the schemes of their URLs.
const ENGINES: [(&str, EngineKind); 6] = [
    ("nats", EngineKind::Nats),
    ("tls", EngineKind::Nats),
    ("redis", EngineKind::Redis),
    ("rediss", EngineKind::Redis),
    ("redis+sentinel", EngineKind::Redis),
    ("rediss+sentinel", EngineKind::Redis),
];

/// The kind of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineKind {
    Nats,
    Redis,
}

/// The settings of an engine.
#[derive(Debug)]
pub(super) struct EngineSettings<'a> {
    pub(super) urls: &'a [String],
    /// The name of the cluster.
    pub(super) name: String,
    pub(super) files: &'a EngineArgs,
    pub(super) copies: Option<u8>,
}

impl EngineKind {
    /// The kind of the engine at this URL. The URL may contain a password, which no error repeats.
    fn of(url: &str) -> Result<Self, String> {
        let scheme = url.trim().split_once("://").map(|(scheme, _)| scheme);
        let known = ENGINES.iter().find(|(known, _)| Some(*known) == scheme);
        let Some((_, kind)) = known else {
            let schemes = ENGINES.map(|(scheme, _)| format!("{scheme}://"));
            return Err(format!("must begin with one of {}", schemes.join(" ")));
        };
        Ok(*kind)
    }

    /// The errors for given options that only another engine has.
    fn foreign(self, settings: &EngineSettings<'_>) -> Vec<String> {
        let creds = settings.files.cluster_creds.is_some().then_some(
            "--cluster-creds is for NATS: write the user and the password of Redis into the URL",
        );
        let copies = settings
            .copies
            .is_some()
            .then_some("--cluster-replicas is for NATS: leave it out");
        match self {
            Self::Nats => Vec::new(),
            Self::Redis => creds.into_iter().chain(copies).map(str::to_owned).collect(),
        }
    }
}

impl EngineSettings<'_> {
    /// All mistakes in the settings.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let (mut first, mut mistakes) = (None, Vec::new());
        for (index, url) in self.urls.iter().enumerate() {
            let kind =
                EngineKind::of(url).and_then(|kind| match *first.get_or_insert(kind) == kind {
                    true => Ok(()),
                    false => Err("is of another engine than those before it".to_owned()),
                });
            let wrong = kind
                .err()
                .map(|why| format!("cluster URL {} {why}", index + 1));
            mistakes.extend(wrong);
        }
        mistakes.extend(first.into_iter().flat_map(|kind| kind.foreign(self)));
        if self.shows_password() {
            mistakes.push(format!(
                "everybody on this machine can read the password in a URL: put the URLs into the variable {URLS}"
            ));
        }
        let files = [&self.files.cluster_creds, &self.files.cluster_ca];
        let files = files.into_iter().flatten();
        mistakes.extend(files.filter_map(|file| unreadable(file)));
        mistakes
    }

    /// Whether a URL on the command line contains a user and a password.
    fn shows_password(&self) -> bool {
        let is_hidden = std::env::var(URLS).is_ok_and(|hidden| hidden.split(',').eq(self.urls));
        !is_hidden && self.urls.iter().any(|url| url.contains('@'))
    }

    /// Adds the shared engine to the server, and connects to the engine in the background.
    pub(super) async fn join(self, builder: ServerBuilder) -> Result<ServerBuilder, Failure> {
        let kind = self.urls.first().map(|url| EngineKind::of(url));
        let kind = kind.unwrap_or_else(|| Err("there is no URL".to_owned()));
        match kind.map_err(|why| Failure::impossible(why, None))? {
            EngineKind::Nats => Ok(builder.cluster(self.nats().await?)),
            EngineKind::Redis => Ok(builder.cluster(self.redis().await?)),
        }
    }

    async fn nats(self) -> Result<Nats, Failure> {
        let mut nats = Nats::connect(self.urls).name(self.name);
        if let Some(file) = &self.files.cluster_creds {
            nats = nats.credentials(file);
        }
        if let Some(file) = &self.files.cluster_ca {
            nats = nats.root_certificate(file);
        }
        if let Some(copies) = self.copies {
            nats = nats.copies(copies);
        }
        nats.await.map_err(cannot)
    }

    async fn redis(self) -> Result<Redis, Failure> {
        let mut redis = Redis::connect(self.urls).name(self.name);
        if let Some(file) = &self.files.cluster_ca {
            redis = redis.root_certificate(file);
        }
        redis.await.map_err(cannot)
    }
}

fn cannot(error: impl std::error::Error + 'static) -> Failure {
    let error: Box<dyn std::error::Error> = Box::new(error);
    Failure::impossible("cannot join the replicas", error)
}

/// The reason why a file can't be read.
fn unreadable(file: &Path) -> Option<String> {
    let error = File::open(file).err()?;
    Some(format!("cannot read {}: {error}", file.display()))
}
