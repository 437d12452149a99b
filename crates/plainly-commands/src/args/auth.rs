//! Options that authorize callers over HTTP, and those of `plainly key`.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::SystemTime;

use clap::builder::{StringValueParser, TypedValueParser};
use clap::error::ErrorKind;

use super::values::{self, Scopes};
use crate::format::Format;

/// The options that authorize callers.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Authorization of callers, over HTTP")]
pub(crate) struct AuthArgs {
    /// The URL that clients use, such as https://docs.example.com/mcp. Tokens must be for exactly
    /// this URL; its host is allowed as with --allow-host
    #[arg(long, value_name = "URL", value_parser = values::endpoint, conflicts_with = "stdio")]
    pub(crate) public_url: Option<String>,

    /// Accept tokens of this authorization server: JWTs, verified with the keys in its metadata
    #[arg(
        long,
        value_name = "ISSUER",
        requires = "public_url",
        conflicts_with = "stdio"
    )]
    pub(crate) auth_issuer: Vec<String>,

    /// Accept tokens that this authorization server confirms: each token is introspected there
    #[arg(
        long,
        value_name = "ISSUER",
        requires = "public_url",
        requires = "auth_client",
        conflicts_with = "stdio"
    )]
    pub(crate) auth_introspect: Option<String>,

    /// The id of this server at the authorization server of --auth-introspect
    #[arg(long, value_name = "ID", requires = "auth_client_secret")]
    pub(crate) auth_client: Option<String>,

    /// The secret of --auth-client: @FILE, or env:NAME for a variable of the environment
    #[arg(long, value_name = "@FILE|env:NAME", value_parser = SecretPlaceParser)]
    pub(crate) auth_client_secret: Option<SecretPlace>,

    /// Accept the keys in this file, made with `plainly key new`. A key that is removed from the
    /// file is rejected at once
    #[arg(long, value_name = "FILE", conflicts_with = "stdio")]
    pub(crate) auth_keys: Option<PathBuf>,

    /// Also accept tokens for this audience: another name that the authorization server has for this server
    #[arg(long, value_name = "AUDIENCE", requires = "public_url")]
    pub(crate) auth_audience: Vec<String>,

    /// Have clients log in as this public client, which is registered at the authorization server
    /// with their redirect URIs: for authorization servers that register no clients (Entra, Okta,
    /// Cognito)
    #[arg(long, value_name = "ID", requires = "public_url")]
    pub(crate) auth_client_id: Option<String>,

    /// The scopes that clients request at the login, if tokens spell them in another way (Entra)
    /// [default: the scopes of --require-scope]
    #[arg(long, value_name = "SCOPE", value_parser = values::scopes, requires = "public_url")]
    pub(crate) auth_scope: Vec<Scopes>,

    /// Require a token with this scope for every request; several scopes are separated by spaces
    #[arg(long, value_name = "SCOPE", value_parser = values::scopes, conflicts_with = "stdio")]
    pub(crate) require_scope: Vec<Scopes>,

    /// With --write, require a token with this scope for changes. Necessary where other machines can reach the server
    #[arg(long, value_name = "SCOPE", value_parser = values::scopes, conflicts_with = "stdio")]
    pub(crate) write_scope: Vec<Scopes>,

    /// Only accept tokens that are bound to a key of their client, each request with a proof of
    /// that key (DPoP) [default: also accept unbound tokens]
    #[arg(long, conflicts_with_all = ["stdio", "auth_keys"])]
    pub(crate) require_dpop: bool,

    /// Require a value of this server in each such proof, so that none can be made in advance.
    /// Servers with the same --key-file accept each other's values
    #[arg(long, conflicts_with = "stdio")]
    pub(crate) dpop_nonces: bool,
}

impl AuthArgs {
    /// Whether callers need a token.
    pub(crate) fn is_on(&self) -> bool {
        self.has_issuer() || self.auth_keys.is_some()
    }

