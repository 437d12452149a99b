//! The other replicas of the server, over the engine that the URLs name.

use std::fs::File;
use std::path::Path;

use plainly::server::ServerBuilder;
use plainly_nats::Nats;
use plainly_redis::Redis;

use super::key_of;
use crate::args::{ClusterArgs, ServeArgs, URLS};
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

impl EngineKind {
    /// The kind of the engine at this URL, which may have a password that no error repeats.
    fn of(url: &str) -> Result<Self, String> {
        let scheme = url.trim().split_once("://").map(|(scheme, _)| scheme);
        let known = ENGINES.iter().find(|(known, _)| Some(*known) == scheme);
        let Some((_, kind)) = known else {
            let schemes = ENGINES.map(|(scheme, _)| format!("{scheme}://"));
            return Err(format!("must begin with one of {}", schemes.join(" ")));
        };
        Ok(*kind)
    }

    /// The options that are given, and that only another engine has.
    fn foreign(self, cluster: &ClusterArgs) -> Vec<String> {
        let creds = cluster.cluster_creds.is_some().then_some(
            "--cluster-creds is for NATS: write the user and the password of Redis into the URL",
        );
        let copies = cluster
            .cluster_replicas
            .is_some()
            .then_some("--cluster-replicas is for NATS: leave it out");
        match self {
            Self::Nats => Vec::new(),
            Self::Redis => creds.into_iter().chain(copies).map(str::to_owned).collect(),
        }
    }
}

/// The mistakes in the URLs, and in options that are not for their engine.
fn wrong_urls(cluster: &ClusterArgs) -> Vec<String> {
    let (mut first, mut mistakes) = (None, Vec::new());
    for (index, url) in cluster.cluster.iter().enumerate() {
        let kind = EngineKind::of(url).and_then(|kind| match *first.get_or_insert(kind) == kind {
            true => Ok(()),
            false => Err("is of another engine than those before it".to_owned()),
        });
        let wrong = kind.err().map(|why| format!("URL {} {why}", index + 1));
        mistakes.extend(wrong);
    }
    mistakes.extend(first.into_iter().flat_map(|kind| kind.foreign(cluster)));
    mistakes
}

/// Rejects options that can't be, all of them at once.
pub(super) fn check(args: &ServeArgs) -> Result<(), Failure> {
    let cluster = &args.network.cluster;
    if !cluster.is_on() {
        return Ok(());
    }
    let mut mistakes = Vec::new();
    if args.content.key_file.is_none() {
        mistakes.push(
            "it needs keys that all replicas have: make a file with `openssl rand -hex 32 > keys`, and add --key-file keys"
                .to_owned(),
        );
    }
    if args.stdio {
        mistakes.push("only servers over HTTP have replicas: leave out --stdio".to_owned());
    }
    mistakes.extend(wrong_urls(cluster));
    if shows_password(cluster) {
        mistakes.push(format!(
            "everybody on this machine can read the password in a URL: put the URLs into the variable {URLS}"
        ));
    }
    let files = [&cluster.cluster_creds, &cluster.cluster_ca];
    mistakes.extend(
        files
            .into_iter()
            .flatten()
            .filter_map(|file| unreadable(file)),
    );
    match mistakes.is_empty() {
        true => Ok(()),
        false => {
            let why = format!("cannot use --cluster: {}", mistakes.join("; "));
            Err(Failure::impossible(why, None))
        }
    }
}

/// Whether a URL on the command line has a user and a password.
fn shows_password(cluster: &ClusterArgs) -> bool {
    let is_hidden = std::env::var(URLS).is_ok_and(|urls| urls.split(',').eq(&cluster.cluster));
    !is_hidden && cluster.cluster.iter().any(|url| url.contains('@'))
}

/// The reason why a file can't be read.
fn unreadable(file: &Path) -> Option<String> {
    let error = File::open(file).err()?;
    Some(format!("cannot read {}: {error}", file.display()))
}

/// The server as one of several replicas, if it is one. The engine is reached in the background.
pub(super) async fn join(
    builder: ServerBuilder,
    args: &ServeArgs,
) -> Result<ServerBuilder, Failure> {
    let cluster = &args.network.cluster;
    let Some(url) = cluster
        .cluster
        .first()
        .filter(|_| args.print_config.is_none())
    else {
        return Ok(builder);
    };
    let name = cluster.cluster_name.clone().unwrap_or_else(|| key_of(args));
    match EngineKind::of(url).map_err(|why| Failure::impossible(why, None))? {
        EngineKind::Nats => Ok(builder.cluster(nats(cluster, name).await?)),
        EngineKind::Redis => Ok(builder.cluster(redis(cluster, name).await?)),
    }
}

async fn nats(cluster: &ClusterArgs, name: String) -> Result<Nats, Failure> {
    let mut nats = Nats::connect(&cluster.cluster).name(name);
    if let Some(file) = &cluster.cluster_creds {
        nats = nats.credentials(file);
    }
    if let Some(file) = &cluster.cluster_ca {
        nats = nats.root_certificate(file);
    }
    if let Some(copies) = cluster.cluster_replicas {
        nats = nats.copies(copies);
    }
    nats.await.map_err(super::impossible)
}

async fn redis(cluster: &ClusterArgs, name: String) -> Result<Redis, Failure> {
    let mut redis = Redis::connect(&cluster.cluster).name(name);
    if let Some(file) = &cluster.cluster_ca {
        redis = redis.root_certificate(file);
    }
    redis.await.map_err(super::impossible)
}
