//! The data that a client stores between connections: its registrations at authorization servers,
//! and its tokens.
//!
//! Every entry belongs to an issuer, and is only ever found for that issuer, whatever a server says
//! later (2026-07-28, "Authorization Server Binding").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use crate::Secret;

/// All data that a client stores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Credentials {
    /// The client's registrations at the issuers.
    #[serde(default)]
    pub registrations: Vec<Registration>,
    /// The tokens.
    #[serde(default)]
    pub grants: Vec<Grant>,
    /// The key of the grant for the MCP server at each URL.
    #[serde(default)]
    pub servers: BTreeMap<String, GrantKey>,
}

/// The registration of a client at one authorization server (RFC 7591).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Registration {
    /// The authorization server, as it spells its issuer.
    pub issuer: String,
    /// The client id.
    pub client_id: String,
    /// The client secret, if any.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "shown"
    )]
    pub client_secret: Option<Secret>,
    /// The end of the secret, in seconds since 1970; `None` if it never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_expires_at: Option<u64>,
    /// The authentication method at the token endpoint.
    pub method: ClientAuthMethod,
    /// The redirect URI for users' browsers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// The scopes that the client announced when it registered. The server may reject others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// Whether it was registered only for logins on another device (RFC 8628).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_for_devices: bool,
}

/// An authentication method of clients (RFC 7591, 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ClientAuthMethod {
    /// No authentication: the id is in the form.
    #[serde(rename = "none")]
    None,
    /// Id and secret in the header `Authorization`.
    #[serde(rename = "client_secret_basic")]
    Basic,
    /// Id and secret in the form.
    #[serde(rename = "client_secret_post")]
    Post,
    /// An assertion, signed with the client's key (RFC 7523).
    #[serde(rename = "private_key_jwt")]
    PrivateKey,
}

/// Tokens of one issuer, for one resource and one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grant {
    /// The key of the grant.
    #[serde(flatten)]
    pub key: GrantKey,
    /// The only endpoint where the grant is renewed.
    pub token_endpoint: String,
    /// The endpoint where the grant is revoked (RFC 7009).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revocation_endpoint: Option<String>,
    /// The token that requests send.
    #[serde(serialize_with = "shown_always")]
    pub access_token: Secret,
    /// The way in which requests send the token.
    pub token_type: TokenType,
    /// The token's end, in seconds since 1970, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// The time from which on the token is renewed, shortly before its end, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renew_at: Option<u64>,
    /// The token that renews the grant.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "shown"
    )]
    pub refresh_token: Option<Secret>,
    /// The requested scopes.
    #[serde(default)]
    pub requested_scope: Vec<String>,
    /// The granted scopes.
    #[serde(default)]
    pub granted_scope: Vec<String>,
    /// The account's name at the issuer, if it is known; for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The key that the token is bound to, in PKCS #8 as base64 (RFC 9449).
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "shown"
    )]
    pub dpop_key: Option<Secret>,
}

/// The authorization server, resource and client of a grant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GrantKey {
    /// The authorization server that issued the grant.
    pub issuer: String,
    /// The MCP server that the grant is for, as its metadata spells it; empty if the server has no
    /// metadata (2025-03-26).
    #[serde(default)]
    pub resource: String,
    /// The client that the grant was issued to.
    pub client_id: String,
}

/// The way in which a request sends a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::exhaustive_enums,
    reason = "another one would need another request"
)]
pub enum TokenType {
    /// Without a proof (RFC 6750).
    Bearer,
    /// With a proof that the sender possesses a key (RFC 9449).
    DPoP,
}

impl GrantKey {
    /// The key of a grant of `issuer` for `resource` and this client.
    pub fn new(
        issuer: impl Into<String>,
        resource: impl Into<String>,
        client_id: impl Into<String>,
    ) -> Self {
        Self {
            issuer: issuer.into(),
            resource: resource.into(),
            client_id: client_id.into(),
        }
    }
}

impl Grant {
    /// A grant with only an access token.
    pub fn new(key: GrantKey, token_endpoint: impl Into<String>, access_token: Secret) -> Self {
        Self {
            key,
            token_endpoint: token_endpoint.into(),
            revocation_endpoint: None,
            access_token,
            token_type: TokenType::Bearer,
            expires_at: None,
            renew_at: None,
            refresh_token: None,
            requested_scope: Vec::new(),
            granted_scope: Vec::new(),
            account: None,
            dpop_key: None,
        }
    }
}

