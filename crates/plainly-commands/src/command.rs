//! The commands, each in its own file or with a similar one. The shortest commands are here.

#[cfg(feature = "cluster")]
pub(crate) mod cluster;
#[cfg(feature = "cluster")]
mod engine;
pub(crate) mod key;
pub(crate) mod serve;
pub(crate) mod trash;

pub(crate) mod shell;

pub(crate) mod discover;

pub(crate) mod ls;
pub(crate) mod read;
pub(crate) mod stat;
pub(crate) mod watch;

mod declared;
mod described;
mod example;
mod kind;
mod lacking;
pub(crate) mod listed;
pub(crate) mod skills;

mod arguments;
mod blocks;
mod folder;
mod parameter;
mod schema;

pub(crate) mod call;
pub(crate) mod task;

pub(crate) mod complete;
pub(crate) mod prompt;

pub(crate) mod login;
pub(crate) mod logins;
pub(crate) mod logout;

pub(crate) mod candidates;
pub(crate) mod install;
pub(crate) mod package;
pub(crate) mod replay;
pub(crate) mod servers;

pub(crate) mod explain;

use std::pin::Pin;

use clap::CommandFactory;

use crate::args::{Args, ClientCommand, CompletionsArgs, ManArgs, Shell};
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;

/// Runs a command that uses a server. Each future is in a box, because all of them together need
/// more stack than the main thread has on Windows.
pub(crate) async fn run(command: ClientCommand) -> Result<(), Failure> {
    let running: Pin<Box<dyn Future<Output = _>>> = match command {
        ClientCommand::Discover(args) => Box::pin(discover::run(args)),
        ClientCommand::Ls(args) => Box::pin(ls::run(args)),
        ClientCommand::Stat(args) => Box::pin(stat::run(args)),
        ClientCommand::Read(args) => Box::pin(read::run(args)),
        ClientCommand::Watch(args) => Box::pin(watch::run(args)),
        ClientCommand::Templates(args) => Box::pin(listed::templates(args)),
        ClientCommand::Skills(args) => Box::pin(skills::run(args)),
        ClientCommand::Tools(args) => Box::pin(listed::tools(args)),
        ClientCommand::Call(args) => Box::pin(call::run(args)),
        ClientCommand::Task(args) => Box::pin(task::run(args)),
        ClientCommand::Prompts(args) => Box::pin(listed::prompts(args)),
        ClientCommand::Prompt(args) => Box::pin(prompt::run(args)),
        ClientCommand::Complete(args) => Box::pin(complete::run(args)),
    };
    running.await
}

/// `plainly completions`: a script that completes the command line in a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let script: &[u8] = match args.shell {
        Shell::Bash => include_bytes!("command/completions/plainly.bash"),
        Shell::Zsh => include_bytes!("command/completions/plainly.zsh"),
        Shell::Fish => include_bytes!("command/completions/plainly.fish"),
    };
    let mut output = Output::new(Format::Text);
    output.write(script)?;
    output.flush()
}

/// `plainly man`: the help of each command as a man page.
pub(crate) fn man(args: &ManArgs) -> Result<(), Failure> {
    let directory = &args.directory;
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Args::command(), directory));
    written.map_err(|error| Failure::file(directory, error))
}
