//! The words of a command line that are not options. Their order determines the meaning of each.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;
use clap::error::ErrorKind;
use plainly::client::Client;

use super::Args;
use super::program::is_program;
use crate::failure::Failure;
use crate::shell_word::shell_word;

/// The words of a command line that belong to no option, in their order.
#[derive(Debug)]
pub(crate) struct Words {
    command: &'static str,
    words: VecDeque<String>,
    /// The word that may be the name of a server, after it was taken.
    named: Option<ServerName>,
    /// The commands, one of which these words belong to.
    commands: fn() -> clap::Command,
}

impl Words {
    pub(super) fn new(command: &'static str, words: impl IntoIterator<Item = String>) -> Self {
        Self {
            command,
            words: words.into_iter().collect(),
            named: None,
            commands: Args::command,
        }
    }

    /// Sets the commands that these words belong to, instead of the program's.
    pub(super) fn belong_to(&mut self, commands: fn() -> clap::Command) {
        self.commands = commands;
    }

    /// The next word, which must exist.
    pub(crate) fn take(&mut self, name: &str) -> Result<String, Failure> {
        self.next().ok_or_else(|| {
            let what = match name {
                // A server that a command starts has no logins.
                "TARGET" if ["login", "logout"].contains(&self.command) => {
                    "the URL of a server or its name"
                }
                "TARGET" => "the URL of a server or its name, or else its command, after --",
                "URI" => "`plainly ls` lists those of a server",
                "TOOL" => "`plainly tools` lists those of a server",
                "PROMPT" => "`plainly prompts` lists those of a server",
                "ID" => "`call --task` prints that of the task that it starts",
                "OF" => "name a prompt, or a template of `plainly templates`",
                _ => "see --help",
            };
            let missing = format!("<{name}> is missing: {what}");
            self.wrong(ErrorKind::MissingRequiredArgument, &missing)
        })
    }

    /// The next word, which names a tool or a prompt.
    pub(crate) fn take_name(&mut self, kind: &str) -> Result<String, Failure> {
        let name = self.take(kind)?;
        match name.contains('=') {
            false => Ok(name),
            true => Err(self.wrong(
                ErrorKind::ValueValidation,
                &format!("<{kind}> comes before its arguments, such as {name}"),
            )),
        }
    }

    /// Whether there is a URL in a place where no URI of a resource can be.
    pub(super) fn name_the_server_too(&self) -> bool {
        self.words.front().is_some_and(|word| is_url(word)) && self.takes_no_uri()
    }

    /// Whether none of the command's words can be the URI of a resource, a template or a skill.
    fn takes_no_uri(&self) -> bool {
        let command = found(self.commands, self.command);
        let mut words = command.get_positionals();
        words.all(|word| !["uri", "uris", "of", "skill"].contains(&word.get_id().as_str()))
    }

    /// The server, which is the first word: a URL or a name.
    pub(super) fn target(&mut self) -> Result<Server, Failure> {
        let target = self.take("TARGET")?;
        if is_url(&target) {
            return Ok(Server::Url(target));
        }
        let swapped = self.words.iter().find(|word| is_url(word)).map(|url| {
            format!(
                "the URL of the server comes first: `plainly {} {url} {target}{}`",
                self.command,
                if self.words.len() > 1 { " …" } else { "" },
            )
        });
        let name = ServerName {
            instead: swapped.or_else(|| self.instead_of(&target)),
            text: target,
            command: self.command,
        };
        if self.words.iter().any(|word| is_url(word)) && self.takes_no_uri() {
            return Err(name.unknown(None));
        }
        self.named = Some(name.clone());
        Ok(Server::Named(name))
    }

