//! Dynamic registration of a client at an authorization server where it has no id (RFC 7591).

use serde_json::json;

use crate::Secret;
use crate::credentials::{ClientAuthMethod, Registration};
use crate::json::Object;
use crate::metadata::ServerMetadata;
use crate::token::{TokenError, answer};

/// The longest accepted id and secret.
const LONGEST: usize = 2 << 10;

/// The description of a client for its registration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RegistrationRequest<'a> {
    /// The name that users see.
    pub client_name: &'a str,
    /// The redirect URI; without one, users log in on another device (RFC 8628).
    pub redirect_uri: Option<&'a str>,
    /// The scopes that the client will request; if it is empty, the request names none.
    pub scope: &'a [String],
    /// The authentication method that the client will use.
    pub method: ClientAuthMethod,
}

impl ClientAuthMethod {
    /// The name in metadata and registrations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::PrivateKey => "private_key_jwt",
        }
    }

    /// The method with this name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::None, Self::Basic, Self::Post, Self::PrivateKey];
        all.into_iter().find(|it| it.name() == name)
    }

    /// The method to register with: the first method without a key that the server supports. A
    /// secret in the form precedes one in a header, because some servers that list both look for
    /// the client id in the form in any case.
    pub fn preferred(server: &ServerMetadata) -> Self {
        let Some(taken) = &server.client_auth_methods else {
            // This is the default of servers that name no methods (RFC 8414, 2).
            return Self::Basic;
        };
        let ours = [Self::None, Self::Post, Self::Basic];
        let mut ours = ours.into_iter();
        ours.find(|it| taken.iter().any(|name| name == it.name()))
            .unwrap_or(Self::None)
    }

    /// The default authentication method of a client with a secret.
    pub fn of_secret(server: &ServerMetadata) -> Self {
        let takes = |it: Self| {
            let mut taken = server.client_auth_methods.iter().flatten();
            taken.any(|name| name == it.name())
        };
        match takes(Self::Post) && !takes(Self::Basic) {
            true => Self::Post,
            false => Self::Basic,
        }
    }
}

impl<'a> RegistrationRequest<'a> {
    /// A client with this name, and its redirect URI if there is one.
    pub fn new(
        client_name: &'a str,
        redirect_uri: Option<&'a str>,
        method: ClientAuthMethod,
    ) -> Self {
        Self {
            client_name,
            redirect_uri,
            scope: &[],
            method,
        }
    }

    /// The body of the request, as JSON.
    pub fn body(&self) -> String {
        const DEVICE: &str = "urn:ietf:params:oauth:grant-type:device_code";
        let (grant, response_types) = match self.redirect_uri {
            Some(_) => ("authorization_code", &["code"][..]),
            None => (DEVICE, &[][..]),
        };
        let mut body = json!({
            "client_name": self.client_name,
            "redirect_uris": self.redirect_uri.as_slice(),
            "grant_types": [grant, "refresh_token"],
            "response_types": response_types,
            "token_endpoint_auth_method": self.method.name(),
            "application_type": "native",
        });
        if !self.scope.is_empty() {
            body["scope"] = self.scope.join(" ").into();
        }
        body.to_string()
    }

    /// Reads the answer of `server`.
    pub fn read(
        &self,
        server: &ServerMetadata,
        status: u16,
        body: &[u8],
        now: u64,
    ) -> Result<Registration, TokenError> {
        let object = answer(status, body)?;
        let unusable = |why: &str| TokenError::Unusable(why.to_owned());
        let client_id = object.required_text("client_id");
        let client_id = client_id.map_err(|why| TokenError::Unusable(why.to_string()))?;
        let is_text =
            |it: &str| it.len() <= LONGEST && it.bytes().all(|it| matches!(it, 0x20..=0x7e));
        if !is_text(&client_id) {
            return Err(unusable(
                "has a member `client_id` that is too long, or not plain text",
            ));
        }
        let redirects = object
            .texts("redirect_uris")
            .map_err(|why| TokenError::Unusable(why.to_string()))?;
        let is_missing = |it| !redirects.iter().flatten().any(|named| named == it);
        if redirects.is_some() && self.redirect_uri.is_some_and(is_missing) {
            return Err(unusable("registers other redirect URIs than requested"));
        }
        let secret = object.text("client_secret").ok().flatten();
        if secret.as_deref().is_some_and(|it| !is_text(it)) {
            return Err(unusable(
                "has a member `client_secret` that is too long, or not plain text",
            ));
        }
        let ends = object.seconds_since_1970("client_secret_expires_at");
        let ends = ends.filter(|at| *at != 0 && secret.is_some());
        if ends.is_some_and(|at| at <= now) {
            return Err(unusable(
                "has a member `client_secret` that has expired already",
            ));
        }
        let mut registration = Registration::new(server.issuer.as_str(), client_id);
        registration.method = self.granted(server, &object, secret.is_some())?;
        registration.client_secret = secret.map(Secret::new);
        registration.secret_expires_at = ends;
        registration.redirect_uri = self.redirect_uri.map(str::to_owned);
        registration.scope = self.scope.to_vec();
        registration.is_for_devices = self.redirect_uri.is_none();
        Ok(registration)
    }

