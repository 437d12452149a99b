//! Which server a command talks to: a URL as its first word, or a command after `--`, which leaves all words to the rest.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clap::CommandFactory;
use clap::error::ErrorKind;
use plainly::errors::Revision;

use super::{Args, values};
use crate::failure::Failure;
use crate::format::Format;

/// What all commands that talk to a server have.
#[derive(Debug, clap::Args)]
pub(crate) struct ServerArgs {
    /// Print JSON: MCP objects, and errors on standard error as {"error": {"from": "peer" | "local", …}}
    #[arg(long)]
    json: bool,

    /// How long to wait for each reply [default: 60, and 30 for connecting]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,

    /// Send this header with every HTTP request; can be given several times
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = values::Header)]
    pub(crate) headers: Vec<(String, String)>,

    /// Use this protocol revision and no other [default: the newest that both sides support]
    #[arg(long, value_parser = values::revision())]
    pub(crate) revision: Option<Revision>,

    /// A server to start, with its arguments, instead of TARGET
    #[arg(last = true)]
    command: Vec<OsString>,
}

/// Where the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Url(String),
    Child(Vec<OsString>),
}

impl ServerArgs {
    /// How results and errors are printed.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }

    /// Where the server is; takes the first of the `words` unless a command was given.
    pub(crate) fn server(&mut self, words: &mut Words) -> Result<Server, Failure> {
        if self.command.is_empty() {
            return words.url();
        }
        if serves_nobody(&self.command) {
            return Err(words.wrong(
                ErrorKind::MissingRequiredArgument,
                "the server must use --stdio: `-- plainly serve DIR --stdio`",
            ));
        }
        if words.name_the_server_too() {
            return Err(words.wrong(
                ErrorKind::ArgumentConflict,
                "the server is a URL, or a command after --, not both",
            ));
        }
        if !self.headers.is_empty() {
            return Err(words.wrong(
                ErrorKind::ArgumentConflict,
                "--header only works with servers reached over HTTP",
            ));
        }
        Ok(Server::Child(std::mem::take(&mut self.command)))
    }
}

fn is_url(word: &str) -> bool {
    let scheme = word.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|it| it.eq_ignore_ascii_case("http") || it.eq_ignore_ascii_case("https"))
}

/// Whether this is plainly as a server over HTTP, which would say nothing where it is listened to.
fn serves_nobody(command: &[OsString]) -> bool {
    let [program, subcommand, rest @ ..] = command else {
        return false;
    };
    let is_plainly = Path::new(program)
        .file_stem()
        .is_some_and(|stem| stem == "plainly");
    let mut options = ["--stdio", "--help", "-h"].into_iter().map(OsString::from);
    is_plainly && subcommand == "serve" && !options.any(|option| rest.contains(&option))
}

/// The words of a command line that have no option's name, in their order.
#[derive(Debug)]
pub(crate) struct Words {
    command: &'static str,
    words: VecDeque<String>,
}

impl Words {
    pub(super) fn new(command: &'static str, words: impl IntoIterator<Item = String>) -> Self {
        Self {
            command,
            words: words.into_iter().collect(),
        }
    }

    /// The next word, which must be there.
    pub(crate) fn take(&mut self, name: &str) -> Result<String, Failure> {
        self.next().ok_or_else(|| {
            let what = match name {
                "TARGET" => "the URL of a server, or else its command, after --",
                "URI" => "`plainly ls` lists those of a server",
                "TOOL" => "`plainly tools` lists those of a server",
                "PROMPT" => "`plainly prompts` lists those of a server",
                "OF" => "name a prompt, or a template of `plainly templates`",
                _ => "--help says more",
            };
            let missing = format!("<{name}> is missing: {what}");
            self.wrong(ErrorKind::MissingRequiredArgument, &missing)
        })
    }

    /// The next word, which is the name of something that takes arguments.
    pub(crate) fn take_name(&mut self, kind: &str) -> Result<String, Failure> {
        let name = self.take(kind)?;
        match name.contains('=') {
            false => Ok(name),
            true => Err(self.wrong(
                ErrorKind::MissingRequiredArgument,
                &format!("<{kind}> comes before its arguments, such as {name}"),
            )),
        }
    }

