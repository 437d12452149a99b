//! The position of a word on the command line, and the completions that need no server.

use std::path::{MAIN_SEPARATOR, Path};

use clap::{Arg, ArgAction, Command};

use super::Candidate;
use crate::args::ServerArgs;

/// The kind of word at a position.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// One of these words.
    Known(Vec<Candidate>),
    /// The name of a server.
    Target,
    /// A name that the server provides, which is the first of the `words`.
    Server {
        command: String,
        options: Vec<String>,
        words: Vec<String>,
    },
}

impl Position {
    /// The position of the `current` word after the words `before` it, on a line of one of these
    /// commands.
    pub(super) fn of(mut root: Command, before: &[String], current: &str) -> Self {
        root.build();
        let mut command = &root;
        let (mut options, mut words) = (Vec::new(), Vec::new());
        let mut rest = before.iter();
        while let Some(word) = rest.next() {
            if word == "--" {
                // The words after it belong to the server's own program.
                return Self::Known(files(current));
            }
            if let Some(option) = option(command, word) {
                let is_kept = ServerArgs::REACHING.iter().any(|id| option.get_id() == id);
                let value = match takes_value(option) && !word.contains('=') {
                    false => None,
                    true => match rest.next() {
                        None => return Self::Known(values(option, current)),
                        value => value.cloned(),
                    },
                };
                if is_kept {
                    options.extend([word.clone()].into_iter().chain(value));
                }
            } else if let Some(inner) = command.find_subcommand(word) {
                command = inner;
            } else {
                words.push(word.clone());
            }
        }
        if current.starts_with('-') {
            return Self::Known(options_of(command));
        }
        if command.has_subcommands() {
            return Self::Known(match words.is_empty() {
                true => commands(command),
                false => Vec::new(),
            });
        }
        let is_client = command.get_arguments().any(|arg| arg.get_id() == "target");
        if is_client && !words.is_empty() {
            return Self::Server {
                command: command.get_name().to_owned(),
                options,
                words,
            };
        }
        let positionals = command.get_positionals().filter(|arg| !arg.is_last_set());
        let positionals: Vec<_> = positionals.collect();
        let last = positionals.last().copied();
        let repeated = last.filter(|arg| matches!(arg.get_action(), ArgAction::Append));
        match positionals.get(words.len()).copied().or(repeated) {
            Some(arg) if arg.get_id() == "target" || arg.get_id() == "name" => Self::Target,
            Some(arg) => Self::Known(values(arg, current)),
            None => Self::Known(Vec::new()),
        }
    }
}

/// The option that the word names.
fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let name = word.split('=').next().unwrap_or(word);
    command.get_arguments().find(|arg| {
        let is_long = arg
            .get_long()
            .is_some_and(|long| name.strip_prefix("--") == Some(long));
        let mut short = name.chars();
        let is_short = short.next() == Some('-')
            && short.next() == arg.get_short()
            && arg.get_short().is_some();
        is_long || is_short
    })
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

/// The possible values of an option or a word; a file, unless it is declared otherwise.
fn values(arg: &Arg, current: &str) -> Vec<Candidate> {
    let values = arg.get_possible_values();
    let values = values.iter().filter(|value| !value.is_hide_set());
    let values = values.map(|value| {
        let about = value.get_help().map(ToString::to_string);
        Candidate::new(value.get_name(), about.unwrap_or_default())
    });
    let values: Vec<_> = values.collect();
    const FILES: [&str; 4] = ["FILE", "DIR", "PATH", "NAME"];
    let names = arg.get_value_names().unwrap_or_default();
    let is_file = names.iter().any(|name| FILES.contains(&name.as_str()));
    match values.is_empty() && is_file {
        true => files(current),
        false => values,
    }
}

fn commands(command: &Command) -> Vec<Candidate> {
    let commands = command.get_subcommands().filter(|it| !it.is_hide_set());
    let commands = commands.map(|it| {
        let about = it.get_about().map(ToString::to_string);
        Candidate::new(it.get_name(), about.unwrap_or_default())
    });
    commands.collect()
}

fn options_of(command: &Command) -> Vec<Candidate> {
    let options = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let options = options.filter_map(|arg| {
        let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let first = about
            .split_once(['.', ';'])
            .map_or(&*about, |(first, _)| first);
        Some(Candidate::new(format!("--{}", arg.get_long()?), first))
    });
    options.collect()
}

/// The files and directories whose paths begin with `current`.
fn files(current: &str) -> Vec<Candidate> {
    let (directory, begun) = match current.rfind(MAIN_SEPARATOR) {
        Some(at) => current.split_at(at + 1),
        None => ("", current),
    };
    let path = if directory.is_empty() { "." } else { directory };
    let entries = std::fs::read_dir(Path::new(path)).into_iter().flatten();
    let entries = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_hidden = name.starts_with('.') && !begun.starts_with('.');
        let end = if entry.path().is_dir() { "/" } else { "" };
        let value = format!("{directory}{name}{end}");
        // A name that looks like an option is left out, because some options run commands.
        let is_option = value.starts_with('-');
        (name.starts_with(begun) && !is_hidden && !is_option).then(|| Candidate::new(value, ""))
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by(|one, other| one.value.cmp(&other.value));
    entries
}
