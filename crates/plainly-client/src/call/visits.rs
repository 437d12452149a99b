//! Pages that the user must visit before a server does its work, according to its error
//! (2025-11-25, "URL Elicitation Required Error"). The call is repeated once the user is done
//! there.

use std::collections::BTreeSet;
use std::pin::pin;

use plainly_errors::UrlElicitation;

use crate::connect::Client;
use crate::error::Error;
use plainly_transport::lock::Lock;

/// The sets of ids of the visits that the server has demanded for one call so far.
#[derive(Debug, Default)]
pub(crate) struct VisitsOfCall(Lock<BTreeSet<BTreeSet<String>>>);

impl VisitsOfCall {
    /// The number of visits that are left, of `most` for a call.
    pub(super) fn left(&self, most: usize) -> u32 {
        let left = most.saturating_sub(self.0.lock().len());
        u32::try_from(left).unwrap_or(u32::MAX)
    }
}

impl Client {
    /// Sends the user to the pages that `error` names; `false` if the user does not go there, or
    /// was sent to the same pages before.
    pub(super) async fn visit(&self, error: &Error, before: Option<&VisitsOfCall>) -> bool {
        let (Some(required), Some(before)) = (error.url_elicitations(), before) else {
            return false;
        };
        let ids = required.iter().map(|one| one.elicitation_id.clone());
        let ids: BTreeSet<_> = ids.collect();
        if ids.is_empty() || !before.0.lock().insert(ids.clone()) {
            return false;
        }
        self.are_over(required, ids).await
    }

    /// Asks the user to visit these pages; `false` if the user does not. Waits until the user or
    /// the server reports that the visits are done.
    async fn are_over(&self, required: &[UrlElicitation], ids: BTreeSet<String>) -> bool {
        let dispatcher = self.connected.link.dispatcher();
        let Some(visiting) = dispatcher.respondent().visit_all(required) else {
            return false;
        };
        // Before the user can have visited the pages.
        let mut told = pin!(dispatcher.visits.all(ids));
        tokio::select! {
            biased;
            are_done = visiting => are_done,
            () = &mut told => true,
        }
    }
}