    /// The likely meaning of the first word, if it does not look like a name.
    fn instead_of(&self, target: &str) -> Option<String> {
        let command = self.command;
        let (authority, _) = target.split_once('/').unwrap_or((target, ""));
        let has_port = authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let instead = if target.contains(char::is_whitespace) {
            format!("to start a server, use `plainly {command} -- {target}`")
        } else if target.starts_with(['.', '/', '~']) {
            match Path::new(target).is_file() {
                true => format!("to start a server, use `plainly {command} -- {target}`"),
                false => format!("to serve a directory, use `-- plainly serve {target} --stdio`"),
            }
        } else if target.contains("://") {
            "the URL of a server starts with http:// or https://, and the URI of a resource comes \
             after it"
                .to_owned()
        } else if is_program(target) {
            let words = [target].into_iter();
            let words = words.chain(self.words.iter().map(String::as_str));
            let words: Vec<_> = words.map(shell_word).collect();
            format!(
                "to start a server, use `plainly {command} -- {}`",
                words.join(" ")
            )
        } else if has_port || authority.contains('.') || authority == "localhost" {
            format!("did you mean http://{target}?")
        } else {
            return None;
        };
        Some(instead)
    }

    /// The next word, if there is one.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.words.pop_front()
    }

    /// Fails if there are more words.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(self.wrong(
                ErrorKind::UnknownArgument,
                &format!("unexpected argument {word:?} found"),
            )),
        }
    }

    /// An error that only the words together show, in the form of all others.
    pub(crate) fn wrong(&self, kind: ErrorKind, message: &str) -> Failure {
        // The word may be no server's name, in which case all later words are in the wrong place.
        let is_elsewhere = kind != ErrorKind::MissingRequiredArgument;
        let named = self.named.as_ref();
        match named.filter(|name| is_elsewhere || name.instead.is_some()) {
            None => wrong(self.commands, self.command, kind, message),
            Some(name) => {
                let message = format!("{message}; or {}", name.mistake(None));
                wrong(self.commands, self.command, kind, &message)
            }
        }
    }
}

/// The server of a command.
#[derive(Clone, Debug)]
pub(crate) enum Server {
    Url(String),
    Named(ServerName),
    Child(Vec<OsString>),
    /// A server with an open connection, which stays open.
    Open(Client),
}

/// A word in the place of a server that is no URL: the name of a configured server, or a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerName {
    pub(crate) text: String,
    command: &'static str,
    /// The likely meaning, if no server has this name.
    instead: Option<String>,
}

impl Server {
    /// The label of the server before it reports its own name.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Named(name) => name.text.clone(),
            Self::Url(url) => {
                let (_, rest) = url.split_once("://").unwrap_or(("", url));
                let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
                let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
                host.to_owned()
            }
            Self::Child(command) => {
                let program = command.first().map(Path::new);
                let name = program.and_then(Path::file_name).unwrap_or_default();
                name.to_string_lossy().into_owned()
            }
            Self::Open(client) => {
                let implementation = client.server();
                implementation.map_or_else(|| "the server".to_owned(), |it| it.name.clone())
            }
        }
    }
}

impl ServerName {
    /// The error that no server has this name. `there` lists the existing names.
    pub(crate) fn unknown(&self, there: Option<String>) -> Failure {
        let why = self.mistake(there);
        wrong(
            Args::command,
            self.command,
            ErrorKind::ValueValidation,
            &why,
        )
    }

    fn mistake(&self, there: Option<String>) -> String {
        const HOW: &str = "the server comes first, as a URL such as http://127.0.0.1:3333/mcp or as a name that `plainly servers` \
            lists, or last, as a command after --";
        let help = match (&self.instead, there) {
            (Some(instead), Some(there)) => format!("{instead}; {there}"),
            (Some(instead), None) => instead.clone(),
            (None, Some(there)) => there,
            (None, None) => HOW.to_owned(),
        };
        format!(
            "{:?} is neither the URL nor the name of a server: {help}",
            self.text
        )
    }
}

fn wrong(
    commands: fn() -> clap::Command,
    command: &str,
    kind: ErrorKind,
    message: &str,
) -> Failure {
    Failure::Usage(found(commands, command).error(kind, message))
}

/// The command of this name, such as `task get`.
fn found(commands: fn() -> clap::Command, name: &str) -> clap::Command {
    let mut command = commands();
    command.build();
    let below = |command: clap::Command, name: &str| command.find_subcommand(name).cloned();
    name.split(' ')
        .try_fold(command, below)
        .expect("words belong to a command that there is")
}

pub(super) fn is_url(word: &str) -> bool {
    let scheme = word.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|it| it.eq_ignore_ascii_case("http") || it.eq_ignore_ascii_case("https"))
}
