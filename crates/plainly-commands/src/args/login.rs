//! `plainly login`, `logout` and `logins`.

use clap::error::ErrorKind;

use super::account::LoginStoreArgs;
use super::{Server, ServerArgs, Words};
use crate::failure::Failure;
use crate::format::Format;

/// Log in to a server, in your browser
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly login [OPTIONS] <TARGET>",
    after_help = "\
Examples:
  plainly login https://mcp.example.com/mcp
  plainly login https://mcp.example.com/mcp --no-browser    from a machine without a browser: prints the page to visit
  plainly login https://mcp.example.com/mcp --device        the same with a code to enter, if the server can do that
  plainly login https://mcp.example.com/mcp --scope mcp:read --client-id my-client

The server names its authorization server. Your browser opens its page, which asks you whether \
plainly may use the server in your name, and returns to this machine. From then on every command \
uses the login, and renews it; `plainly logins` lists the stored logins, `plainly logout` ends \
one. On a terminal, a command that needs a login starts one by itself.

Scripts and services log in without a browser: with --client-id and --client-secret or \
--client-key, or with --workload-token, every command gets its own token. The options are also \
read from PLAINLY_CLIENT_ID, PLAINLY_CLIENT_SECRET, PLAINLY_CLIENT_KEY, PLAINLY_WORKLOAD_TOKEN, \
PLAINLY_ISSUER and PLAINLY_SCOPE, if none of them is given; PLAINLY_ISSUER is then required."
)]
pub(crate) struct LoginArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,

    /// Show a code to enter on another device, instead of opening a browser here
    #[arg(long)]
    pub(crate) device: bool,

    /// Print the page to visit instead of opening it, and read the address at which the browser
    /// ends. The browser may be on another machine
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// The port of this machine to which the browser returns, if the client is registered for one [default: any]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) callback_port: Option<u16>,

    /// Log in and register again, even if there is a login
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Two ways to log in.
const WAYS: [(&str, &str); 2] = [
    ("--device", "--no-browser"),
    ("--device", "--callback-port"),
];

/// Options of other commands that can't be used for a login, and the reason.
const ELSEWHERE: [(&str, &str); 4] = [
    ("--bearer", "a token needs no login"),
    ("--client-key", "a client with a key needs no login"),
    ("--workload-token", "a workload needs no login"),
    ("--no-login", "that says not to"),
];

impl LoginArgs {
    /// The server to log in to.
    pub(crate) fn server(&mut self) -> Result<Server, Failure> {
        let words = Words::new("login", self.target.take());
        let given = |option: &str| match option {
            "--device" => self.device,
            "--no-browser" => self.no_browser,
            "--callback-port" => self.callback_port.is_some(),
            "--bearer" => self.server.bearer.is_some(),
            "--no-login" => self.server.account.no_login,
            option => self.server.account.given().any(|it| it == option),
        };
        let two = WAYS.iter().find(|(one, other)| given(one) && given(other));
        let two = two.map(|(one, other)| {
            format!("{one} and {other} are two ways to log in: leave out one of the two")
        });
        let other = ELSEWHERE.iter().find(|(option, _)| given(option));
        let other = other.map(|(option, why)| format!("`plainly login` with {option}: {why}"));
        match two.or(other) {
            Some(why) => Err(words.wrong(ErrorKind::ArgumentConflict, &why)),
            None => over_http(&mut self.server, words),
        }
    }
}

/// End a login to a server: revoke and delete its tokens
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly logout [OPTIONS] <TARGET>\n       plainly logout --all",
    after_help = "\
Examples:
  plainly logout https://mcp.example.com/mcp
  plainly logout --all                          also deletes the client ids that plainly registered"
)]
pub(crate) struct LogoutArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,

    /// End all logins
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl LogoutArgs {
    /// The server to log out of; `None` for all.
    pub(crate) fn server(&mut self) -> Result<Option<Server>, Failure> {
        let words = Words::new("logout", self.target.take());
        if !self.all {
            return over_http(&mut self.server, words).map(Some);
        }
        words.end()?;
        Ok(None)
    }
}

fn over_http(args: &mut ServerArgs, mut words: Words) -> Result<Server, Failure> {
    if args.has_command() {
        let why = "logins are for servers over HTTP: use the URL, or the name of one";
        return Err(words.wrong(ErrorKind::ArgumentConflict, why));
    }
    let server = args.server(&mut words)?;
    words.end()?;
    Ok(server)
}

/// List the stored logins
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly logins
  plainly logins --json | jq -r .server

The fields are the server, the authorization server, the account if that server returned it, the \
scopes, and the token's expiry. A token that can be renewed is renewed when it is used. No token \
is shown.")]
pub(crate) struct LoginsArgs {
    /// Print JSON, one object per login
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(crate) kept: LoginStoreArgs,
}

impl LoginsArgs {
    /// The format of logins and errors.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}
