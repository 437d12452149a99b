//! Why a token or a proof is refused, in words of a fixed list: they tell a client what to do, and an attacker nothing that
//! it did not send.

use thiserror::Error;

use super::compact::Malformed;

/// Why a token does not let its holder in. Displayed, it is one of a fixed list of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum TokenRefusal {
    /// Not three parts in base64url, too long, no JSON, a member twice, or one of a wrong type.
    #[error("malformed")]
    Malformed,
    /// None that a key pair signs by.
    #[error("algorithm")]
    Algorithm,
    /// Its header says where its key is, or what else must be understood.
    #[error("header")]
    Header,
    /// It is no access token by its type.
    #[error("type")]
    Type,
    /// The issuer has no such key.
    #[error("unknown key")]
    UnknownKey,
    /// It was changed, or signed by someone else.
    #[error("signature")]
    Signature,
    /// Somebody else issued it.
    #[error("issuer")]
    Issuer,
    /// It is for somebody else.
    #[error("audience")]
    Audience,
    /// It has ended, or does not say when it does.
    #[error("expired")]
    Expired,
    /// It begins later.
    #[error("not yet valid")]
    NotYetValid,
    /// It says neither whom it is about nor to whom it was given.
    #[error("no subject")]
    NoSubject,
    /// It is for the client that asked who somebody is.
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

/// Why a proof proves nothing. Displayed, it is one of a fixed list of words.
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
    /// Its header says what else must be understood.
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

impl From<Malformed> for TokenRefusal {
    fn from(malformed: Malformed) -> Self {
        match malformed {
            Malformed::Form => Self::Malformed,
            Malformed::Header => Self::Header,
            Malformed::Algorithm => Self::Algorithm,
        }
    }
}

impl From<Malformed> for ProofRefusal {
    fn from(malformed: Malformed) -> Self {
        match malformed {
            Malformed::Form => Self::Malformed,
            Malformed::Header => Self::Header,
            Malformed::Algorithm => Self::Algorithm,
        }
    }
}
