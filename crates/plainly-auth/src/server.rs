//! Authentication over HTTP: a resource server of OAuth 2.1, as MCP requires (2026-07-28,
//! "Authorization"), and API keys for programs without an authorization server.
//!
//! ```text
//! head ─► credentials ─► remembered ─► failures ─► verifier ─► proof ─► scopes ─► Caller and Principal
//!                                      tokens ─► jwt │ introspection │ api_keys
//! ```
//!
//! A [`ResourceServer`] is a gate of the HTTP transport: it checks every request below the
//! endpoint's path. All its rejections are in one table, in `challenge.rs`.

mod api_key;
mod api_keys;
mod caller;
mod challenge;
mod credentials;
mod document;
mod failures;
mod gate;
mod introspection;
mod issuer_keys;
mod jwt;
mod key_list;
mod nonces;
mod proof;
mod public_client;
mod remembered;
mod resource_server;
mod scopes;
mod setup;
mod tokens;
mod verifier;

pub use self::api_key::{ApiKey, KeyRow};
pub use self::api_keys::ApiKeys;
pub use self::caller::Caller;
pub use self::introspection::Introspection;
pub use self::key_list::ApiKeyError;
pub use self::proof::Dpop;
pub use self::resource_server::{ResourceServer, ResourceServerBuilder};
pub use self::scopes::ScopedRequest;
pub use self::setup::AuthSetupError;
pub use self::verifier::{VerificationError, VerifiedToken, Verifier};
/// The parts of the crate `plainly-oauth` that the API uses.
pub use plainly_oauth::{Secret, jose, scope};
