//! Why a frame is no message, and whose message it would have been.

use std::fmt;

use crate::id::RawId;

/// Input that is no JSON-RPC message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Malformed<'a> {
    /// The protocol error that it is.
    pub kind: MalformedKind,
    /// The id to answer with: that of the message whose envelope is wrong, where it could be read without doubt.
    pub id: Option<RawId<'a>>,
    defect: Defect,
}

/// The protocol error that a malformed message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC tells apart these three before it knows the method"
)]
pub enum MalformedKind {
    /// Parse error: not UTF-8, not JSON, a lone surrogate, or a number that no 64-bit float comes near.
    Parse,
    /// Invalid request: JSON, but no message; or with duplicate keys, too deep, too large.
    InvalidRequest,
    /// Invalid params: a request or notification whose `params` are there and no object.
    InvalidParams,
}

impl Malformed<'_> {
    /// The byte of the frame at which the fault was noticed; 0 is the first.
    pub fn offset(&self) -> usize {
        self.defect.at
    }
}

/// The fault and the byte where it was noticed; holds nothing that the peer wrote.
impl fmt::Display for Malformed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.defect.what, self.defect.at)
    }
}

impl std::error::Error for Malformed<'_> {}

/// A fault and where it is, before it is known what that makes of the message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Defect {
    what: &'static str,
    at: usize,
}

impl Defect {
    pub(super) fn new(what: &'static str, at: usize) -> Self {
        Self { what, at }
    }

    pub(super) fn into_parse<'a>(self) -> Malformed<'a> {
        self.into_malformed(MalformedKind::Parse, None)
    }

    pub(super) fn into_invalid_request(self, id: Option<RawId<'_>>) -> Malformed<'_> {
        self.into_malformed(MalformedKind::InvalidRequest, id)
    }

    pub(super) fn into_invalid_params(self, id: Option<RawId<'_>>) -> Malformed<'_> {
        self.into_malformed(MalformedKind::InvalidParams, id)
    }

    fn into_malformed(self, kind: MalformedKind, id: Option<RawId<'_>>) -> Malformed<'_> {
        Malformed {
            kind,
            id,
            defect: self,
        }
    }
}
