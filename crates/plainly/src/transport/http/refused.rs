//! The reasons for refusing a request before it reaches the server.

use plainly_errors::{ProtocolError, Refusal, Unavailable};

use crate::quota::QuotaExhausted;

/// A refusal before the request reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The request is wrong.
    For(Refusal),
    /// It may be right, but there is no room for its body.
    Overloaded,
}

impl Rejection {
    /// Whether a possibly long body stays unread: then the connection can't take another request.
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
