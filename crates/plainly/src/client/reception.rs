//! What a server says that is no reply: whom it concerns, whatever it came on. Every connection has one; it knows methods,
//! and not how messages travel.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use tokio::task::JoinSet;

use super::answer::Respondent;
use super::answer::questions::Questions;
use super::listeners::Listeners;
use super::log::Log;
use super::patience::Answering;
use super::progress::Underway;
use super::reply::Asked;
use super::spoken::Spoken;
use crate::limits::ClientLimits;
use crate::transport::Escaped;

/// Where what is no reply goes.
#[derive(Debug, Default)]
pub(super) struct Reception {
    pub(super) revision: Spoken,
    pub(super) listeners: Arc<Listeners>,
    pub(super) underway: Underway,
    pub(super) questions: Questions,
    pub(super) limits: ClientLimits,
    log: Option<Log>,
}

impl Reception {
    /// Has `respondent` answer, and `log` hear what is logged.
    pub(super) fn new(respondent: Arc<Respondent>, log: Option<Log>, limits: ClientLimits) -> Self {
        Self {
            questions: Questions::new(respondent, limits.questions),
            limits,
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
        } else if method == Method::Cancelled && !self.revision.get().traits().asks_in_results {
            self.questions.cancel(params);
        } else {
            self.listeners.take(method, params, on);
        }
    }

    /// Who answers what the server asks.
    pub(super) fn respondent(&self) -> &Respondent {
        self.questions.respondent()
    }

    /// Whether anything is heard of what a legacy server says unasked.
    pub(super) fn is_all_ears(&self) -> bool {
        self.log.is_some() || self.respondent().answers_any()
    }

    /// Has a request answered by `send`, in one of the `tasks` of what it came on; it counts as open until what `send` is
    /// given is dropped. Returns what is to be sent at once if there is nothing to wait for.
    pub(super) fn ask<S, F>(&self, asked: Asked, tasks: &mut JoinSet<()>, send: S) -> Option<Bytes>
    where
        S: FnOnce(Bytes, Answering) -> F + Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let revision = self.revision.get();
        if revision.traits().asks_in_results {
            let method = asked.method;
            tracing::warn!(method = %Escaped(&method), "the server must not send requests: not answered");
            return None;
        }
        self.questions.ask(asked, revision, tasks, send)
    }
}
