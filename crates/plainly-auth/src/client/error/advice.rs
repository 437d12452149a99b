//! The advice for an error of a login.

use std::borrow::Cow;

use super::words::{quoted, scope_list, shown_url};
use super::{IssuerPlace, OAuthError};

/// The advice if the server is misconfigured, or an attacker.
const ATTACK: &str = "do not log in there: the server is misconfigured, or this is an attack; report it to its operator";

/// The advice if only the operator can fix the failure.
const REPORT: &str = "report it to its operator: it is misconfigured";

const OTHER_SCOPES: &str = "request other scopes";

const SLASH: &str = "they differ only by a slash: `--tolerate issuer-slash` allows that";

const PKCE: &str =
    "ask its operator to add `\"code_challenge_methods_supported\": [\"S256\"]` to its metadata";

impl OAuthError {
    /// The advice for an error that a retry does not fix, in a sentence without its capital letter
    /// and its full stop. Commands and options are those of the program `plainly`; a client has the
    /// same settings.
    pub(super) fn remedy(&self) -> Cow<'static, str> {
        let fixed = match self {
            Self::LoginRequired {
                server, has_login, ..
            } => {
                let more = if *has_login {
                    " and a `--scope` for each of these"
                } else {
                    ""
                };
                let server = shown_url(server);
                return format!("log in with `plainly login {server}`{more}, or give a token")
                    .into();
            }
            Self::NoClientId {
                issuer,
                redirect_uri,
                scopes,
            } => return register(issuer, redirect_uri, scopes),
            Self::RegistrationRefused { issuer, .. } => return register(issuer, "", &[]),
            Self::ClientOfAnotherIssuer { got, .. } => {
                let issuer = quoted(got);
                return format!("to log in there, give a client id that {issuer} issued").into();
            }
            Self::NoAuthorizationServer { .. } => {
                "ask the server's operator for a token, and give it to this client"
            }
            Self::IssuerMismatch {
                expected,
                got,
                at: IssuerPlace::Metadata,
            } if differ_by_slash(expected, got) => SLASH,
            Self::ResourceMismatch { .. }
            | Self::IssuerMismatch { .. }
            | Self::IssuerMissing { .. }
            | Self::Fenced { .. } => ATTACK,
            Self::PkceUnsupported { .. } => PKCE,
            Self::Denied { error, .. } if error == "invalid_scope" => OTHER_SCOPES,
            Self::Denied { .. } => "log in again and agree, or ask its operator for access",
            Self::ConsentTimedOut { .. } => "log in again, and finish the login in the browser",
            Self::ConsentFailed { .. } => {
                "log in with `plainly login --no-browser`, which prints the URL of the page"
            }
            Self::TokenRefused { error, .. } => token_refused(error.as_deref()),
            Self::Callback { .. } => "log in again",
            Self::DpopDowngraded { .. } => "report it to its operator, or log in without `--dpop`",
            Self::ScopeRefused { .. } => "ask the server's operator for these scopes",
            Self::Store { .. } => "follow the instructions in the message, then try again",
            Self::Key { .. } => "check the file with the key, and its algorithm",
            Self::Assertion { .. } => "check the program's source of assertions",
            Self::Metadata { .. }
            | Self::Unreachable { .. }
            | Self::RevocationRefused { .. }
            | Self::TokenUnusable { .. }
            | Self::StillUnauthorized { .. } => REPORT,
        };
        fixed.into()
    }
}

fn token_refused(code: Option<&str>) -> &'static str {
    match code {
        Some("invalid_client" | "unauthorized_client") => {
            "check the id and the secret of this client"
        }
        Some("invalid_scope") => OTHER_SCOPES,
        Some("unsupported_grant_type") => {
            "authenticate in another way: this kind of grant is not supported there"
        }
        _ => "log in again",
    }
}

fn register(issuer: &str, redirect_uri: &str, needed: &[String]) -> Cow<'static, str> {
    let redirect = match redirect_uri {
        "" => String::new(),
        uri => format!(" with the redirect URI {}", quoted(uri)),
    };
    let scopes = scope_list(" and the scope", needed);
    let issuer = shown_url(issuer);
    format!(
        "register a native application at {issuer}{redirect}{scopes}, and give its id with \
         `--client-id`"
    )
    .into()
}

/// Whether a slash at the end is the only difference between two URLs.
fn differ_by_slash(one: &str, other: &str) -> bool {
    let trimmed = |url: &str| url.strip_suffix('/').unwrap_or(url).to_owned();
    one != other && trimmed(one) == trimmed(other)
}
