//! Which server a command talks to: a URL as its first word, or a command after `--`, which leaves all words to the rest.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clap::error::ErrorKind;
use plainly::client::Client;
use plainly::errors::Revision;

use super::{AskingArgs, TraceArgs, Words, values};
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

    #[command(flatten)]
    pub(crate) trace: TraceArgs,

    #[command(flatten)]
    pub(crate) asking: AskingArgs,

    /// Whether what a task asks is answered later, by another command.
    #[arg(skip)]
    pub(crate) answers_later: bool,

    /// A server to start, with its arguments, instead of TARGET
    #[arg(last = true)]
    command: Vec<OsString>,

    #[arg(skip)]
    session: Option<Session>,
}

/// The shell in which a command is typed.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) format: Format,
    /// What can be typed, for messages about mistakes.
    pub(crate) commands: fn() -> clap::Command,
}

/// Where the server is.
#[derive(Clone, Debug)]
pub(crate) enum Server {
    Url(String),
    Child(Vec<OsString>),
    /// At the other end of a connection that stays open afterwards.
    Open(Client),
}

impl Server {
    /// What people know it by before it says its name.
    pub(crate) fn label(&self) -> String {
        match self {
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

impl ServerArgs {
    /// How results and errors are printed.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }

    /// Whether a server is to be started.
    pub(crate) fn has_command(&self) -> bool {
        !self.command.is_empty()
    }

    /// Makes this a command of a shell: it talks to the shell's server, and prints as the shell does unless it has --json.
    pub(crate) fn within(&mut self, session: Session) {
        self.json |= session.format == Format::Json;
        self.session = Some(session);
    }

    /// Where the server is; takes the first of the `words` unless a command was given, or a connection is open.
    pub(crate) fn server(&mut self, words: &mut Words) -> Result<Server, Failure> {
        self.asking.check(words)?;
        if let Some(session) = self.session.take() {
            words.belong_to(session.commands);
            let is_another = !self.command.is_empty() || !self.headers.is_empty();
            let is_another = is_another || self.revision.is_some() || self.trace.is_wanted();
            if is_another || self.asking.is_given() {
                return Err(words.wrong(
                    ErrorKind::ArgumentConflict,
                    "the connection is open: --header, --revision, --trace, --record, --answer and the like, and -- COMMAND are for `plainly shell` itself",
                ));
            }
            return Ok(Server::Open(session.client));
        }
        if self.command.is_empty() {
            return words.url().map(Server::Url);
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

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Args, ClientCommand, Command};
    use super::*;

    fn ls(line: &str) -> Result<(String, Option<String>), Failure> {
        let args = Args::try_parse_from(line.split(' ')).map_err(Failure::Usage)?;
        let Command::Client(ClientCommand::Ls(mut args)) = args.command else {
            panic!("not ls: {line}");
        };
        let mut words = args.words();
        let server = match args.server.server(&mut words)? {
            Server::Url(url) => url,
            Server::Child(command) => command.join(" ".as_ref()).into_string().unwrap(),
            Server::Open(_) => panic!("nothing is open: {line}"),
        };
        let uri = words.next();
        words.end()?;
        Ok((server, uri))
    }

    #[test]
    fn a_command_takes_the_place_of_the_target() {
        let url = || "http://h/mcp".to_owned();
        let child = || "npx server --json".to_owned();
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
