//! The identity of a command at an authorization server: from the command's options, or else from
//! the environment.

use std::fs;
use std::future::ready;
use std::io;
use std::path::{Path, PathBuf};

use plainly::client::oauth::{ClientId, OAuth, Secret, SigningKey};

use super::secret::{readable, secret};
use crate::args::{AccountArgs, Scopes, SecretPlace, is_document};
use crate::failure::Failure;

/// The environment variables that replace options, each with its option.
const VARIABLES: [(&str, &str); 6] = [
    ("--client-id", "PLAINLY_CLIENT_ID"),
    ("--client-secret", "PLAINLY_CLIENT_SECRET"),
    ("--client-key", "PLAINLY_CLIENT_KEY"),
    ("--workload-token", "PLAINLY_WORKLOAD_TOKEN"),
    ("--issuer", "PLAINLY_ISSUER"),
    ("--scope", "PLAINLY_SCOPE"),
];

/// The client identity of a command, and the scopes that it requests.
#[derive(Debug)]
pub(super) struct Identity {
    who: Who,
    /// The requested scopes; empty if none are given.
    pub(super) scopes: Vec<String>,
}

/// The client identity of a command.
#[derive(Debug)]
enum Who {
    /// No configured client: the command registers one where it has to.
    Anybody,
    /// The metadata document at this URL.
    Document(String),
    /// A client for the login of a user.
    Client(ClientId),
    /// A client that authenticates itself.
    Itself(ClientId),
    /// The workload of a platform, whose token is in a file.
    Workload(ClientId, PathBuf),
}

impl Identity {
    /// The identity of a command that needs a server.
    pub(super) fn of_command(args: &AccountArgs) -> Result<Self, Failure> {
        Self::of(args, false)
    }

    /// The identity of a login.
    pub(super) fn of_login(args: &AccountArgs) -> Result<Self, Failure> {
        Self::of(args, true)
    }

    fn of(args: &AccountArgs, is_login: bool) -> Result<Self, Failure> {
        let of_environment = match args.has_client() {
            true => None,
            false => of_environment(|name| std::env::var(name).ok())?,
        };
        let client = of_environment.as_ref().unwrap_or(args);
        let scopes = match args.scopes.is_empty() {
            true => Scopes::all(&client.scopes),
            false => Scopes::all(&args.scopes),
        };
        let who = Who::of(client, is_login)?;
        Ok(Self { who, scopes })
    }

    /// The source of the identity's tokens.
    pub(super) fn oauth(&self) -> OAuth {
        match &self.who {
            Who::Anybody => OAuth::new(),
            Who::Document(url) => OAuth::new().client_document(url),
            Who::Client(client) => OAuth::new().client(client.clone()),
            Who::Itself(client) => OAuth::client_credentials(client.clone()),
            Who::Workload(client, path) => {
                let path = path.clone();
                OAuth::workload(client.clone(), move || ready(assertion(&path)))
            }
        }
    }

    /// Whether it authenticates a user.
    pub(super) fn is_for_people(&self) -> bool {
        matches!(self.who, Who::Anybody | Who::Document(_) | Who::Client(_))
    }
}

impl Who {
    fn of(args: &AccountArgs, is_login: bool) -> Result<Self, Failure> {
        let id = args.client_id.clone().unwrap_or_default();
        if is_document(&id) {
            return Ok(Self::Document(id));
        }
        let client = ClientId::new(&id);
        let client = match &args.issuer {
            Some(issuer) => client.issuer(issuer),
            None => client,
        };
        if let Some(place) = &args.client_secret {
            let client = client.secret(secret(place)?);
            return Ok(match is_login {
                true => Self::Client(client),
                false => Self::Itself(client),
            });
        }
        if let Some(path) = &args.client_key {
            return Ok(Self::Itself(client.key(key(path)?)));
        }
        Ok(match &args.workload_token {
            Some(path) => Self::Workload(client, path.clone()),
            None if id.is_empty() => Self::Anybody,
            None => Self::Client(client),
        })
    }
}

