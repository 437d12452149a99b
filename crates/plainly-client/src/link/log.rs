//! Log messages from servers: the function that receives them, and their minimum level. Requests
//! for log messages differ between the eras, so they are in other files, where requests are written
//! and sessions are opened.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use plainly_protocol::method::Method;
use plainly_protocol::types::{LoggingLevel, LoggingMessageParams};

use crate::error::mistakes;

/// A function that receives log messages of a minimum level.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) level: LoggingLevel,
    /// Whether the client requests that level from a legacy server.
    pub(crate) is_requested: bool,
    tell: Arc<dyn Fn(LoggingMessageParams) + Send + Sync>,
}

impl Log {
    pub(crate) fn new(
        level: LoggingLevel,
        tell: impl Fn(LoggingMessageParams) + Send + Sync + 'static,
    ) -> Self {
        let tell = Arc::new(tell);
        Self {
            level,
            is_requested: true,
            tell,
        }
    }

    /// Leaves the choice of messages to a legacy server.
    pub(crate) fn unasked(self) -> Self {
        Self {
            is_requested: false,
            ..self
        }
    }

    /// Handles a log message. Ignores messages less severe than requested, which come if others
    /// have set the session's level.
    pub(crate) fn take(&self, params: &[u8]) {
        let message: LoggingMessageParams = match serde_json::from_slice(params) {
            Ok(message) => message,
            Err(why) => return mistakes::log(Method::LoggingMessage, params, &why),
        };
        if message.level < self.level {
            return;
        }
        // The function runs where the connection is read, which must continue after a panic.
        if catch_unwind(AssertUnwindSafe(|| (self.tell)(message))).is_err() {
            tracing::error!("the handler of a log message panicked");
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log")
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}
