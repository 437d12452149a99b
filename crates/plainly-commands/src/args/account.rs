//! Options for the authentication of a command at a server over HTTP.

use std::path::PathBuf;

use clap::ValueEnum;

use super::auth::{SecretPlace, SecretPlaceParser};
use super::values::{self, Scopes};

/// The options for authentication.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Authentication, over HTTP")]
pub(crate) struct AccountArgs {
    /// Use this client id at the authorization server, or the document at this URL that describes the client [default: register,
    /// and store the id]
    #[arg(long, value_name = "ID|URL")]
    pub(crate) client_id: Option<String>,

    /// Authenticate as this client, without a user; its secret is in @FILE or in the variable env:NAME
    #[arg(long, value_name = "@FILE|env:NAME", value_parser = SecretPlaceParser)]
    pub(crate) client_secret: Option<SecretPlace>,

    /// Authenticate as this client, without a user; its private key is in this file, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) client_key: Option<PathBuf>,

    /// Authenticate as a workload with this token, a JWT of the platform; the file is read again for each token
    #[arg(long, value_name = "FILE")]
    pub(crate) workload_token: Option<PathBuf>,

    /// The authorization server of the client; nothing is sent to another one [default: the first that the server names]
    #[arg(long, value_name = "URL")]
    pub(crate) issuer: Option<String>,

    /// Request this scope instead of those that the server names; can be given several times, or with several scopes separated
    /// by spaces
    #[arg(long = "scope", value_name = "SCOPE", value_parser = values::scopes)]
    pub(crate) scopes: Vec<Scopes>,

    /// Request a token that only this program can use, bound to a key (DPoP) [default: if both servers support that]
    #[arg(long)]
    pub(crate) dpop: bool,

    /// Accept this mistake of a server
    #[arg(long, value_name = "WHAT")]
    pub(crate) tolerate: Vec<Tolerance>,

    /// Never ask the user to log in: if the server requires a login, the command ends with status 7
    #[arg(long)]
    pub(crate) no_login: bool,

    #[command(flatten)]
    pub(crate) kept: LoginStoreArgs,
}

/// The option for the place where logins are stored.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct LoginStoreArgs {
    /// Store and look for logins there [default: PLAINLY_LOGINS_IN, or else the keychain on macOS and Windows, and a
    /// file elsewhere]
    #[arg(long, value_name = "PLACE")]
    pub(crate) logins_in: Option<LoginsPlace>,
}

/// The place where logins are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoginsPlace {
    /// In a file that only you can read
    File,
    /// In a file that only you can read, encrypted with a key in the system's keychain
    Keychain,
}

/// Mistakes of servers that are only accepted on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tolerance {
    /// The name of the authorization server has a slash at its end in one place, and none in another
    IssuerSlash,
}

/// Pairs of options that contradict each other, and the reason.
const CONTRARY: [(&str, &str, &str); 10] = [
    ("--client-secret", "--client-key", PROOFS),
    ("--client-secret", "--workload-token", PROOFS),
    ("--client-key", "--workload-token", PROOFS),
    ("--bearer", "--client-id", TOKEN),
    ("--bearer", "--client-secret", TOKEN),
    ("--bearer", "--client-key", TOKEN),
    ("--bearer", "--workload-token", TOKEN),
    ("--bearer", "--scope", TOKEN),
    ("--bearer", "--dpop", TOKEN),
    ("--bearer", "--tolerate", TOKEN),
];
const PROOFS: &str = "are two ways to authenticate the client";
const TOKEN: &str = "contradict each other: with a token, no login is needed";

/// Options, each with the option that it requires.
const NEEDED: [(&str, &str); 2] = [
    ("--client-secret", "--client-id"),
    ("--client-key", "--client-id"),
];

