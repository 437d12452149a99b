//! Error codes: [`Code`] holds any integer that a peer may send and knows its range;
//! [`ApplicationCode`] holds only the codes that an application may choose. The meaning of each
//! known code is in the [registry](mod@crate::registry).

use std::fmt;

use serde::{Deserialize, Serialize};

/// A JSON-RPC error code as it appears on the wire: any integer.
///
/// There is no public way to *send* a code: errors are built as a
/// [`ProtocolError`](crate::ProtocolError), and the [dialect](crate::Dialect) assigns the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Code(i64);

/// A range of codes, by the side that may define codes in it (specification 2026-07-28, "Error
/// Codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "together they cover every integer")]
pub enum CodeRange {
    /// -32700 and -32600 to -32603: defined by JSON-RPC 2.0.
    Standard,
    /// The rest of -32768 to -32100: reserved by JSON-RPC for itself.
    Reserved,
    /// -32000 to -32019: used by implementations before there was a policy; a receiver must not
    /// assume a meaning, except for -32002.
    Legacy,
    /// -32020 to -32099: defined only by the MCP specification.
    Specification,
    /// Every other integer: free for applications.
    Application,
}

impl CodeRange {
    /// The name of the range: `standard`, `reserved`, `legacy`, `specification` or `application`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Reserved => "reserved",
            Self::Legacy => "legacy",
            Self::Specification => "specification",
            Self::Application => "application",
        }
    }

    /// The codes that the range contains.
    pub const fn bounds(self) -> &'static str {
        match self {
            Self::Standard => "-32700 and -32603 to -32600",
            Self::Reserved => "-32768 to -32100, except the standard codes",
            Self::Legacy => "-32019 to -32000",
            Self::Specification => "-32099 to -32020",
            Self::Application => "every integer outside -32768 to -32000",
        }
    }

    /// The policy for codes of this range: which side may define and send them.
    pub const fn policy(self) -> &'static str {
        match self {
            Self::Standard => {
                "defined by JSON-RPC; both sides send them, with the meaning that JSON-RPC defines"
            }
            Self::Reserved => "reserved by JSON-RPC for itself; must not be sent",
            Self::Legacy => {
                "used by implementations before there was a policy; new ones must not be defined, and \
                 new implementations send none"
            }
            Self::Specification => {
                "defined only by the MCP specification; send only those that the revision defines, with that meaning"
            }
            Self::Application => "free: any application may define and send its own",
        }
    }

    /// The assumption that a receiver may make about a code in this range that is not in the
    /// registry.
    pub const fn receive(self) -> &'static str {
        match self {
            Self::Standard => "assume its meaning, on every revision",
            Self::Reserved => "assume nothing: no version of JSON-RPC defines it",
            Self::Legacy => "assume nothing: implementations use it for different things",
            Self::Specification => "assume nothing: no known revision defines it",
            Self::Application => "assume only what the application documents",
        }
    }

    /// The advice for a code in this range that is not in the registry.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Standard | Self::Reserved | Self::Legacy => {
                "show the message to the user; the server's author should use a defined code, or one from the application range"
            }
            Self::Specification => {
                "show the message; look in a newer revision, or ask the server's author, who must not make up such codes"
            }
            Self::Application => "consult the server's documentation; show the message",
        }
    }

    /// The document that defines the policy.
    pub const fn source(self) -> &'static str {
        match self {
            Self::Standard | Self::Reserved => "JSON-RPC 2.0, section 5.1",
            Self::Legacy | Self::Specification | Self::Application => {
                "MCP 2026-07-28, basic/index, Error Codes"
            }
        }
    }
}

impl fmt::Display for CodeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Code {
    /// A code as it was received.
    pub const fn new(value: i64) -> Self {
        Self(value)
    }

    /// The code as an integer.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The range that the code is in.
    pub const fn range(self) -> CodeRange {
        // The order matters, because the standard codes are within the reserved range.
        match self.0 {
            -32700 | -32603..=-32600 => CodeRange::Standard,
            -32768..=-32100 => CodeRange::Reserved,
            -32099..=-32020 => CodeRange::Specification,
            -32019..=-32000 => CodeRange::Legacy,
            _ => CodeRange::Application,
        }
    }

    /// Whether any application may send the code.
    pub(crate) const fn is_application(self) -> bool {
        matches!(self.range(), CodeRange::Application)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A code that an application may define: anything outside -32768 to -32000.
///
/// ```
/// use plainly_errors::ApplicationCode;
///
/// const TEAPOT: ApplicationCode = ApplicationCode::of::<418>();
/// assert_eq!(TEAPOT.get(), 418);
/// assert!(ApplicationCode::try_from(-32001).is_err());
/// ```
///
/// A reserved code does not compile:
///
/// ```compile_fail
/// use plainly_errors::ApplicationCode;
///
/// const TIMEOUT: ApplicationCode = ApplicationCode::of::<-32001>();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApplicationCode(i64);

impl ApplicationCode {
    /// The code `CODE`, checked at compile time.
    pub const fn of<const CODE: i64>() -> Self {
        const { assert!(Code(CODE).is_application(), "reserved by JSON-RPC or MCP") };
        Self(CODE)
    }

    /// The code equal to an HTTP status. It is valid because all reserved codes are negative.
    pub(crate) fn of_status(status: u16) -> Self {
        Self(status.into())
    }

    /// The code as an integer.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl From<ApplicationCode> for Code {
    fn from(code: ApplicationCode) -> Self {
        Self(code.0)
    }
}

impl TryFrom<i64> for ApplicationCode {
    type Error = ReservedCode;

    fn try_from(value: i64) -> Result<Self, ReservedCode> {
        match Code(value).range() {
            CodeRange::Application => Ok(Self(value)),
            range @ (CodeRange::Standard
            | CodeRange::Reserved
            | CodeRange::Legacy
            | CodeRange::Specification) => Err(ReservedCode {
                code: Code(value),
                range,
            }),
        }
    }
}

impl fmt::Display for ApplicationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The application may not define this code: choose one outside -32768 to -32000.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "error code {code} is reserved by JSON-RPC or MCP: application codes must be outside -32768 to -32000"
)]
#[non_exhaustive]
pub struct ReservedCode {
    /// The rejected code.
    pub code: Code,
    /// The range that the code is in.
    pub range: CodeRange,
}

crate::debug_with_causes!(ReservedCode);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_meet_without_gap_at_their_edges() {
        let edges = [
            (-32769, CodeRange::Application),
            (-32768, CodeRange::Reserved),
            (-32701, CodeRange::Reserved),
            (-32700, CodeRange::Standard),
            (-32699, CodeRange::Reserved),
            (-32604, CodeRange::Reserved),
            (-32603, CodeRange::Standard),
            (-32600, CodeRange::Standard),
            (-32599, CodeRange::Reserved),
            (-32100, CodeRange::Reserved),
            (-32099, CodeRange::Specification),
            (-32020, CodeRange::Specification),
            (-32019, CodeRange::Legacy),
            (-32000, CodeRange::Legacy),
            (-31999, CodeRange::Application),
            (0, CodeRange::Application),
            (i64::MIN, CodeRange::Application),
            (i64::MAX, CodeRange::Application),
        ];
        for (code, range) in edges {
            assert_eq!(Code::new(code).range(), range, "{code}");
        }
    }

    #[test]
    fn an_application_code_is_exactly_one_of_the_application_range() {
        for code in -33000..=-31000 {
            let allowed = Code::new(code).range() == CodeRange::Application;
            assert_eq!(ApplicationCode::try_from(code).is_ok(), allowed, "{code}");
        }
    }
}