    /// Whether an authorization server issues some of the tokens.
    pub(crate) fn has_issuer(&self) -> bool {
        !self.auth_issuer.is_empty() || self.auth_introspect.is_some()
    }
}

/// The place of a secret. It is never on the command line, which other users can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SecretPlace {
    File(PathBuf),
    Variable(String),
}

/// Parses such a place. No error repeats the text, which may be the secret itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct SecretPlaceParser;

impl TypedValueParser for SecretPlaceParser {
    type Value = SecretPlace;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        if let Some(path) = text.strip_prefix('@').filter(|path| !path.is_empty()) {
            return Ok(SecretPlace::File(path.into()));
        }
        if let Some(name) = text.strip_prefix("env:").filter(|name| !name.is_empty()) {
            return Ok(SecretPlace::Variable(name.to_owned()));
        }
        let option = arg.and_then(clap::Arg::get_long).unwrap_or_default();
        let why =
            format!("--{option} takes @FILE or env:NAME: other users could see the secret itself");
        Err(command.clone().error(ErrorKind::ValueValidation, why))
    }
}

/// Manage the keys of a server that is started with --auth-keys
#[derive(Debug, clap::Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

impl KeyArgs {
    /// The format of keys and errors.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(matches!(&self.action, KeyAction::List(args) if args.json))
    }
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum KeyAction {
    New(NewKeyArgs),
    List(ListKeysArgs),
    Revoke(RevokeKeyArgs),
}

/// Make a key and print it, once: the file only stores its digest
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly key new ci                                    the key is printed, and plainly-keys.json has its digest
  plainly key new ada --scope read --expires 90d        valid for 90 days, with the scope read
  plainly key new build --expires 2027-01-31 --file /etc/plainly/keys.json
  plainly serve ./docs --auth-keys plainly-keys.json

Clients send the key in a header: Authorization: Bearer plk_... `plainly key list` shows all keys of a file, and \
`plainly key revoke ci` revokes one.")]
pub(crate) struct NewKeyArgs {
    /// The name of the key's holder, for the log, sessions and tasks. Each key of a file needs a
    /// name of its own
    #[arg(value_parser = key_name)]
    pub(crate) name: String,

    /// The scopes of the key: one, or several with spaces between them
    #[arg(long, value_name = "SCOPE", value_parser = values::scopes)]
    pub(crate) scope: Vec<Scopes>,

    /// The expiry of the key: 12h, 90d, or a day such as 2027-01-31, at whose beginning (UTC) the
    /// key expires [default: never]
    #[arg(long, value_name = "WHEN", value_parser = values::end)]
    pub(crate) expires: Option<SystemTime>,

    /// The file for the digest; it is created if there is none
    #[arg(long, value_name = "FILE", default_value = "plainly-keys.json")]
    pub(crate) file: PathBuf,
}

/// List the keys of a file: the names of their holders, their scopes and their expiry
#[derive(Debug, clap::Args)]
pub(crate) struct ListKeysArgs {
    /// The file
    #[arg(long, value_name = "FILE", default_value = "plainly-keys.json")]
    pub(crate) file: PathBuf,

    /// Print JSON, one object per key
    #[arg(long)]
    json: bool,
}

/// Revoke the key of this name: a running server rejects it from the next request on
#[derive(Debug, clap::Args)]
pub(crate) struct RevokeKeyArgs {
    /// The name of its holder
    pub(crate) name: String,

    /// The file that has its digest
    #[arg(long, value_name = "FILE", default_value = "plainly-keys.json")]
    pub(crate) file: PathBuf,
}

fn key_name(text: &str) -> Result<String, String> {
    let is_plain =
        !text.is_empty() && text.chars().count() <= 100 && !text.chars().any(char::is_control);
    is_plain
        .then(|| text.to_owned())
        .ok_or_else(|| "use a name of 1 to 100 characters, such as ci".to_owned())
}