impl Registration {
    /// A client without a secret.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            client_id: client_id.into(),
            client_secret: None,
            secret_expires_at: None,
            method: ClientAuthMethod::None,
            redirect_uri: None,
            scope: Vec::new(),
            is_for_devices: false,
        }
    }

    /// Whether this client registered itself, rather than being configured with an id.
    pub fn is_own(&self) -> bool {
        self.redirect_uri.is_some() || self.is_for_devices
    }

    fn is_of(&self, key: &GrantKey) -> bool {
        self.issuer == key.issuer && self.client_id == key.client_id
    }
}

impl Credentials {
    /// The last registration at an issuer whose secret has not expired.
    pub fn registration(&self, issuer: &str, now: u64) -> Option<&Registration> {
        let mut registrations = self.registrations.iter().rev();
        registrations
            .find(|it| it.issuer == issuer && it.secret_expires_at.is_none_or(|at| at > now))
    }

    /// Stores a registration, and removes its issuer's other registrations, except those that a
    /// grant needs for its renewal.
    pub fn keep_registration(&mut self, registration: Registration) {
        let grants = &self.grants;
        let is_used = |it: &Registration| grants.iter().any(|grant| it.is_of(&grant.key));
        self.registrations.retain(|it| {
            let is_same = it.client_id == registration.client_id;
            it.issuer != registration.issuer || !is_same && is_used(it)
        });
        self.registrations.push(registration);
    }

    /// Removes a client at its issuer; its grants stay.
    pub fn forget_registration(&mut self, issuer: &str, client_id: &str) {
        let is_it = |it: &Registration| it.issuer == issuer && it.client_id == client_id;
        self.registrations.retain(|it| !is_it(it));
    }

    /// The grant for the MCP server at this URL.
    pub fn grant(&self, server: &str) -> Option<&Grant> {
        let key = self.servers.get(server)?;
        self.grants.iter().find(|it| it.key == *key)
    }

    /// Stores a grant for the MCP server at this URL, in place of an earlier grant with the same
    /// key. If this client has registered again for the server, the grant of its earlier
    /// registration is replaced, too.
    pub fn keep_grant(&mut self, server: &str, grant: Grant) {
        let before = self.servers.insert(server.to_owned(), grant.key.clone());
        self.grants.retain(|it| it.key != grant.key);
        if let Some(before) = before.filter(|it| self.is_superseded(it, &grant.key)) {
            self.forget_grant(&before);
        }
        self.grants.push(grant);
    }

    /// Whether a grant belongs to a client that registered itself, and was replaced by another.
    fn is_superseded(&self, before: &GrantKey, now: &GrantKey) -> bool {
        let is_same = (&before.issuer, &before.resource) == (&now.issuer, &now.resource);
        let is_elsewhere = self.servers.values().any(|it| it == before);
        let mut registrations = self.registrations.iter();
        is_same && !is_elsewhere && registrations.any(|it| it.is_own() && it.is_of(before))
    }

    /// Removes a grant, for all servers; returns it if there was one.
    pub fn forget_grant(&mut self, key: &GrantKey) -> Option<Grant> {
        self.servers.retain(|_, it| it != key);
        let found = self.grants.iter().position(|it| it.key == *key)?;
        Some(self.grants.remove(found))
    }
}

fn shown<S: Serializer>(secret: &Option<Secret>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(Secret::expose).serialize(serializer)
}

