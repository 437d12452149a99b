//! Log messages from a server to its client: the specification's page "Logging". A client chooses
//! the least severe level in `logging/setLevel` up to 2025-11-25, and in the `_meta` of each
//! request from 2026-07-28. The recipients are decided elsewhere.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::json::RawJson;
use super::record::record;

/// The severity of a log message: the levels of RFC 5424, ordered from the least severe to the
/// most.
///
/// ```
/// use plainly_protocol::types::LoggingLevel;
///
/// let wanted = LoggingLevel::Warning;
/// assert!(LoggingLevel::Error >= wanted);
/// assert!(LoggingLevel::Notice < wanted);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(
    clippy::exhaustive_enums,
    reason = "RFC 5424 has these eight, and every revision the same"
)]
pub enum LoggingLevel {
    /// Details for debugging, such as function entry and exit points.
    Debug,
    /// Ordinary events, such as the progress of an operation.
    Info,
    /// A normal but significant event, such as a configuration change.
    Notice,
    /// A warning, such as the use of a deprecated feature.
    Warning,
    /// A failure of an operation.
    Error,
    /// A failure of a component.
    Critical,
    /// A condition that needs immediate action, such as data corruption.
    Alert,
    /// The system is unusable.
    Emergency,
}

impl LoggingLevel {
    /// Every level, the least severe first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

impl fmt::Display for LoggingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

record! {
    /// The parameters of `logging/setLevel`, up to 2025-11-25.
    #[derive(Eq)]
    pub struct SetLevelParams {
        /// The least severe level that the client wants to receive.
        pub level: LoggingLevel,
    }

    /// Requests messages of this level and of more severe ones.
    pub fn new(level: LoggingLevel);
}

record! {
    /// The parameters of `notifications/message`.
    #[derive(Eq)]
    pub struct LoggingMessageParams {
        /// The severity.
        pub level: LoggingLevel,
        /// The part of the server that logs it.
        pub logger: Option<String>,
        /// The message: any JSON, verbatim.
        pub data: RawJson,
    }

    /// A message without a logger.
    pub fn new(level: LoggingLevel, data: impl Into<RawJson>);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_words_in_order_of_severity() {
        assert!(LoggingLevel::ALL.is_sorted());
        for level in LoggingLevel::ALL {
            let json = format!("\"{level}\"");
            assert_eq!(serde_json::to_string(&level).unwrap(), json);
            assert_eq!(serde_json::from_str::<LoggingLevel>(&json).unwrap(), level);
        }
        for other in [r#""Info""#, r#""warn""#, r#""""#, "3", "null"] {
            assert!(
                serde_json::from_str::<LoggingLevel>(other).is_err(),
                "{other}"
            );
        }
    }

    #[test]
    fn a_message_needs_data_and_null_is_some() {
        let read = serde_json::from_str::<LoggingMessageParams>;
        assert_eq!(
            read(r#"{"level":"info","data":null}"#).unwrap().data.get(),
            "null"
        );
        assert!(read(r#"{"level":"info"}"#).is_err());
    }
}
