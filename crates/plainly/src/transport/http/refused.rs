//! Why a request gets no further than HTTP.

use plainly_errors::{ProtocolError, Refusal, Unavailable};

use crate::quota::QuotaExhausted;

/// What is answered in place of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The request is wrong.
    For(Refusal),
    /// It may be right, but there is no room for its body.
    Overloaded,
}

impl Rejection {
    /// Whether a body stays unread that may be long: there is no next request behind it.
    pub(super) fn leaves_body(self) -> bool {
        match self {
            Self::For(refusal) => matches!(refusal, Refusal::TooLarge | Refusal::RequestTimeout),
            Self::Overloaded => true,
        }
    }
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        Self::For(refusal)
    }
}

impl From<QuotaExhausted> for Rejection {
    fn from(QuotaExhausted: QuotaExhausted) -> Self {
        Self::Overloaded
    }
}

impl From<Rejection> for ProtocolError {
    fn from(refused: Rejection) -> Self {
        match refused {
            Rejection::For(refusal) => refusal.into(),
            Rejection::Overloaded => Unavailable::Overloaded.into(),
        }
    }
}
