//! The reason why a frame is not a message, and the kind of message that it would have been.

use std::fmt;

use super::defect::Defect;
use super::found;
use crate::id::RawId;

/// Input that is not a JSON-RPC message.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MalformedMessage<'a> {
    /// The protocol error that the input causes.
    pub kind: MalformedKind,
    /// The id for the error response: that of the malformed message, if it could be read without
    /// ambiguity.
    pub id: Option<RawId<'a>>,
    /// Whether the message has a `method`, so that it expects a response rather than being one.
    pub asks: bool,
    defect: Defect,
    /// The frame with the defect, from which the description is built.
    frame: &'a [u8],
}

/// The protocol error that a malformed message causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC tells apart these three before it knows the method"
)]
pub enum MalformedKind {
    /// Parse error: the frame is not UTF-8 or not JSON.
    Parse,
    /// Invalid request: JSON that is not a message, exceeds a limit, or has duplicate keys, a lone
    /// surrogate or a number beyond the range of a 64-bit float.
    InvalidRequest,
    /// Invalid params: a request or notification whose `params` are not an object.
    InvalidParams,
}

impl<'a> MalformedMessage<'a> {
    /// Stores the frame that contains the defect.
    pub(super) fn is_within(&mut self, frame: &'a [u8]) {
        self.frame = frame;
    }

    /// The offset in the frame, from 0, at which the fault was detected.
    pub fn offset(&self) -> usize {
        self.defect.at
    }
}

/// The fault and its offset, and a quotation of the text there: at most 256 bytes, with visible
/// characters only.
impl fmt::Display for MalformedMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        found::write(f, self.defect, self.frame)
    }
}

impl std::error::Error for MalformedMessage<'_> {}

/// Conversions of a defect into a malformed message.
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
