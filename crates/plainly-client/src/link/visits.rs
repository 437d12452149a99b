//! Pages that the user was sent to: the server reports when a visit is over (2025-11-25,
//! "Elicitation Complete").

use std::collections::BTreeSet;
use std::future::Future;

use plainly_protocol::method::Method;
use plainly_protocol::types::ElicitationCompleteParams;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Sender, channel};

use crate::error::mistakes;

/// The most ids that wait to be read. If a report is missed, the user's answer still ends the
/// visit.
const KEPT: usize = 64;

/// The server's reports of completed visits.
#[derive(Debug)]
pub(crate) struct CompletedVisits(Sender<String>);

impl Default for CompletedVisits {
    fn default() -> Self {
        Self(channel(KEPT).0)
    }
}

impl CompletedVisits {
    /// Handles a notification.
    pub(crate) fn take(&self, params: &[u8]) {
        match serde_json::from_slice(params) {
            Ok(ElicitationCompleteParams { elicitation_id, .. }) => {
                let _nobody_waits = self.0.send(elicitation_id);
            }
            Err(why) => mistakes::log(Method::ElicitationComplete, params, &why),
        }
    }

    /// Resolves when the server has reported all of these visits, counting from now on.
    pub(crate) fn all(&self, mut ids: BTreeSet<String>) -> impl Future<Output = ()> {
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