impl AccountArgs {
    /// The options that were given, except `--no-login`, which fits every server.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("--client-id", self.client_id.is_some()),
            ("--client-secret", self.client_secret.is_some()),
            ("--client-key", self.client_key.is_some()),
            ("--workload-token", self.workload_token.is_some()),
            ("--issuer", self.issuer.is_some()),
            ("--scope", !self.scopes.is_empty()),
            ("--dpop", self.dpop),
            ("--tolerate", !self.tolerate.is_empty()),
        ];
        all.into_iter()
            .filter(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
    }

    /// Whether the options name a client.
    pub(crate) fn has_client(&self) -> bool {
        self.client_id.is_some() || self.workload_token.is_some()
    }

    /// The mistake in these options, including `--bearer` if it `is_given`.
    pub(crate) fn mistake(&self, is_given: bool) -> Option<String> {
        let given: Vec<_> = self.given().chain(is_given.then_some("--bearer")).collect();
        let has = |name: &str| given.contains(&name);
        let contrary = CONTRARY
            .iter()
            .find(|(one, other, _)| has(one) && has(other));
        if let Some((one, other, why)) = contrary {
            return Some(format!("{one} and {other} {why}: leave out one of the two"));
        }
        let needed = NEEDED.iter().find(|(one, other)| has(one) && !has(other));
        if let Some((one, other)) = needed {
            return Some(format!("{one} needs {other}, which names the client"));
        }
        if has("--issuer") && !self.has_client() {
            return Some("--issuer needs --client-id, which names the client".to_owned());
        }
        let is_document = self.client_id.as_deref().is_some_and(is_document);
        let proof = ["--client-secret", "--client-key", "--workload-token"]
            .into_iter()
            .find(|proof| is_document && has(proof));
        proof.map(|proof| {
            format!("--client-id with a URL is for a client without a secret: leave out {proof}, or use the id of a client")
        })
    }
}

/// Whether a client's id is the URL of a document that describes the client.
pub(crate) fn is_document(id: &str) -> bool {
    id.starts_with("https://") || id.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Args, ClientCommand, Command};
    use crate::failure::Failure;

    fn mistake(options: &str) -> Option<String> {
        let line = format!("plainly ls http://h/mcp {options}");
        let args = Args::try_parse_from(line.split_whitespace()).unwrap();
        let Command::Client(ClientCommand::Ls(mut args)) = args.command else {
            panic!("not ls: {line}");
        };
        let mut words = args.words();
        match args.server.server(&mut words) {
            Ok(_) => None,
            Err(Failure::Usage(error)) => Some(error.to_string()),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_contradicts_itself_names_the_two() {
        for (options, named) in [
            ("", &[][..]),
            ("--client-id a", &[]),
            ("--client-id a --client-secret @f --issuer https://i", &[]),
            ("--client-id a --client-key f --dpop", &[]),
            ("--workload-token f", &[]),
            ("--workload-token f --client-id a --scope b", &[]),
            ("--client-id https://a/b", &[]),
            (
                "--client-id a --client-secret @f --client-key f",
                &["--client-secret and --client-key"],
            ),
            (
                "--client-id a --client-secret env:A --workload-token f",
                &["--client-secret and --workload-token"],
            ),
            (
                "--client-id a --client-key f --workload-token f",
                &["--client-key and --workload-token"],
            ),
            ("--bearer @f --client-id a", &["--bearer and --client-id"]),
            ("--bearer @f --scope a", &["--bearer and --scope"]),
            ("--bearer @f --dpop", &["--bearer and --dpop"]),
            ("--client-secret @f", &["--client-secret", "--client-id"]),
            ("--client-key f", &["--client-key", "--client-id"]),
            ("--issuer https://i", &["--issuer", "--client-id"]),
            (
                "--client-id https://a/b --client-key f",
                &["--client-id", "--client-key"],
            ),
        ] {
            let told = mistake(options);
            assert_eq!(told.is_some(), !named.is_empty(), "{options}: {told:?}");
            let told = told.unwrap_or_default();
            assert!(named.iter().all(|name| told.contains(name)), "{told}");
        }
    }
}
