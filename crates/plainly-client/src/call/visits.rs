//! Pages that the user must visit before a server does what it was asked for, which it says in an error (2025-11-25,
//! "URL Elicitation Required Error"): the call is made again once they are done there.

use std::collections::BTreeSet;
use std::pin::pin;

use plainly_errors::UrlElicitation;

use crate::connect::Client;
use crate::error::Error;

/// The visits that one call was refused for so far, as sets of their ids.
#[derive(Debug, Default)]
pub(crate) struct VisitsOfCall(Vec<BTreeSet<String>>);

impl Client {
    /// Whether a call that ended with this error is to be made again: the user has been where the server sends them, and is
    /// sent there for the first time.
    pub(crate) async fn is_visited(&self, error: &Error, before: &mut VisitsOfCall) -> bool {
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
