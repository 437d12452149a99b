//! Signed tokens, assertions and proofs: creates and verifies them.
//!
//! The signatures are those of `jsonwebtoken`, with the cryptography of `ring`. The other checks
//! that the RFCs require are here: first the form of a text, then its signature, then its contents.

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
