//! The clients, logins and tokens of an authorization server.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::rules::{KnownClient, Proof, TokenForm};

#[derive(Debug, Default)]
pub(crate) struct Books {
    count: u64,
    pub(crate) clients: BTreeMap<String, Proof>,
    /// The scopes that registered clients may request (RFC 7591, 2).
    pub(crate) scopes: BTreeMap<String, String>,
    pub(crate) codes: BTreeMap<String, Code>,
    pub(crate) refresh: BTreeMap<String, Refresh>,
    pub(crate) access: BTreeMap<String, Access>,
    /// The pending login on another device.
    pub(crate) device: Option<(String, Access)>,
    /// Tokens and codes that were used.
    pub(crate) spent: BTreeSet<String>,
    /// The number of times that a used refresh token was sent again.
    pub(crate) reused: usize,
    /// The number of the nonce that proofs must have.
    pub(crate) nonce: u64,
}

/// An authorization code that its client has not used yet.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) client: String,
    pub(crate) redirect_uri: String,
    pub(crate) challenge: String,
    pub(crate) for_what: Access,
}

/// The access that a token grants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    pub(crate) client: String,
    pub(crate) resource: Option<String>,
    pub(crate) scope: String,
    pub(crate) thumbprint: Option<String>,
    pub(crate) has_ended: bool,
}

impl Access {
    /// The access as an introspection response.
    pub(crate) fn told(&self) -> Value {
        let mut told = json!({
            "active": true, "client_id": self.client, "sub": self.client, "aud": self.resource, "scope": self.scope,
            "exp": u32::MAX,
        });
        if let Some(thumbprint) = &self.thumbprint {
            told["cnf"] = json!({ "jkt": thumbprint });
        }
        told
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Refresh {
    pub(crate) for_what: Access,
    pub(crate) is_spent: bool,
}

impl Books {
    pub(crate) fn new(clients: &[KnownClient]) -> Self {
        let clients = clients
            .iter()
            .map(|it| (it.id.to_owned(), it.proof.clone()));
        Self {
            clients: clients.collect(),
            ..Self::default()
        }
    }

    /// Whether a client may request these scopes. A registered client may only request those of its
    /// registration.
    pub(crate) fn may_ask(&self, client: &str, scope: &str) -> bool {
        let Some(registered) = self.scopes.get(client) else {
            return true;
        };
        let mut asked = scope.split_whitespace();
        asked.all(|it| registered.split_whitespace().any(|known| known == it))
    }

    /// A new unique text of this kind.
    pub(crate) fn word(&mut self, marker: &str, kind: &str) -> String {
        self.count += 1;
        format!("{marker}-{kind}-{}-", self.count)
    }

    pub(crate) fn access_token(&mut self, marker: &str, form: TokenForm, good: Access) -> String {
        let word = self.word(marker, "access");
        let token = match form {
            TokenForm::Opaque => word,
            TokenForm::Jwt => {
                let claims = json!({ "jti": word, "client_id": good.client, "scope": good.scope });
                let parts = [json!({ "alg": "ES256", "typ": "at+jwt" }), claims];
                let [header, claims] =
                    parts.map(|it| BASE64_URL_SAFE_NO_PAD.encode(it.to_string()));
                format!("{header}.{claims}.{word}")
            }
        };
        self.access.insert(token.clone(), good);
        token
    }

    pub(crate) fn refresh_token(&mut self, marker: &str, for_what: Access) -> String {
        let token = self.word(marker, "refresh");
        let refresh = Refresh {
            for_what,
            is_spent: false,
        };
        self.refresh.insert(token.clone(), refresh);
        token
    }

    /// The nonce that proofs must have now.
    pub(crate) fn nonce(&self) -> String {
        format!("nonce-{}", self.nonce)
    }
}
