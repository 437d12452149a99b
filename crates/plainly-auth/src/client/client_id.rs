//! The client that an authorization server knows: its id, and its authentication.

use plainly_oauth::Secret;
use plainly_oauth::credentials::{ClientAuthMethod, Registration};
use plainly_oauth::jose::SigningKey;
use plainly_oauth::metadata::ServerMetadata;

/// A client that was registered at the authorization server beforehand.
#[derive(Clone, Debug)]
pub struct ClientId {
    pub(super) id: String,
    pub(super) issuer: Option<String>,
    pub(super) proof: ClientProof,
}

/// The authentication of a client.
#[derive(Clone, Debug)]
pub(super) enum ClientProof {
    Nothing,
    Secret(Secret),
    Key(SigningKey),
}

impl ClientId {
    /// The id of a public client, which does not authenticate itself.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            issuer: None,
            proof: ClientProof::Nothing,
        }
    }

    /// Limits the client to this authorization server, spelled as that server spells its issuer.
    ///
    /// Without an issuer, the id is for the first authorization server that requires one.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Adds a secret.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.proof = ClientProof::Secret(secret.into());
        self
    }

    /// Adds a key (`private_key_jwt`).
    #[must_use]
    pub fn key(mut self, key: SigningKey) -> Self {
        self.proof = ClientProof::Key(key);
        self
    }
}

/// A client as an authorization server knows it.
#[derive(Clone, Debug)]
pub(super) struct RegisteredClient {
    pub(super) registration: Registration,
    /// The key that signs its assertions (`private_key_jwt`).
    pub(super) key: Option<SigningKey>,
}

impl From<Registration> for RegisteredClient {
    fn from(registration: Registration) -> Self {
        Self {
            registration,
            key: None,
        }
    }
}

impl ClientId {
    /// The client at this authorization server.
    pub(super) fn at(&self, issuer: &str, server: Option<&ServerMetadata>) -> RegisteredClient {
        let mut client = RegisteredClient::from(Registration::new(issuer, self.id.as_str()));
        match &self.proof {
            ClientProof::Nothing => {}
            ClientProof::Secret(secret) => {
                client.registration.client_secret = Some(secret.clone());
                let method = server.map(ClientAuthMethod::of_secret);
                client.registration.method = method.unwrap_or(ClientAuthMethod::Basic);
            }
            ClientProof::Key(key) => {
                client.registration.method = ClientAuthMethod::PrivateKey;
                client.key = Some(key.clone());
            }
        }
        client
    }
}
