//! The reasons for rejecting a token or a proof. Their texts are from a fixed list, which helps
//! clients without helping attackers.

use thiserror::Error;

use super::compact::MalformedToken;

/// The reason why a token is rejected. Its `Display` is one of a fixed list of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum TokenRefusal {
    /// It has not three parts in base64url, is too long, is no JSON, or has a member twice or of
    /// the wrong type.
    #[error("malformed")]
    Malformed,
    /// Its algorithm is not one of a key pair.
    #[error("algorithm")]
    Algorithm,
    /// Its header names a key, or an extension that must be understood.
    #[error("header")]
    Header,
    /// Its type is not that of an access token.
    #[error("type")]
    Type,
    /// The issuer has no such key.
    #[error("unknown key")]
    UnknownKey,
    /// It was changed, or signed with another key.
    #[error("signature")]
    Signature,
    /// Another server issued it.
    #[error("issuer")]
    Issuer,
    /// It is for another server.
    #[error("audience")]
    Audience,
    /// It has expired, or has no end.
    #[error("expired")]
    Expired,
    /// It is only valid later.
    #[error("not yet valid")]
    NotYetValid,
    /// It names neither a subject nor a client.
    #[error("no subject")]
    NoSubject,
    /// It identifies a user to a client, and authorizes nothing.
    #[error("an ID token")]
    IdToken,
    /// Its holder must prove something that can't be verified here.
    #[error("confirmation")]
    Confirmation,
    /// It requires a proof, and was sent without one.
    #[error("bound to a key")]
    Bound,
    /// It is bound to no key, although it came with a proof or a proof is required.
    #[error("not bound to a key")]
    NotBound,
    /// The issuer, or the list of keys, does not know it (any more).
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
    /// It has not three parts in base64url, is too long, is no JSON, or has a member twice or of
    /// the wrong type.
    #[error("malformed")]
    Malformed,
    /// Its algorithm is not one of a key pair.
    #[error("algorithm")]
    Algorithm,
    /// Its header names an extension that must be understood.
    #[error("header")]
    Header,
    /// Its type is not that of a proof.
    #[error("type")]
    Type,
    /// It contains no public key, or contains a private key.
    #[error("key")]
    Key,
    /// It is not signed with its key.
    #[error("signature")]
    Signature,
    /// It is for another method.
    #[error("method")]
    Method,
    /// It is for another URL.
    #[error("URL")]
    Url,
    /// It is too old, or is from the future.
    #[error("time")]
    Time,
    /// It is for another token.
    #[error("token")]
    Token,
    /// The token is bound to another key.
    #[error("another key")]
    OtherKey,
    /// It was used before.
    #[error("replayed")]
    Replayed,
    /// Too many recent proofs are stored already.
    #[error("too many")]
    TooMany,
    /// It has no nonce of this server, or an expired one.
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
