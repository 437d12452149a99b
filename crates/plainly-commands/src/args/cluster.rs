//! The options of a replica, which is one of several servers behind one URL.

use std::path::PathBuf;
use std::time::Duration;

use crate::format::Format;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

/// The environment variable with the URLs.
pub(crate) const URLS: &str = "PLAINLY_CLUSTER";

/// The time for which the server continues after a stop request, while load balancers notice.
const DRAIN: Duration = Duration::from_secs(5);

/// The options of one of several servers that share an engine.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "For several servers behind one URL")]
pub(crate) struct ClusterArgs {
    /// Share sessions and changes with the other replicas of this server, over NATS with JetStream or Redis at these URLs,
    /// separated by commas: tls://n1,tls://n2,tls://n3, or redis+sentinel://s1/NAME,redis+sentinel://s2/NAME, or rediss://r1. All
    /// replicas need the same --key-file. URLs with a password belong in the variable
    #[arg(long, value_name = "URLS", value_delimiter = ',', env = URLS, hide_env_values = true)]
    pub(crate) cluster: Vec<String>,

    /// The name of the cluster, which no other server on the same engine has [default: --name, or the first directory's name]
    #[arg(long, value_name = "NAME", requires = "cluster")]
    pub(crate) cluster_name: Option<String>,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    /// The number of NATS servers that store each record, when the first replica makes the streams [default: 3 if they are a
    /// cluster, 1 if not]
    #[arg(long, value_name = "COPIES", value_parser = copies(), requires = "cluster")]
    pub(crate) cluster_replicas: Option<u8>,
}

/// The files for reaching an engine.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineArgs {
    /// The credentials of a user of NATS (.creds)
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) cluster_creds: Option<PathBuf>,

    /// Also trust the certificates in this PEM file
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(crate) cluster_ca: Option<PathBuf>,
}

/// Look at the replicas of a server, and at what they share
#[derive(Debug, clap::Args)]
pub(crate) struct ClusterCommandArgs {
    #[command(subcommand)]
    pub(crate) action: ClusterAction,
}

impl ClusterCommandArgs {
    /// The format of the status and of errors.
    pub(crate) fn format(&self) -> Format {
        let ClusterAction::Status(args) = &self.action;
        Format::json_if(args.json)
    }
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum ClusterAction {
    Status(ClusterStatusArgs),
}

/// Show the replicas of a server, and what they share; the exit status is 1 if anything is marked with !
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly cluster status nats://n1,nats://n2,nats://n3 --name docs --key-file keys
  plainly cluster status rediss://r1 --name docs --key-file keys --json")]
pub(crate) struct ClusterStatusArgs {
    /// The URLs that the replicas have as --cluster, separated by commas. URLs with a password belong in the variable
    #[arg(value_name = "URLS", value_delimiter = ',', env = URLS, hide_env_values = true, required = true)]
    pub(crate) cluster: Vec<String>,

    /// The --name of the replicas
    #[arg(long, value_name = "NAME", default_value = "plainly")]
    pub(crate) name: String,

    /// The --cluster-name of the replicas, which is the first directory's name if they have neither [default: --name]
    #[arg(long, value_name = "NAME")]
    pub(crate) cluster_name: Option<String>,

    /// The keys of the replicas
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: PathBuf,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl ClusterArgs {
    /// Whether the server is one of several. An empty variable yields one empty URL.
    pub(crate) fn is_on(&self) -> bool {
        self.cluster.iter().any(|url| !url.is_empty())
    }

    pub(super) fn drain(&self) -> Duration {
        match self.is_on() {
            true => DRAIN,
            false => Duration::ZERO,
        }
    }
}

fn copies() -> impl clap::builder::TypedValueParser<Value = u8> {
    PossibleValuesParser::new(["1", "3"]).map(|copies| if copies == "1" { 1 } else { 3 })
}
