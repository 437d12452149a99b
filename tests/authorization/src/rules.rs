//! How an authorization server is: by default one that registers whoever comes, and gives opaque bearer tokens for an hour
//! whose refresh tokens rotate.

use plainly_oauth::jose::PublicKey;

/// How an authorization server is.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How clients may prove who they are.
    pub methods: Vec<&'static str>,
    /// Whether unknown clients can register.
    pub registers: bool,
    /// Whether a client's id may be the URL of its description.
    pub reads_client_documents: bool,
    /// The clients that it knows from the start.
    pub clients: Vec<KnownClient>,
    /// What its access tokens look like.
    pub form: TokenForm,
    /// What its tokens are bound to.
    pub binding: Binding,
    /// Whether each refresh token is good once.
    pub rotates: bool,
    /// Whether it gives refresh tokens at all.
    pub refreshes: bool,
    /// How long its tokens say that they last.
    pub expires_in: Option<u64>,
    /// Whether its answers to logins name it.
    pub sends_issuer: bool,
    /// The scopes that it says it has.
    pub scopes: Vec<&'static str>,
    /// What all its secrets begin with, so that they are found where they do not belong.
    pub marker: &'static str,
}

/// What access tokens look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenForm {
    /// A word.
    Opaque,
    /// Three parts in base64url.
    Jwt,
}

/// What tokens are bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Nothing.
    Bearer,
    /// A key of the client.
    Dpop,
    /// The same, and proofs must have the last nonce.
    DpopWithNonce,
}

/// A client that is known from the start.
#[derive(Clone, Debug)]
pub struct KnownClient {
    /// Its id.
    pub id: &'static str,
    /// What proves that.
    pub proof: Proof,
}

/// How a client proves who it is.
#[derive(Clone, Debug)]
pub enum Proof {
    /// Not at all.
    Nothing,
    /// This secret in the header.
    Basic(String),
    /// This secret in the form.
    Post(String),
    /// An assertion, signed with this key.
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
