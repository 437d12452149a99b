//! The rules of an authorization server. By default it registers every client, and issues opaque
//! bearer tokens that last an hour, with rotating refresh tokens.

use plainly_oauth::jose::PublicKey;

/// The rules of an authorization server.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The supported client authentication methods.
    pub methods: Vec<&'static str>,
    /// Whether unknown clients can register.
    pub registers: bool,
    /// Whether a client id may be the URL of a client metadata document.
    pub reads_client_documents: bool,
    /// The clients known from the start.
    pub clients: Vec<KnownClient>,
    /// The form of access tokens.
    pub form: TokenForm,
    /// The binding of tokens.
    pub binding: Binding,
    /// Whether refresh tokens rotate.
    pub rotates: bool,
    /// Whether refresh tokens are issued.
    pub refreshes: bool,
    /// The reported lifetime of tokens, in seconds.
    pub expires_in: Option<u64>,
    /// Whether authorization responses contain the issuer.
    pub sends_issuer: bool,
    /// The supported scopes in the metadata.
    pub scopes: Vec<&'static str>,
    /// The prefix of all secrets, by which tests find them in wrong places.
    pub marker: &'static str,
}

/// The form of access tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenForm {
    /// An opaque text.
    Opaque,
    /// Three parts in base64url.
    Jwt,
}

/// The binding of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Not bound.
    Bearer,
    /// Bound to a key of the client.
    Dpop,
    /// Bound to a key of the client, and proofs must contain the current nonce.
    DpopWithNonce,
}

/// A client that is known from the start.
#[derive(Clone, Debug)]
pub struct KnownClient {
    /// The client id.
    pub id: &'static str,
    /// The client's authentication.
    pub proof: Proof,
}

/// The way in which a client authenticates.
#[derive(Clone, Debug)]
pub enum Proof {
    /// No authentication.
    Nothing,
    /// This secret, in the header.
    Basic(String),
    /// This secret, in the form.
    Post(String),
    /// An assertion signed with this key.
    Key(PublicKey),
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            methods: vec!["none", "client_secret_basic", "client_secret_post"],
            registers: true,
            reads_client_documents: false,
            clients: Vec::new(),
            form: TokenForm::Opaque,
            binding: Binding::Bearer,
            rotates: true,
            refreshes: true,
            expires_in: Some(3600),
            sends_issuer: true,
            scopes: Vec::new(),
            marker: "secret",
        }
    }
}
