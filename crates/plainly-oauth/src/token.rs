//! Token requests and their answers (OAuth 2.1, 3.2; RFC 6749, 5).

use crate::client_proof::Form;
use crate::credentials::{Grant, TokenType};
use crate::json::Object;
use crate::secret::hide;
use crate::{Pkce, Secret, id_token, scope};

/// The longest accepted token, because longer ones fit in no header.
const LONGEST: usize = 16 << 10;
/// The seconds before its end at which a token is renewed, or a tenth of its lifetime if that is
/// less.
const AHEAD: u64 = 60;

/// The grant in a request for a token.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TokenRequest<'a> {
    /// The code that the user's browser returned.
    #[non_exhaustive]
    Code {
        /// The code.
        code: &'a Secret,
        /// The redirect URI of the visit.
        redirect_uri: &'a str,
        /// The secret of the login.
        pkce: &'a Pkce,
    },
    /// The refresh token of the previous answer.
    Refresh(&'a Secret),
    /// Only the client's authentication.
    ClientCredentials,
    /// An assertion of a party that the server trusts (RFC 7523).
    JwtBearer(&'a Secret),
    /// A token of another kind (RFC 8693).
    Exchange(TokenExchange<'a>),
    /// The device code of a login on another device (RFC 8628).
    Device(&'a Secret),
}

/// An exchange of a user's identity for an assertion to another authorization server
/// (enterprise-managed authorization).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TokenExchange<'a> {
    /// The token that proves the identity.
    pub subject: &'a Secret,
    /// The type of that token, as a URN.
    pub subject_type: &'a str,
    /// The authorization server that the assertion is for.
    pub audience: &'a str,
}

impl<'a> TokenExchange<'a> {
    /// The URN of an ID token.
    pub const ID_TOKEN: &'static str = "urn:ietf:params:oauth:token-type:id_token";
    /// The URN of the requested assertion.
    pub const ID_JAG: &'static str = "urn:ietf:params:oauth:token-type:id-jag";

    /// An exchange for an assertion to the authorization server `audience`.
    pub fn new(subject: &'a Secret, subject_type: &'a str, audience: &'a str) -> Self {
        Self {
            subject,
            subject_type,
            audience,
        }
    }
}

impl<'a> TokenRequest<'a> {
    /// The exchange of a code.
    pub fn code(code: &'a Secret, redirect_uri: &'a str, pkce: &'a Pkce) -> Self {
        Self::Code {
            code,
            redirect_uri,
            pkce,
        }
    }

    /// The name of the grant type in requests and metadata.
    pub fn grant_type(&self) -> &'static str {
        match self {
            Self::Code { .. } => "authorization_code",
            Self::Refresh(_) => "refresh_token",
            Self::ClientCredentials => "client_credentials",
            Self::JwtBearer(_) => "urn:ietf:params:oauth:grant-type:jwt-bearer",
            Self::Exchange(_) => "urn:ietf:params:oauth:grant-type:token-exchange",
            Self::Device(_) => "urn:ietf:params:oauth:grant-type:device_code",
        }
    }

    /// The parameters of the request, without the client's authentication. `scope` is left out if
    /// it is empty, or if the grant already has scopes.
    pub fn form(&self, resource: Option<&str>, scope: &[String]) -> Form {
        let mut form = Form::default();
        form.set("grant_type", self.grant_type());
        let mut takes_scope = true;
        match self {
            Self::Code {
                code,
                redirect_uri,
                pkce,
            } => {
                form.set("code", (*code).clone());
                form.set("redirect_uri", *redirect_uri);
                form.set("code_verifier", pkce.verifier().clone());
                takes_scope = false;
            }
            Self::Refresh(token) => {
                form.set("refresh_token", (*token).clone());
                takes_scope = false;
            }
            Self::ClientCredentials => {}
            Self::JwtBearer(assertion) => form.set("assertion", (*assertion).clone()),
            Self::Exchange(exchange) => {
                form.set("requested_token_type", TokenExchange::ID_JAG);
                form.set("subject_token", exchange.subject.clone());
                form.set("subject_token_type", exchange.subject_type);
                form.set("audience", exchange.audience);
            }
            Self::Device(code) => {
                form.set("device_code", (*code).clone());
                takes_scope = false;
            }
        }
        form.set_some("resource", resource);
        let scope = scope.join(" ");
        form.set_some(
            "scope",
            Some(scope).filter(|it| takes_scope && !it.is_empty()),
        );
        form
    }
}

/// The tokens of a token endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tokens {
    /// The token that requests send.
    pub access_token: Secret,
    /// The way in which requests send the token.
    pub token_type: TokenType,
    /// The token's lifetime in seconds, if the server names it.
    pub expires_in: Option<u64>,
    /// The new token for renewals, if there is one.
    pub refresh_token: Option<Secret>,
    /// The granted scopes, if they differ from the requested ones.
    pub scope: Option<Vec<String>>,
    /// The ID token with the user's identity, if there is one (OpenID Connect Core).
    pub id_token: Option<Secret>,
}

