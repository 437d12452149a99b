//! The settings of a client, the same for every connection.

use std::sync::Arc;
use std::time::Duration;

use plainly_errors::{Certainty, Revision};

use crate::cache::Shelf;
use crate::connect::operation::Observer;
use crate::connect::retries::Retries;
use crate::link::answer::{QuestionHandlers, Respondent};
use crate::link::dispatcher::Dispatcher;
use crate::link::log::Log;
use crate::message::clocks::Clocks;
use crate::message::deadline::Deadline;
use crate::message::limits::ClientLimits;
use crate::message::request::Introduction;
use crate::message::traffic::Tap;

/// The settings of a client, the same for every connection.
#[derive(Clone, Debug)]
pub(crate) struct ClientOptions {
    pub(crate) introduction: Introduction,
    /// The only revision to speak, if it was pinned.
    pub(crate) revision: Option<Revision>,
    /// Whether to ask a server first whether it is modern, if no revision was pinned.
    pub(crate) probes: bool,
    /// The time for one request.
    pub(crate) timeout: Duration,
    /// The time for one request in total, however often the server reports progress.
    pub(crate) longest: Duration,
    /// The time for everything before the first request.
    pub(crate) connect_timeout: Duration,
    /// Functions that answer what servers ask.
    pub(crate) handlers: QuestionHandlers,
    /// Limits on what the server sends.
    pub(crate) limits: ClientLimits,
    /// Receives what servers log.
    pub(crate) log: Option<Log>,
    /// The clocks that are paused while this client waits for its user.
    pub(crate) clocks: Clocks,
    /// Shows what passes.
    pub(crate) tap: Tap,
    /// Takes what each call came to.
    pub(crate) observer: Observer,
    /// The certainty that the meaning of a server's error must have.
    pub(crate) least: Certainty,
    /// The retries of failed calls.
    pub(crate) retries: Retries,
    /// Results that are kept.
    pub(crate) shelf: Option<Shelf>,
    /// The rules that the server must keep.
    pub(crate) checks: Checks,
}

/// The rules that the server must keep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    /// Structured output must be valid by the tool's schema.
    pub(crate) output: bool,
    /// Methods that the server did not declare are not called.
    pub(crate) capabilities: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Self {
            output: true,
            capabilities: true,
        }
    }
}

impl ClientOptions {
    /// The deadline for a connection that begins now.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::new(&self.clocks, self.connect_timeout)
    }

    /// A dispatcher for a connection with these options.
    pub(crate) fn dispatcher(&self) -> Dispatcher {
        let declared = self.introduction.capabilities.clone();
        let respondent = Respondent::new(self.handlers.clone(), declared);
        Dispatcher::new(
            Arc::new(respondent),
            self.log.clone(),
            self.tap.clone(),
            self.limits.clone(),
            self.shelf.clone(),
        )
    }
}
