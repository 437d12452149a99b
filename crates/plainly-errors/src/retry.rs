//! Whether sending a failed request again may help.

use std::fmt;

/// Whether sending the same request again may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retry {
    /// Never: the request would fail again.
    Never,
    /// After the request has been corrected.
    AfterFix,
    /// After a pause, if the request is safe to repeat.
    AfterDelay,
    /// Immediately.
    Immediately,
}

impl Retry {
    /// The name of the value: `never`, `after-fix`, `after-delay` or `immediately`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::AfterFix => "after-fix",
            Self::AfterDelay => "after-delay",
            Self::Immediately => "immediately",
        }
    }

    /// The advice for an error without a more specific one.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Never => "don't send the request again: it would fail again",
            Self::AfterFix => "fix what the message names, then send the request again",
            Self::AfterDelay => {
                "wait as long as the error says, then send the request again if it is safe to repeat"
            }
            Self::Immediately => "send the request again at once",
        }
    }
}

impl fmt::Display for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
