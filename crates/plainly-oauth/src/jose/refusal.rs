//! The reasons for rejecting a token or a proof. Their texts are from a fixed list, which helps
//! clients without helping attackers.

use thiserror::Error;

use super::compact::MalformedToken;

/// The reason why a token is rejected. Its `Display` is one of a fixed list of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum TokenRefusal {
    /// The token does not have three parts in base64url, is too long, is no JSON, or has a member
    /// twice or of the wrong type.
    #[error("malformed")]
    Malformed,
    /// The token's algorithm is not one of a key pair.
    #[error("algorithm")]
    Algorithm,
    /// The token's header names a key, or an extension that must be understood.
    #[error("header")]
    Header,
    /// The token's type is not that of an access token.
    #[error("type")]
    Type,
    /// The issuer has no such key.
    #[error("unknown key")]
    UnknownKey,
    /// The token was changed, or signed with another key.
    #[error("signature")]
    Signature,
    /// Another server issued the token.
    #[error("issuer")]
    Issuer,
    /// The token is for another server.
    #[error("audience")]
    Audience,
    /// The token has expired, or has no end.
    #[error("expired")]
    Expired,
    /// The token is only valid later.
    #[error("not yet valid")]
    NotYetValid,
    /// The token names neither a subject nor a client.
    #[error("no subject")]
    NoSubject,
    /// The token identifies a user to a client, and authorizes nothing.
    #[error("an ID token")]
    IdToken,
    /// The token's holder must prove something that can't be verified here.
    #[error("confirmation")]
    Confirmation,
    /// The token requires a proof, and was sent without one.
    #[error("bound to a key")]
    Bound,
    /// The token is bound to no key, although it came with a proof or a proof is required.
    #[error("not bound to a key")]
    NotBound,
    /// The issuer, or the list of keys, does not know the token (any more).
    #[error("revoked")]
    Revoked,
}

/// The reason why a proof is rejected. Its `Display` is one of a fixed list of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum ProofRefusal {
    /// There is no proof, or more than one.
    #[error("not one proof")]
    NotOne,
    /// The proof does not have three parts in base64url, is too long, is no JSON, or has a member
    /// twice or of the wrong type.
    #[error("malformed")]
    Malformed,
    /// The proof's algorithm is not one of a key pair.
    #[error("algorithm")]
    Algorithm,
    /// The proof's header names an extension that must be understood.
    #[error("header")]
    Header,
    /// The proof's type is not that of a proof.
    #[error("type")]
    Type,
    /// The proof contains no public key, or contains a private key.
    #[error("key")]
    Key,
    /// The proof is not signed with its key.
    #[error("signature")]
    Signature,
    /// The proof is for another method.
    #[error("method")]
    Method,
    /// The proof is for another URL.
    #[error("URL")]
    Url,
    /// The proof is too old, or is from the future.
    #[error("time")]
    Time,
    /// The proof is for another token.
    #[error("token")]
    Token,
    /// The token is bound to another key.
    #[error("another key")]
    OtherKey,
    /// The proof was used before.
    #[error("replayed")]
    Replayed,
    /// Too many recent proofs are stored already.
    #[error("too many")]
    TooMany,
    /// The proof has no nonce of this server, or an expired one.
    #[error("nonce")]
    Nonce,
}

impl From<MalformedToken> for TokenRefusal {
    fn from(malformed: MalformedToken) -> Self {
        match malformed {
            MalformedToken::Form => Self::Malformed,
            MalformedToken::Header => Self::Header,
            MalformedToken::Algorithm => Self::Algorithm,
        }
    }
}

impl From<MalformedToken> for ProofRefusal {
    fn from(malformed: MalformedToken) -> Self {
        match malformed {
            MalformedToken::Form => Self::Malformed,
            MalformedToken::Header => Self::Header,
            MalformedToken::Algorithm => Self::Algorithm,
        }
    }
}