fn shown_always<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    secret.expose().serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://as.example";

    fn granted(issuer: &str, resource: &str, client_id: &str, token: &str) -> Grant {
        let key = GrantKey::new(issuer, resource, client_id);
        Grant::new(key, "https://as.example/token", Secret::new(token))
    }

    #[test]
    fn a_registration_is_found_at_its_issuer_until_its_secret_ends() {
        let mut kept = Credentials::default();
        kept.keep_registration(Registration::new("https://other.example", "other"));
        for (ends, now, expected) in [
            (None, 10, Some("me")),
            (Some(11), 10, Some("me")),
            (Some(10), 10, None),
            (Some(9), 10, None),
        ] {
            let mut registration = Registration::new(ISSUER, "me");
            registration.secret_expires_at = ends;
            kept.keep_registration(registration);
            let found = kept.registration(ISSUER, now);
            let found = found.map(|it| it.client_id.as_str());
            assert_eq!(found, expected, "{ends:?}");
            assert_eq!(kept.registrations.len(), 2, "one of each issuer");
        }
        assert_eq!(kept.registration("https://as.example/", 10), None);
        kept.forget_registration(ISSUER, "you");
        kept.forget_registration("https://as.example/", "me");
        assert_eq!(kept.registrations.len(), 2);
        kept.forget_registration(ISSUER, "me");
        let left = kept.registrations.iter().map(|it| &it.client_id);
        assert_eq!(left.collect::<Vec<_>>(), ["other"]);
    }

    #[test]
    fn a_grant_is_found_by_the_server_that_it_is_for_and_is_one_of_its_key() {
        let [a, b, c] = [
            "https://a.example",
            "https://b.example",
            "https://c.example",
        ];
        let mut kept = Credentials::default();
        kept.keep_grant(a, granted(ISSUER, a, "me", "1"));
        kept.keep_grant(b, granted("https://other.example", a, "me", "2"));
        kept.keep_grant(c, granted(ISSUER, a, "me", "3"));
        let token = |kept: &Credentials, server| {
            let grant = kept.grant(server);
            grant.map(|it| it.access_token.expose().to_owned())
        };
        let found = [a, b, c].map(|server| token(&kept, server));
        let expected = ["3", "2", "3"].map(|it| Some(it.to_owned()));
        assert_eq!(found, expected);
        assert_eq!(token(&kept, "https://d.example"), None);
        assert_eq!(kept.grants.len(), 2);

        let another = GrantKey::new(ISSUER, a, "another");
        assert_eq!(kept.forget_grant(&another), None);
        let forgotten = kept.forget_grant(&GrantKey::new(ISSUER, a, "me"));
        assert_eq!(forgotten.unwrap().access_token.expose(), "3");
        let found = [a, b, c].map(|server| token(&kept, server));
        assert_eq!(found, [None, Some("2".to_owned()), None]);
        assert_eq!(kept.servers.len(), 1);
    }

    #[test]
    fn what_is_kept_is_read_as_it_was_written() {
        let mut kept = Credentials::default();
        let mut registration = Registration::new(ISSUER, "me");
        registration.client_secret = Some(Secret::new("s"));
        registration.method = ClientAuthMethod::Basic;
        kept.keep_registration(registration);
        let mut grant = granted(ISSUER, "https://a.example", "me", "t");
        grant.refresh_token = Some(Secret::new("r"));
        grant.token_type = TokenType::DPoP;
        kept.keep_grant("https://a.example", grant);
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Credentials>(&text).unwrap(), kept);
        let [secret, others] = [Some(Secret::new("s")), Some(Secret::new("S"))];
        assert_eq!(kept.registrations[0].client_secret, secret);
        assert_ne!(kept.registrations[0].client_secret, others);
    }

    fn own(client_id: &str) -> Registration {
        let mut registration = Registration::new(ISSUER, client_id);
        registration.redirect_uri = Some("http://127.0.0.1:1/callback".to_owned());
        registration
    }

    fn grant(resource: &str, client_id: &str) -> Grant {
        granted(ISSUER, resource, client_id, "s3cret")
    }

    fn clients(kept: &Credentials) -> [Vec<&str>; 2] {
        let registrations = kept.registrations.iter().map(|it| &*it.client_id);
        let grants = kept.grants.iter().map(|it| &*it.key.client_id);
        [registrations.collect(), grants.collect()]
    }

    #[test]
    fn a_client_that_gave_way_to_another_stays_as_long_as_a_grant_needs_it() {
        let mut kept = Credentials::default();
        for (client, expected) in [("a", &["a"][..]), ("b", &["a", "b"]), ("c", &["a", "c"])] {
            kept.keep_registration(own(client));
            if client == "a" {
                kept.keep_grant("https://mcp.example", grant("r", client));
            }
            assert_eq!(clients(&kept)[0], expected);
            assert_eq!(kept.registration(ISSUER, 0).unwrap().client_id, client);
        }
        kept.forget_registration(ISSUER, "c");
        assert_eq!(kept.registration(ISSUER, 0).unwrap().client_id, "a");
    }

    #[test]
    fn a_grant_gives_way_to_one_of_the_client_that_registered_anew() {
        for (name, before, at_another_server, resource, expected) in [
            ("the same", own("a"), false, "r", &["b"][..]),
            ("used elsewhere", own("a"), true, "r", &["a", "b"]),
            ("for something else", own("a"), false, "s", &["a", "b"]),
            (
                "given",
                Registration::new(ISSUER, "a"),
                false,
                "r",
                &["a", "b"],
            ),
        ] {
            let mut kept = Credentials::default();
            kept.keep_registration(before);
            kept.keep_grant("https://mcp.example", grant("r", "a"));
            if at_another_server {
                kept.keep_grant("https://mcp.example/", grant("r", "a"));
            }
            kept.keep_registration(own("b"));
            kept.keep_grant("https://mcp.example", grant(resource, "b"));
            assert_eq!(clients(&kept)[1], expected, "{name}");
            assert_eq!(
                kept.grant("https://mcp.example").unwrap().key.client_id,
                "b"
            );
        }
    }
}
