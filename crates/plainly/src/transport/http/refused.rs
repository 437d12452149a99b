//! Why a request gets no further than HTTP.

use plainly_errors::{ProtocolError, Refusal, Unavailable};

use super::budget::Exhausted;

/// What is answered in place of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The request is wrong.
    For(Refusal),
    /// It may be right, but there is no room for its body.
    Overloaded,
}

impl Refused {
    /// Whether a body stays unread that may be long: there is no next request behind it.
    pub(super) fn leaves_body(self) -> bool {
        match self {
            Self::For(refusal) => matches!(refusal, Refusal::TooLarge | Refusal::RequestTimeout),
            Self::Overloaded => true,
        }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::For(refusal)
    }
}

impl From<Exhausted> for Refused {
    fn from(Exhausted: Exhausted) -> Self {
        Self::Overloaded
    }
}

impl From<Refused> for ProtocolError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::For(refusal) => refusal.into(),
            Refused::Overloaded => Unavailable::Overloaded.into(),
        }
    }
}
