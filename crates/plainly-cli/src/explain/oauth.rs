//! The errors of OAuth, which authorization servers and those who take their tokens send: one table.

use plainly::errors::{Fault, Retry};

use super::Explanation;
use super::link::Link;
use crate::near::bare;

/// An error of OAuth.
#[derive(Debug)]
struct OAuthError {
    code: &'static str,
    /// The documents that define it.
    defined_in: &'static str,
    means: &'static str,
    advice: &'static str,
    fault: Fault,
    retry: Retry,
}

const OAUTH: [OAuthError; 27] = [
    OAuthError {
        code: "invalid_request",
        defined_in: "RFC 6749, 5.2; RFC 6750, 3.1",
        means: "the request for a token or with one is malformed",
        advice: "send the token in one place alone: the header Authorization: Bearer",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "invalid_client",
        defined_in: "RFC 6749, 5.2",
        means: "the authorization server does not know this client",
        advice: "register the client, or correct its id and secret",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "invalid_grant",
        defined_in: "RFC 6749, 5.2",
        means: "the authorization code or the refresh token is used up or expired",
        advice: "let the user sign in again",
        fault: Fault::User,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "unauthorized_client",
        defined_in: "RFC 6749, 5.2",
        means: "this client may not ask for tokens in this way",
        advice: "register the client for this grant",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "unsupported_grant_type",
        defined_in: "RFC 6749, 5.2",
        means: "the authorization server has no such grant",
        advice: "use a grant that its metadata lists",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "invalid_scope",
        defined_in: "RFC 6749, 5.2",
        means: "the scope that was asked for does not exist",
        advice: "ask for the scopes that the server's metadata lists",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "access_denied",
        defined_in: "RFC 6749, 4.1.2.1; RFC 8628, 3.5",
        means: "the user or the authorization server said no",
        advice: "let the user sign in again and agree",
        fault: Fault::User,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "unsupported_response_type",
        defined_in: "RFC 6749, 4.1.2.1",
        means: "the authorization server gives no authorization codes, which every client of MCP asks for",
        advice: "have it set up for the authorization code grant",
        fault: Fault::Server,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "server_error",
        defined_in: "RFC 6749, 4.1.2.1",
        means: "the authorization server has failed",
        advice: "try again later, or tell whoever runs it",
        fault: Fault::Server,
        retry: Retry::AfterDelay,
    },
    OAuthError {
        code: "temporarily_unavailable",
        defined_in: "RFC 6749, 4.1.2.1",
        means: "the authorization server is overloaded or under maintenance",
        advice: "try again later",
        fault: Fault::Server,
        retry: Retry::AfterDelay,
    },
    OAuthError {
        code: "invalid_token",
        defined_in: "RFC 6750, 3.1",
        means: "the token is expired, revoked or of another server",
        advice: "get a new token for this very server, and send that",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "insufficient_scope",
        defined_in: "RFC 6750, 3.1",
        means: "the token does not allow this",
        advice: "get a token with the scope that WWW-Authenticate names",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "invalid_redirect_uri",
        defined_in: "RFC 7591, 3.2.2",
        means: "the authorization server takes no client whose browsers come back to this address",
        advice: "register the client by hand with an address that the server takes, such as http://localhost and a port, and give its id: --client-id",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "invalid_client_metadata",
        defined_in: "RFC 7591, 3.2.2",
        means: "the authorization server registers no client that describes itself like this",
        advice: "register the client by hand, and give its id: --client-id",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "invalid_software_statement",
        defined_in: "RFC 7591, 3.2.2",
        means: "what vouches for the client is not valid",
        advice: "have its issuer write another, or register the client by hand",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "unapproved_software_statement",
        defined_in: "RFC 7591, 3.2.2",
        means: "the authorization server does not trust who vouches for the client",
        advice: "register the client by hand",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "authorization_pending",
        defined_in: "RFC 8628, 3.5",
        means: "the user has not entered the code yet",
        advice: "go on asking, at the interval that the server gave",
        fault: Fault::User,
        retry: Retry::AfterDelay,
    },
    OAuthError {
        code: "slow_down",
        defined_in: "RFC 8628, 3.5",
        means: "the client asks too often whether the user has entered the code",
        advice: "wait five seconds longer between two requests",
        fault: Fault::Client,
        retry: Retry::AfterDelay,
    },
    OAuthError {
        code: "expired_token",
        defined_in: "RFC 8628, 3.5",
        means: "the user did not enter the code in time",
        advice: "begin the login again",
        fault: Fault::User,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "invalid_target",
        defined_in: "RFC 8707, 2",
        means: "the authorization server has no tokens for this server",
        advice: "send the server's URL as the resource when asking for a token",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "use_dpop_nonce",
        defined_in: "RFC 9449, 8 and 9",
        means: "the proof of possession has to contain the nonce that the server has just given",
        advice: "send the request again, with a new proof that has the value of the header DPoP-Nonce",
        fault: Fault::Client,
        retry: Retry::Immediately,
    },
    OAuthError {
        code: "invalid_dpop_proof",
        defined_in: "RFC 9449, 5 and 7.1",
        means: "the proof of possession is not for this request, this token or this time, or has been used before",
        advice: "make a new proof for each request, and check the clock of this machine",
        fault: Fault::Client,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "unsupported_token_type",
        defined_in: "RFC 7009, 2.2.1",
        means: "the authorization server takes back no tokens of this type",
        advice: "let the token end by itself",
        fault: Fault::Server,
        retry: Retry::Never,
    },
    OAuthError {
        code: "insufficient_user_authentication",
        defined_in: "RFC 9470, 3",
        means: "the user has to sign in again, or in a stronger way, before this",
        advice: "let the user sign in again, as WWW-Authenticate says",
        fault: Fault::User,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "login_required",
        defined_in: "OpenID Connect Core, 3.1.2.6",
        means: "the user is not signed in",
        advice: "let the user sign in",
        fault: Fault::User,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "consent_required",
        defined_in: "OpenID Connect Core, 3.1.2.6",
        means: "the user has not agreed to this yet",
        advice: "let the user sign in again and agree",
        fault: Fault::User,
        retry: Retry::AfterFix,
    },
    OAuthError {
        code: "interaction_required",
        defined_in: "OpenID Connect Core, 3.1.2.6",
        means: "the authorization server has something to ask the user",
        advice: "let the user sign in again",
        fault: Fault::User,
        retry: Retry::AfterFix,
    },
];

