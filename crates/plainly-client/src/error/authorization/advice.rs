//! The advice for an error of authorization.

use std::borrow::Cow;

use super::words::{Address, Scopes, Theirs};
use super::{AuthError, IssuerPlace, OWN};

/// The advice if the other side is at fault, or an attacker.
const ATTACK: &str =
    "do not log in there: it is set up wrongly, or somebody attacks you; tell whoever runs it";

/// The advice if only the other side can repair it.
const OTHER_SCOPES: &str = "ask for other scopes";
const TELL: &str = "tell whoever runs it: it is set up wrongly";

impl AuthError {
    /// The advice, in a sentence without its capital letter and its full stop. Commands and options
    /// are those of the program `plainly`; the same settings exist in a client too.
    pub fn advice(&self) -> Cow<'static, str> {
        if self.is_retryable() {
            return "try again later".into();
        }
        match self {
            Self::LoginRequired {
                server,
                has_login: true,
                ..
            } => log_in_for_more(server),
            Self::LoginRequired { server, .. } => log_in(server),
            Self::NoAuthorizationServer { .. } => {
                "ask whoever runs the server for a token, and give it to this client".into()
            }
            Self::NoClientId {
                issuer,
                redirect_uri,
                scopes,
            } => by_hand(issuer, Some(redirect_uri), scopes),
            Self::RegistrationRefused { issuer, .. } => by_hand(issuer, None, &[]),
            Self::IssuerMismatch {
                expected,
                got,
                at: IssuerPlace::Metadata,
            } if is_a_slash(expected, got) => SLASH.into(),
            Self::ResourceMismatch { .. }
            | Self::IssuerMismatch { .. }
            | Self::IssuerMissing { .. }
            | Self::Fenced { .. } => ATTACK.into(),
            Self::PkceUnsupported { .. } => PKCE.into(),
            Self::Denied { error, .. } if error == "invalid_scope" => OTHER_SCOPES.into(),
            Self::Denied { .. } => {
                "log in again and agree, or ask whoever runs it to let you in".into()
            }
            Self::Callback { .. } => "log in again".into(),
            Self::ConsentTimedOut { .. } => "log in again, and finish that in the browser".into(),
            Self::ConsentFailed { .. } => {
                "log in with `plainly login --no-browser`, which shows where to go".into()
            }
            Self::TokenRefused { error, .. } => token_refused(error.as_deref()).into(),
            Self::TokenUnusable { from, .. } if from == OWN => {
                "give the token as it was given to you, alone and whole".into()
            }
            Self::DpopDowngraded { .. } => {
                "tell whoever runs it, or log in without `--dpop`".into()
            }
            Self::ScopeRefused { .. } => "ask whoever runs the server for these rights".into(),
            Self::Plaintext { .. } => ENCRYPT.into(),
            Self::ClientOfAnotherIssuer { got, .. } => another_id(got),
            Self::Store { .. } => "do what it says, and try again".into(),
            Self::Key { .. } => "check the file with the key, and which algorithm it is for".into(),
            Self::Assertion { .. } => "check where this program gets its tokens from".into(),
            Self::Metadata { .. }
            | Self::Unreachable { .. }
            | Self::RevocationRefused { .. }
            | Self::TokenUnusable { .. }
            | Self::StillUnauthorized { .. } => TELL.into(),
        }
    }
}

/// The advice if two URLs differ by nothing else.
const SLASH: &str = "they differ by a slash alone: `--tolerate issuer-slash` allows that";

/// The advice if the metadata lack PKCE.
const PKCE: &str =
    "whoever runs it has to add `\"code_challenge_methods_supported\": [\"S256\"]` to its metadata";

/// The advice if a connection is not encrypted.
const ENCRYPT: &str = "use a URL that begins with https; where nobody else is on the way, `--allow-plaintext-token` allows it";

fn log_in(server: &str) -> Cow<'static, str> {
    let server = Address(server);
    format!("log in with `plainly login {server}`, or give a token").into()
}

fn log_in_for_more(server: &str) -> Cow<'static, str> {
    let server = Address(server);
    format!(
        "log in with `plainly login {server}` and a `--scope` for each of these, or give a token"
    )
    .into()
}

fn another_id(issuer: &str) -> Cow<'static, str> {
    let issuer = Theirs(issuer);
    format!("give an id that {issuer} has given, if that is where you want to log in").into()
}

fn by_hand(issuer: &str, redirect_uri: Option<&str>, scopes: &[String]) -> Cow<'static, str> {
    let redirect = redirect_uri.map(|uri| format!(" with the redirect URI {}", Theirs(uri)));
    format!(
        "register a native application at {}{}{}, and give its id with `--client-id`",
        Address(issuer),
        redirect.unwrap_or_default(),
        Scopes(" and the scope", scopes),
    )
    .into()
}

fn token_refused(error: Option<&str>) -> &'static str {
    match error {
        Some("invalid_client" | "unauthorized_client") => {
            "check the id and the secret of this client"
        }
        Some("invalid_scope") => OTHER_SCOPES,
        Some("unsupported_grant_type") => {
            "be let in another way: it gives no tokens for this kind of grant"
        }
        _ => "log in again",
    }
}

/// Whether two URLs are the same but for a slash at the end.
fn is_a_slash(one: &str, other: &str) -> bool {
    let without = |url: &str| url.strip_suffix('/').unwrap_or(url).to_owned();
    one != other && without(one) == without(other)
}
