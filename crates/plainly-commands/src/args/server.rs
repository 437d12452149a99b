//! The server of a command: a URL or a name in the first word, or a command after `--`, in which
//! case all words belong to the command itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::ErrorKind;
use plainly::client::Client;
use plainly::errors::Revision;

use super::values::{self, HeaderArg};
use super::{AccountArgs, AskingArgs, BearerArg, Server, TraceArgs, Words};
use crate::failure::Failure;
use crate::format::Format;

/// The mistake of giving both a token and a header for one.
pub(crate) const TWO_TOKENS: &str =
    "--bearer is sent in the header Authorization: leave out one of the two";

/// The options of all commands that talk to a server.
#[derive(Debug, clap::Args)]
pub(crate) struct ServerArgs {
    /// Print JSON: MCP objects, and errors on standard error as {"error": {"from": "peer" | "local", …}}
    #[arg(long)]
    json: bool,

    /// Print JSON as with --json, but indented and over several lines
    #[arg(long)]
    pretty: bool,

    /// Print to standard error how long connecting and the work took
    #[arg(long)]
    pub(crate) time: bool,

    /// The time to wait for each reply [default: 60, and 30 for connecting]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,

    /// Send this header with every HTTP request; ${NAME} in it is a variable of the environment, and @FILE is a file with a
    /// header in each line; can be given several times
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = values::Header)]
    pub(crate) headers: Vec<HeaderArg>,

    /// Send this token with every HTTP request: @FILE has it, or the variable env:NAME, or the first line of standard input (@-);
    /// TOKEN itself is visible to all users of this machine
    #[arg(long, value_name = "@FILE|env:NAME|TOKEN")]
    pub(crate) bearer: Option<BearerArg>,

    /// Send a token unencrypted to other machines too
    #[arg(long)]
    pub(crate) allow_plaintext_token: bool,

    /// Over HTTPS, also trust the certificates in this file, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,

    /// Set this variable for the server that is started; can be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::variable)]
    pub(crate) env: Vec<(String, String)>,

    /// Start the server in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Look for a server's name in this file, and in no other
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Use this protocol revision and no other [default: the newest that both sides support]
    #[arg(long, value_parser = values::revision())]
    pub(crate) revision: Option<Revision>,

    #[command(flatten)]
    pub(crate) account: AccountArgs,

    #[command(flatten)]
    pub(crate) trace: TraceArgs,

    #[command(flatten)]
    pub(crate) asking: AskingArgs,

    /// A server to start, with its arguments, instead of TARGET
    #[arg(last = true)]
    command: Vec<OsString>,

    #[arg(skip)]
    session: Option<Session>,
}

/// The shell in which a command was typed.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) format: Format,
    /// The shell's commands, for messages about mistakes.
    pub(crate) commands: fn() -> clap::Command,
}

impl ServerArgs {
    /// The format of results and errors.
    pub(crate) fn format(&self) -> Format {
        match self.pretty {
            true => Format::Indented,
            false => Format::json_if(self.json),
        }
    }

    /// The options for reaching a server, without those of a single command.
    pub(crate) const REACHING: [&str; 17] = [
        "headers",
        "bearer",
        "allow_plaintext_token",
        "client_id",
        "client_secret",
        "client_key",
        "workload_token",
        "issuer",
        "scopes",
        "dpop",
        "tolerate",
        "no_login",
        "cacert",
        "env",
        "cwd",
        "config",
        "revision",
    ];

    /// Whether a server has to be started.
    pub(crate) fn has_command(&self) -> bool {
        !self.command.is_empty()
    }

    /// Turns this into a command of a shell: it uses the shell's server, and prints like the shell
    /// unless it has `--json`.
    pub(crate) fn within(&mut self, session: Session) {
        self.json |= session.format == Format::Json;
        self.pretty |= session.format == Format::Indented;
        self.session = Some(session);
    }

    /// The server. Consumes the first of `words`, unless there is a command after `--` or an open
    /// connection.
    pub(crate) fn server(&mut self, words: &mut Words) -> Result<Server, Failure> {
        self.asking.check(words)?;
        if let Some(session) = self.session.take() {
            words.belong_to(session.commands);
            return Ok(Server::Open(session.client));
        }
        let server = match self.command.is_empty() {
            true => words.target()?,
            false => self.child(words)?,
        };
        if self.bearer.is_some() && self.headers.iter().any(HeaderArg::is_authorization) {
            return Err(words.wrong(ErrorKind::ArgumentConflict, TWO_TOKENS));
        }
        if let Some(why) = self.account.mistake(self.bearer.is_some()) {
            return Err(words.wrong(ErrorKind::ArgumentConflict, &why));
        }
        let why = match &server {
            Server::Child(_) => self.only_over_http(),
            Server::Url(_) => self.only_for_a_process(),
            Server::Named(_) | Server::Open(_) => None,
        };
        match why {
            Some(why) => Err(words.wrong(ErrorKind::ArgumentConflict, &why)),
            None => Ok(server),
        }
    }

    fn child(&mut self, words: &Words) -> Result<Server, Failure> {
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
        Ok(Server::Child(std::mem::take(&mut self.command)))
    }

    /// The message for an option that only works over HTTP, if one is given.
    pub(crate) fn only_over_http(&self) -> Option<String> {
        let given = [
            ("--header", !self.headers.is_empty()),
            ("--bearer", self.bearer.is_some()),
            ("--allow-plaintext-token", self.allow_plaintext_token),
            ("--cacert", self.cacert.is_some()),
        ];
        let given = given.into_iter().find(|(_, is_given)| *is_given);
        let option = given.map(|(option, _)| option);
        let option = option.or_else(|| self.account.given().next())?;
        Some(format!(
            "{option} only works with servers reached over HTTP"
        ))
    }

    /// The message for an option that only works for a process, if one is given.
    pub(crate) fn only_for_a_process(&self) -> Option<String> {
        let given = [
            ("--env", !self.env.is_empty()),
            ("--cwd", self.cwd.is_some()),
        ];
        let (option, _) = given.into_iter().find(|(_, is_given)| *is_given)?;
        Some(format!("{option} only works with servers that are started"))
    }
}

/// Whether this starts plainly as a server over HTTP, which writes no messages to its standard
/// output.
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
            Server::Named(name) => name.text,
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
            ("plainly ls docs a:b", ("docs".to_owned(), uri())),
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
            "plainly ls --cacert f -- npx server",
            "plainly ls --bearer @f -- npx server",
            "plainly ls --allow-plaintext-token -- npx server",
            "plainly ls http://h/mcp --bearer @f --header authorization:x",
            "plainly ls http://h/mcp --env A=b",
            "plainly ls http://h/mcp --cwd /",
        ] {
            assert!(matches!(ls(line), Err(Failure::Usage(_))), "{line}");
        }
    }
}