    /// Whether a URL stands where no URI of a resource can.
    fn name_the_server_too(&self) -> bool {
        const WITHOUT_URI: [&str; 6] = [
            "discover",
            "templates",
            "tools",
            "call",
            "prompts",
            "prompt",
        ];
        WITHOUT_URI.contains(&self.command) && self.words.front().is_some_and(|word| is_url(word))
    }

    /// The URL of a server, which comes first.
    fn url(&mut self) -> Result<Server, Failure> {
        let target = self.take("TARGET")?;
        if is_url(&target) {
            return Ok(Server::Url(target));
        }
        let why = match self.words.iter().find(|word| is_url(word)) {
            Some(url) => format!(
                "the URL of the server comes first: `plainly {} {url} {target}{}`",
                self.command,
                if self.words.len() > 1 { " …" } else { "" },
            ),
            None => {
                let instead = self.instead_of(&target);
                format!("{target:?} is not the URL of a server: {instead}")
            }
        };
        Err(self.wrong(ErrorKind::ValueValidation, &why))
    }

    /// What was meant by the first word, where no other is a URL.
    fn instead_of(&self, target: &str) -> String {
        let command = self.command;
        let (authority, _) = target.split_once('/').unwrap_or((target, ""));
        let has_port = authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if target.contains(char::is_whitespace) {
            format!("to start a server, use `plainly {command} -- {target}`")
        } else if target.starts_with(['.', '/', '~']) {
            format!("to serve a directory, use `-- plainly serve {target} --stdio`")
        } else if target.contains("://") {
            "that begins with http:// or https://, and the URI of a resource comes after it"
                .to_owned()
        } else if has_port || authority.contains('.') || authority == "localhost" {
            format!("did you mean http://{target}?")
        } else {
            "the server comes first, as a URL such as http://127.0.0.1:3333/mcp, or last, as a command after --"
                .to_owned()
        }
    }

    /// The next word, if there is one.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.words.pop_front()
    }

    /// No more words may follow.
    pub(crate) fn end(mut self) -> Result<(), Failure> {
        match self.next() {
            None => Ok(()),
            Some(word) => Err(self.wrong(
                ErrorKind::UnknownArgument,
                &format!("unexpected argument {word:?} found"),
            )),
        }
    }

    /// A mistake that only the words together show, in the form of all others.
    pub(crate) fn wrong(&self, kind: ErrorKind, message: &str) -> Failure {
        let mut args = Args::command();
        args.build();
        let error = match args.find_subcommand_mut(self.command) {
            Some(command) => command.error(kind, message),
            None => args.error(kind, message),
        };
        Failure::Usage(error)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{ClientCommand, Command};
    use super::*;

    fn ls(line: &str) -> Result<(Server, Option<String>), Failure> {
        let args = Args::try_parse_from(line.split(' ')).map_err(Failure::Usage)?;
        let Command::Client(ClientCommand::Ls(mut args)) = args.command else {
            panic!("not ls: {line}");
        };
        let mut words = args.words();
        let server = args.server.server(&mut words)?;
        let uri = words.next();
        words.end()?;
        Ok((server, uri))
    }

    #[test]
    fn a_command_takes_the_place_of_the_target() {
        let url = || Server::Url("http://h/mcp".to_owned());
        let child = || Server::Child(vec!["npx".into(), "server".into(), "--json".into()]);
        let uri = || Some("a:b".to_owned());
        let cases = [
            ("plainly ls http://h/mcp", (url(), None)),
            ("plainly ls http://h/mcp a:b", (url(), uri())),
            (
                "plainly ls --json a:b -- npx server --json",
                (child(), uri()),
            ),
            ("plainly ls -- npx server --json", (child(), None)),
        ];
        for (line, expected) in cases {
            assert_eq!(ls(line).unwrap(), expected, "{line}");
        }
    }

    #[test]
    fn words_that_have_no_place_are_refused() {
        for line in [
            "plainly ls",
            "plainly ls http://h/mcp a:b c:d",
            "plainly ls a:b c:d -- npx server",
            "plainly ls --header a:b -- npx server",
        ] {
            assert!(matches!(ls(line), Err(Failure::Usage(_))), "{line}");
        }
    }
}
