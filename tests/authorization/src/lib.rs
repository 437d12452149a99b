//! Test servers for a login: an authorization server, and an MCP server that it protects. By
//! default they behave well; each attack is one switch. Both record their requests, so that tests
//! can check what clients sent.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::exhaustive_structs, reason = "tests are changed along with it")]
#![expect(clippy::exhaustive_enums, reason = "tests are changed along with it")]

mod answer;
mod authorization_server;
mod books;
mod browser;
mod clients;
mod misbehaviour;
mod proof;
mod protected_server;
mod record;
mod rules;
mod token_endpoint;

pub use self::answer::{Answer, AnswerBody};
pub use self::authorization_server::AuthorizationServer;
pub use self::browser::location;
pub use self::misbehaviour::{Endpoint, Misbehaviour};
pub use self::protected_server::ProtectedServer;
pub use self::record::{Record, Seen};
pub use self::rules::{Binding, KnownClient, Proof, Rules, TokenForm};

/// The parameters of a query or a form, decoded.
#[must_use]
pub fn parameters(text: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}
