//! `plainly-load`: abuses servers in processes of their own over loopback, bounded in count and time, and says what they held.
//!
//! ```console
//! $ cargo build --profile dist -p plainly-cli -p plainly-load
//! $ target/dist/plainly-load
//! $ target/dist/plainly-load soak --minutes 10
//! ```

mod args;
mod bystander;
mod crowd;
mod descriptors;
mod drive;
mod latency;
mod message;
mod peer;
mod process;
mod report;
mod scale;
mod scenario;
mod served;
mod settings;
mod soak;
mod trial;
mod usage;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, ValueEnum};

use crate::args::{Args, Command};
use crate::report::Outcome;
use crate::scale::Scale;
use crate::scenario::Scenario;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    process::choose(args.servers.clone())?;
    let is_held = match &args.command {
        Some(Command::Server { settings }) => {
            served::serve(&serde_json::from_str(settings)?).await?;
            true
        }
        Some(Command::Soak { minutes, seed }) => {
            descriptors::raise()?;
            soak::run(*minutes, *seed, args.json).await?
        }
        None => overload(&args).await?,
    };
    Ok(if is_held {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Whether all was held.
async fn overload(args: &Args) -> Result<bool> {
    let scale = Scale {
        is_short: args.short,
        descriptors: descriptors::raise()?,
    };
    let wanted = |scenario: &Scenario| args.only.is_empty() || args.only.contains(scenario);
    let mut outcomes: Vec<Outcome> = Vec::new();
    for scenario in Scenario::value_variants()
        .iter()
        .filter(|scenario| wanted(scenario))
    {
        write!(io::stderr(), "{}: ", scenario.name())?;
        let outcome = scenario.run(scale).await;
        writeln!(
            io::stderr(),
            "{} after {:.1} s",
            report::word(outcome.is_held()),
            outcome.seconds
        )?;
        outcomes.push(outcome);
    }
    if args.json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&outcomes)?)?;
    } else {
        report::print(&outcomes)?;
    }
    Ok(outcomes.iter().all(Outcome::is_held))
}