/// The reason why a token endpoint issued no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    clippy::exhaustive_enums,
    reason = "it said no, or nothing that is any use"
)]
pub enum TokenError {
    /// The server declined.
    #[error("it was declined")]
    #[non_exhaustive]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The error code of RFC 6749 (5.2), if there is one.
        error: Option<String>,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// The answer is unusable, in words that follow "it".
    #[error("it {0}")]
    Unusable(String),
}

impl TokenError {
    /// The error code of RFC 6749 (5.2), if the server sent one.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { error, .. } => error.as_deref(),
            Self::Unusable(_) => None,
        }
    }
}

impl TokenError {
    /// Removes the secrets of the request from this error, because the server may have repeated
    /// them.
    #[must_use]
    pub fn without<'a>(self, secrets: impl IntoIterator<Item = &'a Secret> + Clone) -> Self {
        let hidden = |text: Option<String>| text.map(|text| hide(secrets.clone(), &text));
        match self {
            Self::Refused {
                status,
                error,
                description,
            } => Self::Refused {
                status,
                error: hidden(error),
                description: hidden(description),
            },
            // This text does not come from the server.
            Self::Unusable(why) => Self::Unusable(why),
        }
    }
}

impl Tokens {
    /// The grant with these tokens, which were received at `now`, in seconds since 1970. Fields
    /// that the answer omits stay unchanged.
    pub fn renew(self, grant: &Grant, now: u64) -> Grant {
        let mut grant = grant.clone();
        grant.access_token = self.access_token;
        grant.token_type = self.token_type;
        let after = |time| now.saturating_add(time);
        // Some servers send 0 if the token does not expire.
        let lifetime = self.expires_in.filter(|&time| time > 0);
        grant.expires_at = lifetime.map(after);
        let early = |time: u64| time - (time / 10).min(AHEAD);
        grant.renew_at = lifetime.map(early).map(after);
        if self.refresh_token.is_some() {
            grant.refresh_token = self.refresh_token;
        }
        if let Some(scope) = self.scope {
            grant.granted_scope = scope;
        }
        let id_token = self.id_token.as_ref().map(Secret::expose);
        let account = id_token.and_then(|it| id_token::account(it, &grant.key, now));
        if account.is_some() {
            grant.account = account;
        }
        grant
    }

    /// Reads the answer of a token endpoint. An `error` counts under any status, because some
    /// servers send it with 200.
    pub fn read(status: u16, body: &[u8]) -> Result<Self, TokenError> {
        let object = answer(status, body)?;
        let token_type = text(&object, "token_type")?;
        let token_type = match token_type.to_ascii_lowercase().as_str() {
            "bearer" => TokenType::Bearer,
            "dpop" => TokenType::DPoP,
            _ => {
                let why = "has a member `token_type` that is neither Bearer nor DPoP";
                return Err(TokenError::Unusable(why.to_owned()));
            }
        };
        let refresh_token = match object.text("refresh_token") {
            Ok(None) => None,
            Ok(Some(_)) | Err(_) => Some(secret(&object, "refresh_token")?),
        };
        Ok(Self {
            access_token: secret(&object, "access_token")?,
            token_type,
            expires_in: object.seconds("expires_in"),
            refresh_token,
            scope: object
                .text("scope")
                .ok()
                .flatten()
                .map(|it| scope::read(&it)),
            id_token: object.text("id_token").ok().flatten().map(Secret::new),
        })
    }
}

/// Reads the answer to a [`TokenExchange`]: the assertion.
pub fn read_assertion(status: u16, body: &[u8]) -> Result<Secret, TokenError> {
    let object = answer(status, body)?;
    if text(&object, "issued_token_type")? != TokenExchange::ID_JAG {
        let why = "has another `issued_token_type` than requested";
        return Err(TokenError::Unusable(why.to_owned()));
    }
    secret(&object, "access_token")
}

