//! The commands of the program `plainly`, which serves directories over MCP and calls any MCP server.
//!
//! The program itself is the package `plainly-cli`, which only calls [`run`]. The two are apart
//! because the commands are built for size and whatever serves requests is built for speed: a
//! program that is linked whole is optimized as its own package says.
//!
//! ```text
//! words ─► args ─► command ─► connection ─► output, or failure ─► exit
//!                                 ▲
//!                     asking ─► terminal
//! ```

mod args;

mod command;
mod connection;

mod accounts;

mod servers;

mod asking;

mod browser;

mod trace;

mod secrets;

mod apart;

mod output;
mod terminal;

mod failure;

mod explain;

mod installed;
mod version;

mod exit;
mod format;
mod json;
mod machine;
mod near;
mod picture;
mod shell_word;
mod visible;

mod log;
mod state;
mod whole_file;

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use clap::error::ErrorKind;

use self::args::{Args, ClientCommand, Command, LogArgs, with_tips};
use self::exit::Exit;
use self::failure::Failure;
use self::format::Format;
use self::log::LogSetting;

/// The time limit for dropping unfinished work, because name resolution can't be interrupted.
const DROPPING: Duration = Duration::from_secs(1);

/// The stack size of the thread that runs a command, in bytes. On Windows the first thread of a
/// process has 1 MiB, nearly all of which a debug build needs.
const STACK: usize = 8 << 20;

/// Runs the command that the words of this process name, and returns its exit code.
#[must_use]
pub fn run() -> ExitCode {
    if let Some(task) = apart::task(std::env::args_os()) {
        return task.run();
    }
    if browser::is_meant(std::env::args_os()) {
        return browser::run();
    }
    match thread::Builder::new()
        .name("main".to_owned())
        .stack_size(STACK)
        .spawn(parse_and_run)
    {
        Ok(main) => main.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(error) => {
            let format = Format::of_words(std::env::args_os());
            end(Err(Failure::caused("cannot start", error)), format)
        }
    }
}

fn parse_and_run() -> ExitCode {
    let mut args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let format = Format::of_words(std::env::args_os());
            if error.kind() == ErrorKind::DisplayVersion && format.is_json() {
                return end(version::print(format), format);
            }
            return end(Err(Failure::Usage(with_tips(error))), format);
        }
    };
    let format = args.command.format();
    let is_server = args.command.is_server();
    let written = LogSetting {
        is_log: is_server,
        is_quiet: args.command.asking().is_some_and(|it| it.quiet),
        has_child: args.command.shows_child(),
    };
    let asked = args.log.levels.as_ref().map(|it| it.targets.clone());
    log::init(asked, args.log.format, written);
    if written.is_quiet {
        terminal::be_quiet();
    }
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(Failure::caused("cannot start", error)), format),
    };
    let result = runtime.block_on(async {
        let result = run_command(args.command, &args.log).await;
        connection::renewed().await;
        result
    });
    if is_server {
        // No task is left, only a thread that may still wait for standard input.
        runtime.shutdown_background();
    } else {
        // Dropping the tasks kills a server that was started, and its child processes, if a signal
        // ended the command first.
        runtime.shutdown_timeout(DROPPING);
    }
    end(result, format)
}

/// Long futures are in boxes: see [`command::run`].
async fn run_command(command: Command, log: &LogArgs) -> Result<(), Failure> {
    match command {
        Command::Serve(args) => Box::pin(command::serve::run(args, log)).await,
        Command::Login(args) => Box::pin(command::login::run(args)).await,
        Command::Logout(args) => Box::pin(command::logout::run(args)).await,
        Command::Logins(args) => Box::pin(command::logins::run(args)).await,
        #[cfg(feature = "cluster")]
        Command::Cluster(args) => Box::pin(command::cluster::run(args)).await,
        Command::Key(args) => command::key::run(args),
        Command::Trash(args) => command::trash::run(&args),
        Command::Servers(args) => Box::pin(command::servers::run(&args)).await,
        Command::Install(args) => command::install::run(args, log),
        Command::Uninstall(args) => command::install::uninstall(&args),
        Command::Package(args) => Box::pin(command::package::run(args)).await,
        Command::Explain(args) => command::explain::run(&args),
        Command::Completions(args) => command::completions(&args),
        Command::Man(args) => command::man(&args),
        Command::Candidates(args) => Box::pin(command::candidates::run(args)).await,
        Command::Replay(args) => Box::pin(command::replay::serve(args)).await,
        Command::Shell(args) => Box::pin(command::shell::run(args)).await,
        Command::Client(command @ ClientCommand::Watch(_)) => match command::run(command).await {
            // Only a signal can end this command.
            Err(Failure::Interrupted) => Err(Failure::Stopped),
            result => result,
        },
        Command::Client(command) => command::run(command).await,
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
