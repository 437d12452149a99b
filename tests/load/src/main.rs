//! `plainly-load` uses and abuses a server in a separate process over loopback, and reports whether
//! the server withstands it.
//!
//! ```console
//! $ cargo build --profile dist -p plainly-load
//! $ target/dist/plainly-load --minutes 10
//! ```

mod actor;
mod calls;
mod exhausted;
mod faults;
mod files;
mod flat;
mod legacy;
mod listening;
mod message;
mod peer;
mod process;
mod report;
mod served;
mod soak;
mod tally;
mod tasks;
mod usage;

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Do all that clients do, in good order and in bad, and check that the server stays as it was
#[derive(Debug, Parser)]
#[command(name = "plainly-load")]
struct Args {
    /// For how long
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,

    /// Of what is drawn by lot; by default another each time
    #[arg(long)]
    seed: Option<u64>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Be the server
    #[command(hide = true)]
    Server {
        /// As JSON
        settings: String,
    },
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(Command::Server { settings }) = &args.command {
        served::serve(&serde_json::from_str(settings)?).await?;
        return Ok(ExitCode::SUCCESS);
    }
    usage::raise_descriptors()?;
    let mut held = exhausted::run().await?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    writeln!(io::stdout(), "{} minutes, seed {seed}:", args.minutes)?;
    held.extend(soak::run(Duration::from_secs_f64(args.minutes * 60.0), seed).await?);
    report::print(&held)?;
    Ok(match held.iter().all(|held| held.is_held) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
