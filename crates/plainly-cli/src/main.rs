//! `plainly`: serves directories over MCP, and talks to any MCP server.
//!
//! ```text
//! words ─► args ─► command ─► connection ─► output, or failure ─► exit
//! ```

mod args;

mod command;
mod connection;

mod servers;

mod apart;

mod output;

mod failure;

mod explain;

mod exit;
mod format;
mod json;
mod shell_word;
mod visible;

mod log;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use self::args::{Args, ClientCommand, Command, LogArgs};
use self::exit::Exit;
use self::failure::Failure;
use self::format::Format;

/// The most that dropping what still runs may take; name resolution can't be interrupted.
const DROPPING: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    if apart::is_meant(std::env::args_os()) {
        return end(apart::run(), Format::Text);
    }
    let mut args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let format = Format::of_words(std::env::args_os());
            return end(Err(Failure::Usage(without_dashes(error))), format);
        }
    };
    let format = args.command.format();
    let is_server = matches!(args.command, Command::Serve(_));
    let asked = args.log.levels.as_ref().map(|it| it.targets.clone());
    log::init(asked, args.log.format, is_server);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(Failure::caused("cannot start", error)), format),
    };
    let result = runtime.block_on(run(args.command, &args.log));
    if is_server {
        // No task is left, only a thread that may still wait for standard input.
        runtime.shutdown_background();
    } else {
        // Kills a server that was started, with all that it started, if a signal came before its end.
        runtime.shutdown_timeout(DROPPING);
    }
    end(result, format)
}

/// The commands that talk to no server.
const ALONE: [&str; 6] = [
    "serve",
    "servers",
    "uninstall",
    "codes",
    "explain",
    "completions",
];

/// The mistake without the parser's advice to write `--` before a word, where the command of a server follows that. What
/// looks like an option of a tool is one of its arguments.
fn without_dashes(mut error: clap::Error) -> clap::Error {
    if std::env::args_os().any(|word| ALONE.iter().any(|alone| word == *alone)) {
        return error;
    }
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && tips.iter().any(|tip| tip.to_string().contains("'-- "))
    {
        error.remove(ContextKind::Suggested);
    }
    let mut words = std::env::args_os().take_while(|word| word != "--");
    let takes_arguments = words.any(|word| word == "call" || word == "prompt");
    if takes_arguments
        && error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && let Some(name) = option.strip_prefix("--")
    {
        let tip = format!("arguments are written {name}=TEXT");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

async fn run(command: Command, log: &LogArgs) -> Result<(), Failure> {
    match command {
        Command::Serve(args) => command::serve::run(args, log).await,
        Command::Servers(args) => command::servers::run(&args),
        Command::Install(args) => command::install::run(args, log),
        Command::Uninstall(args) => command::install::uninstall(&args),
        Command::Codes(args) => command::codes::run(&args),
        Command::Explain(args) => command::explain::run(&args),
        Command::Completions(args) => command::completions(&args),
        Command::Candidates(args) => command::candidates::run(args).await,
        Command::Shell(args) => command::shell::run(args).await,
        // The signals first: whoever sees that a command runs may stop it, and its server with it.
        Command::Client(command) => {
            let stopped = match matches!(command, ClientCommand::Watch(_)) {
                true => Failure::Stopped,
                false => Failure::Interrupted,
            };
            tokio::select! {
                biased;
                () = plainly::shutdown::requested() => Err(stopped),
                result = command::run(command) => result,
            }
        }
    }
}

fn end(result: Result<(), Failure>, format: Format) -> ExitCode {
    match result {
        Ok(()) => Exit::Success.into(),
        Err(failure) => {
            failure.report(format);
            failure.exit().into()
        }
    }
}
