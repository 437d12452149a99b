//! Tips for options that no command has. The parser only suggests options of its own, which are
//! often not meant.

use std::path::Path;

use clap::CommandFactory;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Args;
use super::program::is_program;
use super::words::is_url;
use crate::shell_word::shell_word;

/// Options of other programs, with the replacements here.
const INSTEAD: [(&[&str], &str); 6] = [
    (
        &["--insecure", "-k"],
        "to trust a certificate of your own, use '--cacert FILE'",
    ),
    (
        &["--verbose", "-v", "--debug", "-d"],
        "to see more, use '--trace', or '--log debug'",
    ),
    (
        &["--token", "--auth", "--oauth-token"],
        "to send a token, use '--bearer @FILE' or '--bearer env:NAME'",
    ),
    (
        &["--transport", "-t"],
        "the transport is detected: give the URL, or the command after '--'",
    ),
    (&["-e"], "to set a variable, use '--env NAME=VALUE'"),
    (
        &["--format", "--output-format"],
        "for scripts, use '--json'",
    ),
];

/// Tips for options of `serve`.
const INSTEAD_OF_SERVE: [(&[&str], &str); 2] = [
    (
        &["--port", "-p", "--host", "--bind", "--address"],
        "the address is one option: '--http 127.0.0.1:PORT'",
    ),
    (
        &["--ssl", "--https", "--tls"],
        "to serve HTTPS, use '--tls-cert FILE --tls-key FILE'",
    ),
];

/// Adds tips to the error. Removes the parser's tip to write `--` before a word, if the command of
/// a server follows after `--`.
pub(crate) fn with_tips(mut error: clap::Error) -> clap::Error {
    let words = std::env::args_os().skip(1).take_while(|word| word != "--");
    let words: Vec<_> = words.filter_map(|word| word.into_string().ok()).collect();
    let found = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) => tip(option, &words),
        (ErrorKind::InvalidSubcommand, _) => instead_of_command(&words),
        _ => None,
    };
    // The command of a server follows after `--`.
    let is_wrong = |tip: &StyledStr| tip.to_string().contains("'-- ");
    let is_alone = words
        .first()
        .is_some_and(|it| is_alone(it) && it != "serve");
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested)
        && !is_alone
        && tips.iter().any(is_wrong)
    {
        error.remove(ContextKind::Suggested);
    }
    if let Some(tip) = found {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedSubcommand);
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// The tip for an option that the command in `words` does not have.
fn tip(option: &str, words: &[String]) -> Option<String> {
    let command = words.iter().find(|word| !word.starts_with('-'))?;
    if words.first().is_some_and(|first| first == option) {
        return Some(format!(
            "options come after the command: 'plainly {command} … {option}'"
        ));
    }
    let row = |rows: &[(&[&str], &str)]| {
        let mut rows = rows.iter();
        let instead = rows.find(|(options, _)| options.contains(&option));
        instead.map(|(_, instead)| (*instead).to_owned())
    };
    if command == "serve" {
        return row(&INSTEAD_OF_SERVE);
    }
    if is_alone(command) {
        return None;
    }
    if let Some(line) = with_command_apart(words) {
        return Some(format!("the command of a server comes after '--': {line}"));
    }
    // An unknown option is probably meant as an argument of a tool.
    let takes_arguments = ["call", "prompt"].contains(&&**command);
    let name = option.strip_prefix("--").filter(|_| takes_arguments);
    let argument = name.map(|name| format!("arguments are written {name}=TEXT"));
    let tips: Vec<_> = [argument, row(&INSTEAD)].into_iter().flatten().collect();
    (!tips.is_empty()).then(|| tips.join("; "))
}

/// Whether a command uses no server, and so accepts no server's command after `--`.
fn is_alone(name: &str) -> bool {
    fn takes_a_server(command: &clap::Command) -> bool {
        command.get_positionals().any(clap::Arg::is_last_set)
            || command.get_subcommands().any(takes_a_server)
    }
    let commands = Args::command();
    let command = commands.find_subcommand(name);
    command.is_some_and(|command| !takes_a_server(command))
}

/// The tip for a first word that is no command.
fn instead_of_command(words: &[String]) -> Option<String> {
    let word = words.iter().find(|word| !word.starts_with('-'))?;
    let shown = shell_word(word);
    if is_url(word) {
        Some(format!("a command comes first: 'plainly discover {shown}'"))
    } else if Path::new(word).is_dir() {
        Some(format!("to serve this directory: 'plainly serve {shown}'"))
    } else {
        None
    }
}

/// The line with `--` before the command of a server, if it is missing there.
fn with_command_apart(words: &[String]) -> Option<String> {
    // The first word after `install` is a host, which may also be a program.
    let from = match words.first().is_some_and(|word| word == "install") {
        true => 2,
        false => 1,
    };
    let is_target = |(at, word): &(usize, &String)| *at >= from && is_program(word);
    let (at, _) = words.iter().enumerate().find(is_target)?;
    let (before, command) = words.split_at(at);
    let line = [before, &["--".to_owned()], command].concat();
    let line: Vec<_> = line.iter().map(|word| shell_word(word)).collect();
    Some(format!("plainly {}", line.join(" ")))
}