/// Reads the answer to a revocation (RFC 7009). A server that can't revoke tokens of this kind
/// counts as success, because the client can do no more.
pub fn read_revocation(status: u16, body: &[u8]) -> Result<(), TokenError> {
    if (200..300).contains(&status) {
        return Ok(());
    }
    match answer(status, body) {
        Err(refused) if refused.code() == Some("unsupported_token_type") => Ok(()),
        Err(refused) => Err(refused),
        Ok(_) => Ok(()),
    }
}

/// The object in an endpoint's answer, unless it is an error.
pub(crate) fn answer(status: u16, body: &[u8]) -> Result<Object, TokenError> {
    let object = Object::read(body);
    let member = |name| {
        let object = object.as_ref().ok()?;
        object.text(name).ok()?
    };
    let error = member("error");
    if error.is_some() || !(200..300).contains(&status) {
        return Err(TokenError::Refused {
            status,
            error,
            description: member("error_description"),
        });
    }
    object.map_err(|why| TokenError::Unusable(why.0))
}

fn text(object: &Object, name: &'static str) -> Result<String, TokenError> {
    let text = object.required_text(name);
    text.map_err(|why| TokenError::Unusable(why.0))
}

/// A token that can be sent in a header.
pub(crate) fn secret(object: &Object, name: &'static str) -> Result<Secret, TokenError> {
    let text = text(object, name)?;
    if text.len() > LONGEST {
        let why = format!("has a member `{name}` of more than {LONGEST} bytes");
        return Err(TokenError::Unusable(why));
    }
    if !text.bytes().all(|it| it.is_ascii_graphic()) {
        let why = format!("has a member `{name}` with characters that are invalid in a token");
        return Err(TokenError::Unusable(why));
    }
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_grant_sends_what_it_needs() {
        let (pkce, secret) = (Pkce::new(), Secret::new("s"));
        let verifier = pkce.verifier().expose();
        let exchange = TokenExchange::new(&secret, TokenExchange::ID_TOKEN, "https://as.example");
        let urn = "urn%3Aietf%3Aparams%3Aoauth%3A";
        let end = "&resource=r&scope=a+b";
        for (request, expected) in [
            (
                TokenRequest::code(&secret, "http://127.0.0.1/", &pkce),
                format!(
                    "grant_type=authorization_code&code=s&redirect_uri=http%3A%2F%2F127.0.0.1%2F&code_verifier={verifier}&resource=r"
                ),
            ),
            (
                TokenRequest::Refresh(&secret),
                "grant_type=refresh_token&refresh_token=s&resource=r".to_owned(),
            ),
            (
                TokenRequest::ClientCredentials,
                format!("grant_type=client_credentials{end}"),
            ),
            (
                TokenRequest::JwtBearer(&secret),
                format!("grant_type={urn}grant-type%3Ajwt-bearer&assertion=s{end}"),
            ),
            (
                TokenRequest::Exchange(exchange),
                format!(
                    "grant_type={urn}grant-type%3Atoken-exchange&requested_token_type={urn}token-type%3Aid-jag&subject_token=s&subject_token_type={urn}token-type%3Aid_token&audience=https%3A%2F%2Fas.example{end}"
                ),
            ),
            (
                TokenRequest::Device(&secret),
                format!("grant_type={urn}grant-type%3Adevice_code&device_code=s&resource=r"),
            ),
        ] {
            let form = request.form(Some("r"), &scope::read("a b"));
            assert_eq!(*form.body(), expected);
        }
        let bare = TokenRequest::ClientCredentials.form(None, &[]);
        assert_eq!(*bare.body(), "grant_type=client_credentials");
    }

    #[test]
    fn only_a_token_that_can_be_sent_is_one() {
        let long = format!(
            r#"{{"token_type": "dpop", "access_token": "{}"}}"#,
            "x".repeat(LONGEST + 1)
        );
        for (body, expected) in [
            (r#"{"access_token": "t", "token_type": "bEARER"}"#, Ok("t")),
            (r#"{"access_token": "t"}"#, Err("has no `token_type`")),
            (
                r#"{"access_token": "t", "token_type": "mac"}"#,
                Err("has a member `token_type` that is neither Bearer nor DPoP"),
            ),
            (r#"{"token_type": "bearer"}"#, Err("has no `access_token`")),
            (
                r#"{"access_token": "t\nx: y", "token_type": "bearer"}"#,
                Err("has a member `access_token` with characters that are invalid in a token"),
            ),
            (
                &long,
                Err("has a member `access_token` of more than 16384 bytes"),
            ),
            ("<html>", Err("is not JSON")),
        ] {
            let read = Tokens::read(200, body.as_bytes());
            let read = read
                .as_ref()
                .map(|it| it.access_token.expose())
                .map_err(Clone::clone);
            let expected = expected.map_err(|why| TokenError::Unusable(why.to_owned()));
            assert_eq!(read, expected, "{body:.60}");
        }
    }

    #[test]
    fn the_longest_token_that_fits_in_a_header_is_one() {
        let token = "x".repeat(LONGEST);
        let body = format!(r#"{{"token_type": "bearer", "access_token": "{token}"}}"#);
        let tokens = Tokens::read(200, body.as_bytes()).unwrap();
        assert_eq!(tokens.access_token.expose(), token);
    }

    #[test]
    fn a_token_is_renewed_shortly_before_it_ends() {
        let key = crate::credentials::GrantKey::new("i", "r", "c");
        let mut old = Grant::new(key, "https://as.example/token", Secret::new("old"));
        old.refresh_token = Some(Secret::new("kept"));
        old.granted_scope = scope::read("a b");
        for (members, expires_at, renew_at, refresh_token, granted) in [
            ("", None, None, "kept", "a b"),
            (
                r#", "expires_in": 3600, "refresh_token": "new", "scope": "a""#,
                Some(4600),
                Some(4540),
                "new",
                "a",
            ),
            (
                r#", "expires_in": 600"#,
                Some(1600),
                Some(1540),
                "kept",
                "a b",
            ),
            (
                r#", "expires_in": 100"#,
                Some(1100),
                Some(1090),
                "kept",
                "a b",
            ),
            (r#", "expires_in": 0"#, None, None, "kept", "a b"),
            (r#", "expires_in": -1"#, None, None, "kept", "a b"),
            (
                r#", "refresh_token": "", "error": "", "scope": """#,
                None,
                None,
                "kept",
                "a b",
            ),
        ] {
            let body = format!(r#"{{"access_token": "t", "token_type": "DPoP"{members}}}"#);
            let tokens = Tokens::read(201, body.as_bytes()).unwrap();
            let grant = tokens.renew(&old, 1000);
            assert_eq!(grant.access_token.expose(), "t");
            assert_eq!(grant.token_type, TokenType::DPoP);
            let times = (grant.expires_at, grant.renew_at);
            assert_eq!(times, (expires_at, renew_at), "{members}");
            assert_eq!(grant.refresh_token.unwrap().expose(), refresh_token);
            assert_eq!(grant.granted_scope, scope::read(granted));
        }
    }

    #[test]
    fn an_exchange_gives_what_was_asked_for() {
        let body =
            |kind: &str| format!(r#"{{"access_token": "a.b.c", "issued_token_type": "{kind}"}}"#);
        let assertion = read_assertion(200, body(TokenExchange::ID_JAG).as_bytes());
        assert_eq!(assertion, Ok(Secret::new("a.b.c")));
        let another = read_assertion(200, body(TokenExchange::ID_TOKEN).as_bytes());
        let why = "has another `issued_token_type` than requested";
        assert_eq!(another, Err(TokenError::Unusable(why.to_owned())));
    }

    #[test]
    fn a_token_is_given_back_or_the_server_says_why_not() {
        for (status, body, is_done) in [
            (200, "", true),
            (204, "", true),
            (200, r#"{"error": "x"}"#, true),
            (400, r#"{"error": "unsupported_token_type"}"#, true),
            (400, r#"{"error": "invalid_client"}"#, false),
            (300, "", false),
            (503, "", false),
        ] {
            let read = read_revocation(status, body.as_bytes());
            assert_eq!(read.is_ok(), is_done, "{status} {body}");
        }
    }

    #[test]
    fn a_refusal_is_one_under_any_status() {
        for (status, body, expected) in [
            (
                200,
                r#"{"error": "bad_verification_code"}"#,
                Some("bad_verification_code"),
            ),
            (400, r#"{"error": "invalid_grant"}"#, Some("invalid_grant")),
            (
                400,
                r#"{"access_token": "t", "token_type": "bearer"}"#,
                None,
            ),
            (302, "", None),
            (503, "busy", None),
        ] {
            let refused = Tokens::read(status, body.as_bytes()).unwrap_err();
            assert!(matches!(refused, TokenError::Refused { status: it, .. } if it == status));
            assert_eq!(refused.code(), expected, "{status} {body}");
        }
    }
}
