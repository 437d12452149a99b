//! Authorization server metadata: the endpoints and their features (RFC 8414, OpenID Connect
//! Discovery).

use crate::endpoint;
use crate::json::{Object, Unreadable};
use crate::pkce::Pkce;

/// The metadata of an authorization server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerMetadata {
    /// The issuer, as the server spells it.
    pub issuer: String,
    /// The page where users log in.
    pub authorization_endpoint: Option<String>,
    /// The endpoint that issues tokens.
    pub token_endpoint: Option<String>,
    /// The endpoint where clients register (RFC 7591).
    pub registration_endpoint: Option<String>,
    /// The endpoint that revokes tokens (RFC 7009).
    pub revocation_endpoint: Option<String>,
    /// The endpoint where a login on another device starts (RFC 8628).
    pub device_authorization_endpoint: Option<String>,
    /// The endpoint that introspects tokens (RFC 7662).
    pub introspection_endpoint: Option<String>,
    /// The URL of the server's keys.
    pub jwks_uri: Option<String>,
    /// The supported scopes.
    pub scopes: Vec<String>,
    /// The supported types of grants; `None` if the server names none.
    pub grant_types: Option<Vec<String>>,
    /// The authentication methods for clients; `None` if the server names none.
    pub client_auth_methods: Option<Vec<String>>,
    /// The PKCE challenge methods (RFC 7636); `None` if the server names none.
    pub code_challenge_methods: Option<Vec<String>>,
    /// Whether its answers to logins name the issuer (RFC 9207).
    pub sends_issuer: bool,
    /// Whether a client's id may be the URL of its metadata document.
    pub reads_client_documents: bool,
    /// The algorithms of accepted proofs (RFC 9449).
    pub dpop_algorithms: Vec<String>,
}

impl ServerMetadata {
    /// Reads a document. The caller has to compare its issuer with the expected one.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let object = Object::read(bytes)?;
        let texts = |name| object.texts(name);
        let endpoint = |name| endpoint(&object, name);
        // Logins do without these, so a fault in one must not prevent a login.
        let optional = |name| endpoint(name).ok().flatten();
        Ok(Self {
            issuer: object.required_text("issuer")?,
            authorization_endpoint: endpoint("authorization_endpoint")?,
            token_endpoint: endpoint("token_endpoint")?,
            registration_endpoint: endpoint("registration_endpoint")?,
            revocation_endpoint: optional("revocation_endpoint"),
            device_authorization_endpoint: endpoint("device_authorization_endpoint")?,
            introspection_endpoint: optional("introspection_endpoint"),
            jwks_uri: optional("jwks_uri"),
            scopes: texts("scopes_supported")?.unwrap_or_default(),
            grant_types: texts("grant_types_supported")?,
            client_auth_methods: texts("token_endpoint_auth_methods_supported")?,
            code_challenge_methods: texts("code_challenge_methods_supported")?,
            sends_issuer: object.flag("authorization_response_iss_parameter_supported")?,
            reads_client_documents: object.flag("client_id_metadata_document_supported")?,
            dpop_algorithms: texts("dpop_signing_alg_values_supported")?.unwrap_or_default(),
        })
    }

    /// The endpoints of a server without metadata, which clients of 2025-03-26 expect at its origin
    /// ("Fallbacks for Servers without Metadata Discovery").
    pub fn expected_at(origin: &str) -> Self {
        let at = |path| Some(format!("{origin}{path}"));
        Self {
            issuer: origin.to_owned(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: at("/register"),
            // That revision requires it of all servers.
            code_challenge_methods: Some(vec![Pkce::METHOD.to_owned()]),
            ..Self::default()
        }
    }

    /// Whether the server supports PKCE, which secures logins.
    pub fn has_pkce(&self) -> bool {
        let mut methods = self.code_challenge_methods.iter().flatten();
        methods.any(|method| method == Pkce::METHOD)
    }

    /// Whether the server supports grants of this type. The default is only the authorization code.
    pub fn gives(&self, grant_type: &str) -> bool {
        match &self.grant_types {
            Some(types) => types.iter().any(|it| it == grant_type),
            None => grant_type == "authorization_code",
        }
    }
}

