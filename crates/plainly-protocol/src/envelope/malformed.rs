//! The reason why a frame is no message, and the kind of message that it would have been.

use std::fmt;

use super::defect::Defect;
use super::found;
use crate::id::RawId;

/// Input that is no JSON-RPC message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MalformedMessage<'a> {
    /// The protocol error that it is.
    pub kind: MalformedKind,
    /// The id to answer with: that of the message whose envelope is wrong, where it could be read without doubt.
    pub id: Option<RawId<'a>>,
    /// Whether it has a `method`, and so wants an answer under its id rather than being one.
    pub asks: bool,
    defect: Defect,
    /// The frame with the defect, for a description in words.
    frame: &'a [u8],
}

/// The protocol error that a malformed message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC tells apart these three before it knows the method"
)]
pub enum MalformedKind {
    /// Parse error: not UTF-8, or not JSON.
    Parse,
    /// Invalid request: JSON, but no message; or with duplicate keys, a lone surrogate, a number that no 64-bit float comes
    /// near, too deep, too large.
    InvalidRequest,
    /// Invalid params: a request or notification whose `params` are there and no object.
    InvalidParams,
}

impl<'a> MalformedMessage<'a> {
    /// Notes the frame that it is in.
    pub(super) fn is_within(&mut self, frame: &'a [u8]) {
        self.frame = frame;
    }

    /// The byte of the frame at which the fault was noticed; 0 is the first.
    pub fn offset(&self) -> usize {
        self.defect.at
    }
}

/// The fault and the byte where it was noticed, with what stands there: at most 256 bytes, in visible characters.
impl fmt::Display for MalformedMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        found::write(f, self.defect, self.frame)
    }
}

impl std::error::Error for MalformedMessage<'_> {}

/// The malformed message of a defect.
impl Defect {
    pub(super) fn into_parse<'a>(self) -> MalformedMessage<'a> {
        self.into_malformed(MalformedKind::Parse, None, false)
    }

    pub(super) fn into_invalid_request(
        self,
        id: Option<RawId<'_>>,
        asks: bool,
    ) -> MalformedMessage<'_> {
        self.into_malformed(MalformedKind::InvalidRequest, id, asks)
    }

    pub(super) fn into_invalid_params(self, id: Option<RawId<'_>>) -> MalformedMessage<'_> {
        self.into_malformed(MalformedKind::InvalidParams, id, true)
    }

    fn into_malformed(
        self,
        kind: MalformedKind,
        id: Option<RawId<'_>>,
        asks: bool,
    ) -> MalformedMessage<'_> {
        MalformedMessage {
            kind,
            id,
            asks,
            defect: self,
            frame: &[],
        }
    }
}
