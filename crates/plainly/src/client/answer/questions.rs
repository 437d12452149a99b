//! The requests of a legacy server, from when they come until they are answered: side by side, so many at most, each once,
//! and given up where the server cancels it or what it came on ends.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use plainly_errors::{ProtocolError, Revision, Unavailable};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::types::InputRequest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::{AbortHandle, JoinSet};

use super::Respondent;
use crate::client::message;
use crate::client::patience::{Answering, Busy};
use crate::client::reply::Asked;
use crate::client::stream::lock;

/// The questions of one connection.
#[derive(Debug, Default)]
pub(in crate::client) struct Questions {
    respondent: Arc<Respondent>,
    /// How many are answered at a time.
    most: usize,
    pub(in crate::client) busy: Arc<Busy>,
    open: Arc<Open>,
}

/// What is being answered.
type Open = Mutex<HashMap<RequestId, AbortHandle>>;

/// One of them, until it is dropped.
struct Opened {
    open: Arc<Open>,
    id: RequestId,
}

impl Drop for Opened {
    fn drop(&mut self) {
        lock(&self.open).remove(&self.id);
    }
}

impl Questions {
    pub(in crate::client) fn new(respondent: Arc<Respondent>, most: usize) -> Self {
        Self {
            respondent,
            most,
            ..Self::default()
        }
    }

    /// Has a question answered by `send`, in one of the `tasks` of what it came on; it counts until what `send` is given
    /// is dropped. Returns what is to be sent at once if there is nothing to wait for.
    pub(in crate::client) fn ask<S, F>(
        &self,
        asked: Asked,
        revision: Revision,
        tasks: &mut JoinSet<()>,
        send: S,
    ) -> Option<Bytes>
    where
        S: FnOnce(Bytes, Answering) -> F + Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let question = match self.read(&asked, revision) {
            Ok(Some(question)) => question,
            Ok(None) => return Some(message::result(&asked.raw_id, "{}")),
            Err(error) => return message::refusal(&asked.raw_id, &error, revision),
        };
        let mut open = lock(&self.open);
        if open.contains_key(&asked.id) {
            // Any answer would be taken for that to the first.
            tracing::warn!(id = %asked.id, "the server asks twice under one id: answered once");
            return None;
        }
        let Some(busy) = self.busy.begin(self.most) else {
            let error = Unavailable::Overloaded.into();
            return message::refusal(&asked.raw_id, &error, revision);
        };
        let opened = Opened {
            open: Arc::clone(&self.open),
            id: asked.id.clone(),
        };
        let respondent = Arc::clone(&self.respondent);
        while tasks.try_join_next().is_some() {}
        let task = tasks.spawn(async move {
            let answer = respondent.answer(question).await;
            let message = match answer {
                Ok(result) => Some(message::result(&asked.raw_id, result.get())),
                Err(error) => message::refusal(&asked.raw_id, &error, revision),
            };
            // From here on it can't be cancelled, and the server may ask under the id again.
            drop(opened);
            if let Some(message) = message {
                send(message, busy).await;
            }
        });
        open.insert(asked.id, task);
        None
    }

    /// Gives up what the server no longer waits for.
    pub(in crate::client) fn cancel(&self, params: &[u8]) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancelled {
            request_id: RequestId,
        }
        let Ok(Cancelled { request_id }) = serde_json::from_slice(params) else {
            return tracing::debug!("a cancellation of nothing is dropped");
        };
        let task = lock(&self.open).remove(&request_id);
        if let Some(task) = task {
            task.abort();
        }
    }

    /// Who answers.
    pub(in crate::client) fn respondent(&self) -> &Respondent {
        &self.respondent
    }

    /// What is asked; nothing if it is only whether anybody is there.
    fn read(
        &self,
        asked: &Asked,
        revision: Revision,
    ) -> Result<Option<InputRequest>, ProtocolError> {
        let unknown = || ProtocolError::method_not_found(asked.method.clone());
        let method = Method::find(&asked.method, revision).ok_or_else(unknown)?;
        if method == Method::Ping {
            return Ok(None);
        }
        if !self.respondent.answers(method) {
            return Err(unknown());
        }
        let question = if method == Method::Elicit {
            InputRequest::Elicit(params(asked)?)
        } else if method == Method::CreateMessage {
            InputRequest::CreateMessage(params(asked)?)
        } else {
            InputRequest::ListRoots(params(asked)?)
        };
        Ok(Some(question))
    }
}

fn params<T: DeserializeOwned>(asked: &Asked) -> Result<T, ProtocolError> {
    serde_json::from_slice(&asked.params)
        .map_err(|error| ProtocolError::invalid_params(error.to_string()))
}
