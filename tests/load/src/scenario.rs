//! The ways in which a server is abused, one a file.

mod churn;
mod connections;
mod exhausted;
mod files;
mod in_flight;
mod listens;
mod never_readers;
mod overload;
mod slow_readers;
mod slow_writers;
mod stdio;

use clap::ValueEnum;

use crate::report::Outcome;
use crate::scale::Scale;

/// A way to abuse a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// More connections than one peer may have, and than all may have
    Connections,
    /// More requests in flight than there may be
    InFlight,
    /// Five times as many calls as can be served
    Overload,
    /// Heads and bodies that come byte by byte, or never
    SlowWriters,
    /// Replies and events that nobody reads
    SlowReaders,
    /// Thousands who only listen
    Listens,
    /// Listeners that never read, while much changes
    NeverReaders,
    /// Connections that come and go
    Churn,
    /// More clients than file descriptors
    Exhausted,
    /// Large files, of which some are never read to their end
    Files,
    /// Standard input and output: calls that are cancelled at once, and replies that nobody reads
    Stdio,
}

impl Scenario {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::InFlight => "in-flight",
            Self::Overload => "overload",
            Self::SlowWriters => "slow-writers",
            Self::SlowReaders => "slow-readers",
            Self::Listens => "listens",
            Self::NeverReaders => "never-readers",
            Self::Churn => "churn",
            Self::Exhausted => "exhausted",
            Self::Files => "files",
            Self::Stdio => "stdio",
        }
    }

    pub(crate) async fn run(self, scale: Scale) -> Outcome {
        let outcome = match self {
            Self::Connections => connections::run(scale).await,
            Self::InFlight => in_flight::run(scale).await,
            Self::Overload => overload::run(scale).await,
            Self::SlowWriters => slow_writers::run(scale).await,
            Self::SlowReaders => slow_readers::run(scale).await,
            Self::Listens => listens::run(scale).await,
            Self::NeverReaders => never_readers::run(scale).await,
            Self::Churn => churn::run(scale).await,
            Self::Exhausted => exhausted::run(scale).await,
            Self::Files => files::run(scale).await,
            Self::Stdio => stdio::run(scale).await,
        };
        outcome.unwrap_or_else(|error| Outcome::failed(self.name(), &error))
    }
}