    /// The method in the answer, or the requested one if the server does not support the former.
    /// Fails if the client lacks the credentials for it.
    fn granted(
        &self,
        server: &ServerMetadata,
        answer: &Object,
        has_secret: bool,
    ) -> Result<ClientAuthMethod, TokenError> {
        let is_taken = |it: ClientAuthMethod| match &server.client_auth_methods {
            Some(taken) => taken.iter().any(|name| name == it.name()),
            None => true,
        };
        let named = answer.text("token_endpoint_auth_method").ok().flatten();
        let named = named.as_deref().map(|name| {
            ClientAuthMethod::named(name).ok_or_else(|| {
                TokenError::Unusable(
                    "has a member `token_endpoint_auth_method` that is unknown".to_owned(),
                )
            })
        });
        let method = match named.transpose()? {
            // Some servers grant the requested method without listing it.
            Some(method) if method == self.method || is_taken(method) => method,
            // A server that issues no secret and names no method expects none.
            None if !has_secret && server.client_auth_methods.is_none() => ClientAuthMethod::None,
            Some(_) | None => self.method,
        };
        match method {
            ClientAuthMethod::Basic | ClientAuthMethod::Post if !has_secret => Err(
                TokenError::Unusable("has no `client_secret`, which its method needs".to_owned()),
            ),
            ClientAuthMethod::PrivateKey => Err(TokenError::Unusable(
                "requires a key, which this client did not register".to_owned(),
            )),
            ClientAuthMethod::None | ClientAuthMethod::Basic | ClientAuthMethod::Post => Ok(method),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(methods: Option<&[&str]>) -> ServerMetadata {
        let mut server = ServerMetadata::expected_at("https://as.example");
        server.client_auth_methods =
            methods.map(|all| all.iter().map(|it| (*it).to_owned()).collect());
        server
    }

    fn read(methods: Option<&[&str]>, answered: &str) -> Result<ClientAuthMethod, TokenError> {
        let server = server(methods);
        let method = ClientAuthMethod::preferred(&server);
        let request =
            RegistrationRequest::new("plainly", Some("http://127.0.0.1:1/callback"), method);
        let read = request.read(&server, 201, answered.as_bytes(), 10);
        read.map(|it| it.method)
    }

    #[test]
    fn what_was_asked_for_and_is_taken_wins() {
        use ClientAuthMethod::{Basic, None as Nothing, Post};
        let both = &["client_secret_post", "client_secret_basic"][..];
        let [none, post] = [&["none"][..], &["client_secret_post"]];
        for (methods, named, expected) in [
            (Some(none), "", Nothing),
            (Some(none), "client_secret_basic", Nothing),
            (Some(both), "", Post),
            (Some(both), "client_secret_post", Post),
            (Some(both), "client_secret_basic", Basic),
            (Some(post), "", Post),
            (None, "", Basic),
            (None, "none", Nothing),
        ] {
            let named = match named {
                "" => String::new(),
                named => format!(r#", "token_endpoint_auth_method": "{named}""#),
            };
            let answered = format!(r#"{{"client_id": "i", "client_secret": "s"{named}}}"#);
            assert_eq!(
                read(methods, &answered),
                Ok(expected),
                "{methods:?} {named}"
            );
        }
    }

    #[test]
    fn a_client_without_a_secret_is_public_unless_the_server_says_otherwise() {
        let empty = r#"{"client_id": "i", "client_secret": "", "token_endpoint_auth_method": ""}"#;
        for answered in [r#"{"client_id": "i"}"#, empty] {
            assert_eq!(
                read(None, answered),
                Ok(ClientAuthMethod::None),
                "{answered}"
            );
        }
    }

    #[test]
    fn the_longest_id_is_kept_and_a_longer_one_refused() {
        for (length, is_kept) in [(LONGEST, true), (LONGEST + 1, false)] {
            let answered = format!(r#"{{"client_id": "{}"}}"#, "x".repeat(length));
            let read = read(Some(&["none"]), &answered);
            assert_eq!(read.is_ok(), is_kept, "{length}");
        }
    }

    #[test]
    fn only_a_secret_has_an_end() {
        for (secret, ends, expected) in [
            (r#", "client_secret": "s""#, 11, Some(11)),
            (r#", "client_secret": "s""#, 0, None),
            ("", 5, None),
            ("", 11, None),
        ] {
            let answered =
                format!(r#"{{"client_id": "i", "client_secret_expires_at": {ends}{secret}}}"#);
            let request = RegistrationRequest::new("plainly", None, ClientAuthMethod::None);
            let server = server(Some(&["none"]));
            let read = request.read(&server, 201, answered.as_bytes(), 10);
            assert_eq!(read.unwrap().secret_expires_at, expected, "{answered}");
        }
    }

    #[test]
    fn a_client_with_a_secret_sends_it_where_the_server_takes_it() {
        use ClientAuthMethod::{Basic, Post};
        let [basic, post] = ["client_secret_basic", "client_secret_post"];
        for (methods, expected) in [
            (None, Basic),
            (Some(&[post][..]), Post),
            (Some(&[basic]), Basic),
            (Some(&[post, basic]), Basic),
            (Some(&["private_key_jwt"]), Basic),
        ] {
            let method = ClientAuthMethod::of_secret(&server(methods));
            assert_eq!(method, expected, "{methods:?}");
        }
    }

    #[test]
    fn a_client_says_who_it_is_and_where_browsers_come_back_to() {
        let redirect = Some("http://127.0.0.1:1/callback");
        let scope = crate::scope::read("a b");
        let mut request = RegistrationRequest::new("plainly", redirect, ClientAuthMethod::None);
        let read = |request: &RegistrationRequest<'_>| -> serde_json::Value {
            serde_json::from_str(&request.body()).unwrap()
        };
        let mut expected = json!({
            "client_name": "plainly",
            "redirect_uris": ["http://127.0.0.1:1/callback"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "native",
        });
        assert_eq!(read(&request), expected);
        request.scope = &scope;
        request.redirect_uri = None;
        expected["scope"] = "a b".into();
        expected["redirect_uris"] = json!([]);
        expected["response_types"] = json!([]);
        expected["grant_types"][0] = "urn:ietf:params:oauth:grant-type:device_code".into();
        assert_eq!(read(&request), expected);
    }

    #[test]
    fn a_registration_that_is_no_use_is_refused() {
        for (methods, answered, expected) in [
            (
                Some(&["client_secret_basic"][..]),
                r#"{"client_id": "i"}"#,
                "has no `client_secret`, which its method needs",
            ),
            (
                None,
                r#"{"client_id": "i", "token_endpoint_auth_method": "client_secret_basic"}"#,
                "has no `client_secret`, which its method needs",
            ),
            (
                Some(&["none"]),
                r#"{"client_id": "i", "token_endpoint_auth_method": "magic"}"#,
                "has a member `token_endpoint_auth_method` that is unknown",
            ),
            (
                Some(&["none"]),
                r#"{"client_id": "i", "redirect_uris": ["https://evil.example"]}"#,
                "registers other redirect URIs than requested",
            ),
            (
                Some(&["none"]),
                r#"{"client_id": ""}"#,
                "has no `client_id`",
            ),
            (
                Some(&["none"]),
                r#"{"client_id": "\u001b[2J"}"#,
                "has a member `client_id` that is too long, or not plain text",
            ),
            (
                None,
                r#"{"client_id": "i", "client_secret": "\n"}"#,
                "has a member `client_secret` that is too long, or not plain text",
            ),
            (
                Some(&["none"]),
                r#"{"client_id": "i", "client_secret": "s", "client_secret_expires_at": 5}"#,
                "has a member `client_secret` that has expired already",
            ),
        ] {
            let expected = TokenError::Unusable(expected.to_owned());
            assert_eq!(read(methods, answered), Err(expected), "{answered}");
        }
    }
}
