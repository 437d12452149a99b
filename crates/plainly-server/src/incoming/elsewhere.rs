//! The messages of a session that are for another replica: an answer to a question that it has
//! asked, and the cancellation of a request that it may run.

use std::sync::Arc;

use plainly_cluster::{ReplicaId, Unanswered};
use plainly_errors::{ProtocolError, Unavailable};
use plainly_protocol::envelope::{Outcome, Response};
use plainly_protocol::id::RequestId;

use crate::replicas::{ReplicaAnswer, ReplicaEvent, ReplicaQuestion, Replicas, ServerName};
use crate::sessions::session::Session;

/// Cancels a request of a session, wherever it runs.
pub(super) fn cancel(session: &Session, id: RequestId) {
    if !session.in_flight.has(&id)
        && let Some((name, replicas)) = session.elsewhere()
    {
        let session = name.to_owned();
        return replicas.tell(&ReplicaEvent::Cancelled { session, id });
    }
    session.in_flight.cancel(&id);
}

/// Takes the answer of a client to a question, or hands it to the replica that has asked. Where
/// that is gone, nothing waits for the answer.
pub(super) async fn take_answer(
    session: &Arc<Session>,
    response: &Response<'_>,
) -> Result<(), ProtocolError> {
    let elsewhere = session.elsewhere();
    let elsewhere = elsewhere.and_then(|it| Some((it, asker(response, it.1)?)));
    let Some(((name, replicas), asker)) = elsewhere else {
        session.unanswered.answer(response);
        return Ok(());
    };
    let question = ReplicaQuestion::Answer {
        session: name.to_owned(),
        response: written(response),
    };
    match replicas.ask(asker, &question).await {
        Ok(ReplicaAnswer::Yes | ReplicaAnswer::No) | Err(Unanswered::Gone) => Ok(()),
        Ok(ReplicaAnswer::Busy) | Err(Unanswered::Unsent | Unanswered::Silent) => {
            let why = "The server that asked can't be reached at the moment: send the answer again";
            Err(ProtocolError::from(Unavailable::Overloaded).with_message(why))
        }
    }
}

/// The other replica that has asked: the id of its question begins with its name.
fn asker(response: &Response<'_>, replicas: &Arc<Replicas>) -> Option<ReplicaId> {
    let id = response.id?.as_raw().strip_prefix('"')?;
    let (asker, _number) = id.split_once('.')?;
    ServerName::Replica(Arc::clone(replicas)).other(asker)
}

/// A response as JSON.
fn written(response: &Response<'_>) -> String {
    let id = response.id.map_or("null", |id| id.as_raw());
    let (member, value) = match response.outcome {
        Outcome::Result(result) => ("result", result),
        Outcome::Error(error) => ("error", error),
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#)
}
