//! `plainly shell`, and the lines that users type in it: the same commands, without a server.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Id, Parser, Subcommand};

use super::{ClientCommand, ServerArgs, Words, usage};

/// Keep a connection to a server open, and type commands for it
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("shell"),
    after_help = "\
Examples:
  plainly shell -- npx @playwright/mcp          a browser that stays open from one call to the next
  plainly shell http://127.0.0.1:3333/mcp
  printf 'tools\\ncall search pattern=mcp\\n' | plainly shell http://127.0.0.1:3333/mcp

The commands are those of plainly, without a target: tools, call search pattern=mcp, read \
file:///docs/intro.md, help. Ctrl-C stops a command, and Ctrl-D or exit ends the session. Tab \
completes, and earlier lines are stored for the next session, except those that begin with a \
space.

Without a terminal, lines are read from standard input, # begins a comment, and the first command that fails ends the \
session with its exit status."
)]
pub(crate) struct ShellArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl ShellArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("shell", self.target.take())
    }
}

/// Commands run against the server of this session
#[derive(Debug, Parser)]
#[command(multicall = true, override_usage = "COMMAND [OPTIONS] [ARGUMENT]...")]
pub(crate) struct ShellLine {
    #[command(subcommand)]
    typed: ShellCommand,
}

/// The command on a line.
#[derive(Debug, Subcommand)]
pub(crate) enum ShellCommand {
    #[command(flatten)]
    Client(Box<ClientCommand>),
    /// Clear the screen
    Clear,
    /// End the session
    #[command(visible_alias = "quit")]
    Exit,
}

impl ShellLine {
    /// Reads the words of a line.
    ///
    /// # Errors
    ///
    /// The mistake in the line, or the help that it requests.
    pub(crate) fn read(words: Vec<String>) -> Result<ShellCommand, clap::Error> {
        let mut command = Self::taught();
        let matches = command.try_get_matches_from_mut(words)?;
        if let Some(option) = misplaced(&command, &matches) {
            let why = format!("the connection is open: {option} is for `plainly shell` itself");
            return Err(command.error(ErrorKind::ArgumentConflict, why));
        }
        Self::from_arg_matches(&matches).map(|line| line.typed)
    }

    /// The commands with help for a shell, where no command has a target.
    pub(crate) fn taught() -> clap::Command {
        each_without_target(Self::command())
    }
}

/// Whether this option is about the server's address, its questions, or the trace of its
/// connection. The shell itself has these options.
fn is_of_connection(id: &str) -> bool {
    const OTHERS: [&str; 8] = [
        "command",
        "trace",
        "record",
        "given_answers",
        "sample_with",
        "roots",
        "server_log",
        "quiet",
    ];
    ServerArgs::REACHING.contains(&id) || OTHERS.contains(&id)
}

/// An option of a shell command that only the shell itself may have.
fn misplaced(mut command: &clap::Command, mut matches: &ArgMatches) -> Option<String> {
    while let Some((name, below)) = matches.subcommand() {
        (command, matches) = (command.find_subcommand(name)?, below);
    }
    let is_given = |id: &Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    let mut ids = matches.ids().filter(|id| is_of_connection(id.as_str()));
    let id = ids.find(|id| is_given(id))?;
    let option = command.get_arguments().find(|arg| arg.get_id() == id)?;
    Some(match option.get_long() {
        Some(long) => format!("--{long}"),
        None => "a command after --".to_owned(),
    })
}

/// The subcommands of this command, without a target.
fn each_without_target(command: clap::Command) -> clap::Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, without_target)
    })
}

fn without_target(mut command: clap::Command) -> clap::Command {
    let usage = command.render_usage().to_string();
    let help = command.get_after_help().map(ToString::to_string);
    let command = match usage.lines().find_map(in_a_shell) {
        Some(usage) => command.override_usage(usage),
        None => command,
    };
    each_without_target(command)
        .mut_args(|arg| {
            let id = arg.get_id().as_str();
            let is_hidden = id == "target" || is_of_connection(id);
            arg.hide(is_hidden)
        })
        .after_help(help.map(|help| examples(&help)).unwrap_or_default())
}

/// The usage of a command without its server: `ls [OPTIONS] [URI]`.
fn in_a_shell(usage: &str) -> Option<String> {
    let (_, usage) = usage.split_once("plainly ")?;
    let (usage, _) = usage.split_once(" -- ")?;
    Some(usage.to_owned())
}

/// A command's help, with its examples in the form of a shell.
fn examples(help: &str) -> String {
    const SERVER: &str = " http://127.0.0.1:3333/mcp";
    // In a shell, the commands come from standard input.
    let is_elsewhere = |line: &&str| line.contains(" -- ") || line.contains(" | plainly ");
    let shown = help.lines().filter(|line| !is_elsewhere(line));
    let shown: Vec<_> = shown
        .map(|line| match line.strip_prefix("  plainly ") {
            Some(example) => format!("  {}", example.replacen(SERVER, "", 1)),
            None => line.to_owned(),
        })
        .collect();
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> String {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        ShellLine::read(words).unwrap_err().to_string()
    }

    #[test]
    fn the_lines_are_sound() {
        ShellLine::taught().debug_assert();
    }

    #[test]
    fn help_knows_that_the_server_is_there() {
        for name in [
            "ls",
            "call",
            "task get",
            "task wait",
            "task answer",
            "task cancel",
            "read",
            "watch",
            "tools",
            "prompt",
            "complete",
        ] {
            let words: Vec<_> = name.split(' ').chain(["--help"]).collect();
            let help = help(&words);
            assert!(help.contains(&format!("Usage: {name} [OPTIONS]")), "{help}");
            for word in ["TARGET", "plainly ", "--header", "127.0.0.1", " -- "] {
                assert!(!help.contains(word), "{word}: {help}");
            }
        }
    }
}