/// The options from the environment; `None` if it names no client.
fn of_environment(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<AccountArgs>, Failure> {
    let value = |option: &str| {
        let name = VARIABLES.iter().find(|(it, _)| *it == option)?.1;
        variable(name).filter(|value| !value.is_empty())
    };
    let scopes = value("--scope").unwrap_or_default();
    let scopes: Vec<_> = scopes.split_whitespace().map(str::to_owned).collect();
    let args = AccountArgs {
        client_id: value("--client-id"),
        client_secret: value("--client-secret")
            .map(|_| SecretPlace::Variable("PLAINLY_CLIENT_SECRET".to_owned())),
        client_key: value("--client-key").map(Into::into),
        workload_token: value("--workload-token").map(Into::into),
        issuer: value("--issuer"),
        scopes: scopes.into_iter().map(|it| Scopes(vec![it])).collect(),
        ..AccountArgs::default()
    };
    let proof = ["--client-secret", "--client-key", "--workload-token"]
        .into_iter()
        .find(|proof| args.given().any(|it| it == *proof));
    // Without an issuer, any server could choose who receives this secret.
    let is_for_all = proof
        .filter(|_| args.issuer.is_none())
        .map(|proof| format!("{proof} needs --issuer: the authorization server that it is for"));
    if let Some(why) = args.mistake(false).or(is_for_all) {
        let in_variables =
            |why: String, (option, variable): &(&str, &str)| why.replace(option, variable);
        let why = VARIABLES.iter().fold(why, in_variables);
        return Err(Failure::impossible(why, None));
    }
    Ok(args.has_client().then_some(args))
}

fn key(path: &Path) -> Result<SigningKey, Failure> {
    let pem = readable(path, fs::read_to_string(path))?;
    SigningKey::from_pkcs8_pem(&pem, None).map_err(|error| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        Failure::impossible(format!("cannot use the key in {}", path.display()), error)
    })
}

/// The platform's current token.
fn assertion(path: &Path) -> io::Result<Secret> {
    let path_shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        io::Error::new(error.kind(), format!("cannot read {path_shown}: {error}"))
    })?;
    match text.trim() {
        "" => Err(io::Error::other(format!("{path_shown} is empty"))),
        text => Ok(Secret::new(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_a_client_for_one_authorization_server() {
        type Variables = &'static [(&'static str, &'static str)];
        let cases: [(Variables, Result<bool, &str>); 7] = [
            (&[], Ok(false)),
            (&[("SCOPE", "a b")], Ok(false)),
            (&[("CLIENT_ID", "a")], Ok(true)),
            (
                &[("CLIENT_ID", "a"), ("CLIENT_SECRET", "s3cret")],
                Err(
                    "PLAINLY_CLIENT_SECRET needs PLAINLY_ISSUER: the authorization server that it \
                     is for",
                ),
            ),
            (
                &[
                    ("CLIENT_ID", "a"),
                    ("CLIENT_SECRET", "s3cret"),
                    ("ISSUER", "https://i"),
                ],
                Ok(true),
            ),
            (
                &[
                    ("CLIENT_ID", "a"),
                    ("CLIENT_SECRET", "s3cret"),
                    ("CLIENT_KEY", "f"),
                ],
                Err("PLAINLY_CLIENT_SECRET and PLAINLY_CLIENT_KEY"),
            ),
            (
                &[("CLIENT_SECRET", "s3cret")],
                Err("needs PLAINLY_CLIENT_ID"),
            ),
        ];
        for (variables, expected) in cases {
            let read = of_environment(|name| {
                let name = name.strip_prefix("PLAINLY_").unwrap();
                let found = variables.iter().find(|(it, _)| *it == name);
                found.map(|(_, value)| (*value).to_owned())
            });
            match (read, expected) {
                (Ok(args), Ok(is_some)) => assert_eq!(args.is_some(), is_some, "{variables:?}"),
                (Err(failure), Err(told)) => {
                    let text = format!("{failure:?}");
                    assert!(text.contains(told), "{text}");
                    assert!(!text.contains("s3cret"), "{text}");
                }
                (read, _) => panic!("{variables:?}: {read:?}"),
            }
        }
    }
}
