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
    /// The only revision to use, if it was pinned.
    pub(crate) revision: Option<Revision>,
    /// Whether to ask a server first whether it is modern, if no revision was pinned.
    pub(crate) probes: bool,
    /// The timeout of one request.
    pub(crate) timeout: Duration,
    /// The longest time for one request, however often the server reports progress.
    pub(crate) longest: Duration,
    /// The timeout for everything before the first request.
    pub(crate) connect_timeout: Duration,
    /// The functions that answer the server's questions.
    pub(crate) handlers: QuestionHandlers,
    /// Limits on what the server sends.
    pub(crate) limits: ClientLimits,
    /// Receives the server's log messages.
    pub(crate) log: Option<Log>,
    /// The clocks that are paused while this client waits for its user.
    pub(crate) clocks: Clocks,
    /// Reports the traffic.
    pub(crate) tap: Tap,
    /// Receives the outcome of each call.
    pub(crate) observer: Observer,
    /// The certainty that the meaning of a server's error must have.
    pub(crate) least: Certainty,
    /// The retries of failed calls.
    pub(crate) retries: Retries,
    /// The cached results.
    pub(crate) shelf: Option<Shelf>,
    /// The rules that the server must follow.
    pub(crate) checks: Checks,
}

/// The rules that the server must follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checks {
    /// Structured output must match the tool's schema.
    pub(crate) output: bool,
    /// Methods whose capability the server did not declare are not called.
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