/// The codes that others use too, for errors that have nothing to do with OAuth.
const COMMON: [&str; 3] = ["invalid_request", "server_error", "temporarily_unavailable"];

impl OAuthError {
    fn explain(&self) -> Explanation {
        Explanation {
            revision: Some(format!("of OAuth, the same in all: {}", self.defined_in)),
            fault: self.fault,
            retry: self.retry,
            advice: self.advice.to_owned(),
            link: Link::to_logins(),
            ..Explanation::new("error", self.code, self.means)
        }
    }
}

fn known(word: &str) -> Option<&'static OAuthError> {
    OAUTH.iter().find(|row| row.code == word)
}

/// The error that has this name, however it is written.
pub(super) fn named(word: &str) -> Option<Explanation> {
    let wanted = bare(word);
    let found = OAUTH.iter().find(|row| bare(row.code) == wanted);
    found.map(OAuthError::explain)
}

/// Whether a word is spelled like an error of OAuth, and like none of others.
pub(super) fn is_spelled(word: &str) -> bool {
    known(word).is_some() && !COMMON.contains(&word)
}

/// The error in a body that has this word for it, with the words beside it.
pub(super) fn in_body(word: &str, said: &str) -> Explanation {
    let explained = known(word).map(OAuthError::explain);
    let explained = explained.unwrap_or_else(|| Explanation {
        fault: Fault::Client,
        retry: Retry::AfterFix,
        advice: "go by its words".to_owned(),
        link: Link::to_troubleshooting(),
        ..Explanation::new(
            "error",
            "no code",
            "an error outside of MCP, such as of a web framework",
        )
    });
    Explanation {
        message: Some(said.to_owned()),
        ..explained
    }
}

/// The names of all.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OAUTH.iter().map(|row| row.code)
}
