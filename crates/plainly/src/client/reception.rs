//! What a server says that is no reply: whom it concerns, whatever it came on. Every connection has one; it knows methods,
//! and not how messages travel.

use std::sync::Arc;

use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;

use super::listeners::Listeners;
use super::log::Log;
use super::patience::Busy;
use super::progress::Underway;
use super::spoken::Spoken;

/// Where what is no reply goes.
#[derive(Debug, Default)]
pub(super) struct Reception {
    pub(super) revision: Spoken,
    pub(super) listeners: Arc<Listeners>,
    pub(super) underway: Underway,
    pub(super) busy: Arc<Busy>,
    log: Option<Log>,
}

impl Reception {
    pub(super) fn new(log: Option<Log>) -> Self {
        Self {
            log,
            ..Self::default()
        }
    }

    /// Takes a notification. `on` is the request on whose stream it came, if that listens.
    pub(super) fn tell(&self, method: &str, params: &[u8], on: Option<&RequestId>) {
        let Some(method) = Method::find(method, self.revision.get()) else {
            return;
        };
        if method == Method::Progress {
            self.underway.take(params);
        } else if method == Method::LoggingMessage {
            if let Some(log) = &self.log {
                log.take(params);
            }
        } else {
            self.listeners.take(method, params, on);
        }
    }

    /// Whether anything is heard of what a legacy server says unasked.
    pub(super) fn is_all_ears(&self) -> bool {
        self.log.is_some()
    }
}
