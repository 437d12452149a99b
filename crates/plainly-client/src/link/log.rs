//! Log messages from servers: the function that takes them, and from which level on. Requesting them differs between
//! the eras, and is done where requests are written and where sessions are opened.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use plainly_protocol::method::Method;
use plainly_protocol::types::{LoggingLevel, LoggingMessageParams};

use crate::error::mistakes;

/// A function that takes log messages from a level on.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) level: LoggingLevel,
    /// Whether a legacy server is asked for that level.
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

    /// Marks it as a legacy server's own choice of messages.
    pub(crate) fn unasked(self) -> Self {
        Self {
            is_requested: false,
            ..self
        }
    }

    /// Handles a log message. Ignores less severe messages than requested, which come if others have set the session's
    /// level.
    pub(crate) fn take(&self, params: &[u8]) {
        let message: LoggingMessageParams = match serde_json::from_slice(params) {
            Ok(message) => message,
            Err(why) => return mistakes::log(Method::LoggingMessage, params, &why),
        };
        if message.level < self.level {
            return;
        }
        // It runs where the connection is read, and that must go on.
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
