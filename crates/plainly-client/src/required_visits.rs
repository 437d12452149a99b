//! Pages that the user must visit before a server does what it was asked for, which it says in an error (2025-11-25,
//! "URL Elicitation Required Error"): the call is made again once they are done there.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;

use plainly_errors::UrlElicitation;
use plainly_protocol::method::Method;
use plainly_protocol::types::ElicitationCompleteParams;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Sender, channel};

use super::error::Error;
use super::{Client, mistakes};

/// The most ids that wait to be looked at: whoever misses one still hears of the end from the user.
const KEPT: usize = 64;

/// The visits that one call was refused for so far, as sets of their ids.
#[derive(Debug, Default)]
pub(super) struct VisitsOfCall(Vec<BTreeSet<String>>);

/// What the server tells of visits that are over.
#[derive(Debug)]
pub(super) struct CompletedVisits(Sender<String>);

impl Default for CompletedVisits {
    fn default() -> Self {
        Self(channel(KEPT).0)
    }
}

impl CompletedVisits {
    /// Takes a notification.
    pub(super) fn take(&self, params: &[u8]) {
        match serde_json::from_slice(params) {
            Ok(ElicitationCompleteParams { elicitation_id, .. }) => {
                let _nobody_waits = self.0.send(elicitation_id);
            }
            Err(why) => mistakes::log(Method::ElicitationComplete, params, &why),
        }
    }

    /// Resolves when the server has told of all of these, from now on.
    fn all(&self, mut ids: BTreeSet<String>) -> impl Future<Output = ()> {
        let mut told = self.0.subscribe();
        async move {
            while !ids.is_empty() {
                match told.recv().await {
                    Ok(id) => _ = ids.remove(&id),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        }
    }
}

impl Client {
    /// Whether a call that ended with this error is to be made again: the user has been where the server sends them, and is
    /// sent there for the first time.
    pub(super) async fn is_visited(&self, error: &Error, before: &mut VisitsOfCall) -> bool {
        let Some(required) = error.url_elicitations() else {
            return false;
        };
        let ids = required.iter().map(|one| one.elicitation_id.clone());
        let ids: BTreeSet<_> = ids.collect();
        let is_again = before.0.contains(&ids) || before.0.len() == self.connected.limits().rounds;
        if ids.is_empty() || is_again {
            return false;
        }
        before.0.push(ids.clone());
        self.are_over(required, ids).await
    }

    /// Has the user visit these; `false` if they don't. Waits until they say that they are done, or the server does.
    async fn are_over(&self, required: &[UrlElicitation], ids: BTreeSet<String>) -> bool {
        let dispatcher = self.connected.link.dispatcher();
        let Some(visiting) = dispatcher.respondent().visit_all(required) else {
            return false;
        };
        // Before the user can have been there.
        let mut told = pin!(dispatcher.visits.all(ids));
        tokio::select! {
            biased;
            are_done = visiting => are_done,
            () = &mut told => true,
        }
    }
}
