//! Tokens, assertions and proofs that are signed: made and verified.
//!
//! The signatures are those of `jsonwebtoken`, with the cryptography of `ring`. What the RFCs ask beside a good signature is
//! checked here: first the form of a text, then its signature, then what it says.

mod access_token;
mod algorithm;
mod assertion;
mod claims;
mod compact;
mod der;
pub mod dpop;
mod introspection;
mod jwk;
mod jwks;
mod key;
mod provider;
mod refusal;

pub use self::access_token::AccessToken;
pub use self::algorithm::SignatureAlgorithm;
pub use self::assertion::client_assertion;
pub use self::claims::{ClaimRules, LEEWAY, TokenClaims, good_until};
pub use self::compact::LONGEST;
pub use self::introspection::{UnreadableAnswer, introspected};
pub use self::jwk::{PublicKey, UnusableKey};
pub use self::jwks::{Jwks, UnusableKeys};
pub use self::key::{KeyError, SigningKey};
pub use self::refusal::{ProofRefusal, TokenRefusal};
