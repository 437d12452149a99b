//! The reasons for rejecting a token or a proof, from a fixed list of words: they help a client,
//! and give an attacker nothing new.

use thiserror::Error;

use super::compact::MalformedToken;

/// The reason why a token is rejected. Displayed, it is one of a fixed list of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum TokenRefusal {
    /// Not three parts in base64url, too long, no JSON, a member twice, or one of a wrong type.
    #[error("malformed")]
    Malformed,
    /// None that a key pair signs by.
    #[error("algorithm")]
    Algorithm,
    /// Its header names its key, or an extension that must be understood.
    #[error("header")]
    Header,
    /// It is no access token by its type.
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
    /// It has ended, or has no end.
    #[error("expired")]
    Expired,
    /// It begins later.
    #[error("not yet valid")]
    NotYetValid,
    /// It names neither a subject nor a client.
    #[error("no subject")]
    NoSubject,
    /// It identifies a user to a client, and authorizes nothing.
    #[error("an ID token")]
    IdToken,
    /// Its holder must prove something that we can't verify.
    #[error("confirmation")]
    Confirmation,
    /// It needs a proof, and was sent without one.
    #[error("bound to a key")]
    Bound,
    /// It came with a proof, and is bound to no key; or a proof is required.
    #[error("not bound to a key")]
    NotBound,
    /// The issuer, or the list of keys, does not know it, or no longer.
    #[error("revoked")]
    Revoked,
}

/// The reason why a proof is rejected. Displayed, it is one of a fixed list of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum ProofRefusal {
    /// There is none, or more than one.
    #[error("not one proof")]
    NotOne,
    /// Not three parts in base64url, too long, no JSON, a member twice, or one of a wrong type.
    #[error("malformed")]
    Malformed,
    /// None that a key pair signs by.
    #[error("algorithm")]
    Algorithm,
    /// Its header names an extension that must be understood.
    #[error("header")]
    Header,
    /// It is no proof by its type.
    #[error("type")]
    Type,
    /// It has no public key, or a private one in it.
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
    /// It was made too long ago, or is from the future.
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
    /// Too many proofs came in a short time to remember more of them.
    #[error("too many")]
    TooMany,
    /// It has no nonce of ours, or an old one.
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
