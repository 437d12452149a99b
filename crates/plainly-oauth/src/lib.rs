//! The rules of the Model Context Protocol for OAuth: the order of URLs, the secrecy of values, and
//! the comparisons.
//!
//! It has no sockets, and none of MCP's methods: it reads bytes, and returns requests as data.
//! `plainly` does the rest.
//!
//! Identifiers (issuers, resources, client ids, scopes) are texts, which are compared exactly. No
//! URL parser may rewrite them, because an added slash makes another identifier.

pub mod authorization;
mod client_proof;
pub mod credentials;
pub mod device;
mod endpoint;
mod id_token;
#[cfg(feature = "jose")]
pub mod jose;
mod json;
pub mod metadata;
pub mod network;
mod pkce;
mod random;
pub mod registration;
pub mod scope;
mod secret;
mod single;
pub mod token;

pub use self::client_proof::{Form, IncompleteRegistration, prove};
pub use self::endpoint::{UnfitEndpoint, check_page, is_this_machine};
pub use self::json::{Object, Unreadable};
pub use self::pkce::Pkce;
pub use self::random::random_text;
pub use self::secret::Secret;
