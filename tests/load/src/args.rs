//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::scenario::Scenario;

/// Abuse servers over loopback, and say what they held
#[derive(Debug, Parser)]
#[command(name = "plainly-load")]
pub(crate) struct Args {
    /// All in a minute, with smaller numbers and shorter limits
    #[arg(long)]
    pub(crate) short: bool,

    /// This scenario alone; may be given several times
    #[arg(long, value_name = "SCENARIO", value_enum)]
    pub(crate) only: Vec<Scenario>,

    /// The report as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Start the servers that lie here, plainly-load and plainly, instead of those beside this program
    #[arg(long, global = true, value_name = "DIRECTORY")]
    pub(crate) servers: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Do all that clients do, in good order and in bad, and see that the server stays what it was
    Soak {
        /// For how long
        #[arg(long, default_value_t = 10.0)]
        minutes: f64,

        /// Of the lot that all draw; by default another each time
        #[arg(long)]
        seed: Option<u64>,
    },

    /// Be the server that is abused
    #[command(hide = true)]
    Server {
        /// As JSON
        settings: String,
    },
}