fn endpoint(object: &Object, name: &'static str) -> Result<Option<String>, Unreadable> {
    let Some(url) = object.text(name)? else {
        return Ok(None);
    };
    match endpoint::check(&url) {
        Ok(()) => Ok(Some(url)),
        Err(why) => Err(Unreadable(format!("has a member `{name}` that {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_must_be_urls_that_hide_nothing() {
        for (document, expected) in [
            (r#"{"issuer": "https://a.example"}"#, ""),
            (r#"{"issuer": ""}"#, "has no `issuer`"),
            (
                r#"{"issuer": "https://a.example", "authorization_endpoint": "javascript:alert(1)"}"#,
                "has a member `authorization_endpoint` that is not an https URL",
            ),
            (
                r#"{"issuer": "https://a.example", "token_endpoint": 7}"#,
                "has a member `token_endpoint` that is not a string",
            ),
            (
                r#"{"issuer": "https://a.example", "code_challenge_methods_supported": "S256"}"#,
                "has a member `code_challenge_methods_supported` that is not a list of strings",
            ),
        ] {
            let why = ServerMetadata::read(document.as_bytes()).err();
            assert_eq!(
                why.map(|why| why.0).unwrap_or_default(),
                expected,
                "{document}"
            );
        }
    }

    #[test]
    fn a_fault_in_what_no_login_needs_prevents_none() {
        let document = r#"{"issuer": "https://a.example", "revocation_endpoint": "",
            "jwks_uri": "jwks.json", "introspection_endpoint": 7, "registration_endpoint": ""}"#;
        let expected = ServerMetadata {
            issuer: "https://a.example".to_owned(),
            ..ServerMetadata::default()
        };
        assert_eq!(ServerMetadata::read(document.as_bytes()), Ok(expected));
    }

    #[test]
    fn a_server_without_metadata_has_its_endpoints_at_its_origin() {
        let metadata = ServerMetadata::expected_at("https://a.example:1");
        assert_eq!(metadata.issuer, "https://a.example:1");
        let endpoints = [
            (metadata.authorization_endpoint.as_deref(), "authorize"),
            (metadata.token_endpoint.as_deref(), "token"),
            (metadata.registration_endpoint.as_deref(), "register"),
        ];
        for (url, name) in endpoints {
            assert_eq!(url, Some(&*format!("https://a.example:1/{name}")));
        }
        assert!(metadata.has_pkce());
    }

    #[test]
    fn a_server_gives_what_it_says_and_codes_if_it_says_nothing() {
        for (types, code, device) in [
            ("null", true, false),
            ("[]", false, false),
            (r#"["device"]"#, false, true),
            (r#"["refresh_token", "authorization_code"]"#, true, false),
        ] {
            let document =
                format!(r#"{{"issuer": "https://a.example", "grant_types_supported": {types}}}"#);
            let metadata = ServerMetadata::read(document.as_bytes()).unwrap();
            let gives = ["authorization_code", "device"].map(|it| metadata.gives(it));
            assert_eq!(gives, [code, device], "{types}");
        }
    }

    #[test]
    fn only_s256_secures_a_login() {
        for (methods, expected) in [
            ("null", false),
            ("[]", false),
            (r#"["plain"]"#, false),
            (r#"["s256"]"#, false),
            (r#"["plain", "S256"]"#, true),
        ] {
            let document = format!(
                r#"{{"issuer": "https://a.example", "code_challenge_methods_supported": {methods}}}"#
            );
            let metadata = ServerMetadata::read(document.as_bytes()).unwrap();
            assert_eq!(metadata.has_pkce(), expected, "{methods}");
        }
    }
}
