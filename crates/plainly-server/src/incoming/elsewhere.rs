//! The messages of a session that another replica must get: an answer to a question that it asked,
//! and the cancellation of a request that it may be running.

use std::sync::Arc;

use plainly_cluster::{ReplicaId, Unanswered};
use plainly_errors::{ProtocolError, Unavailable};
use plainly_protocol::envelope::{Outcome, Response};
use plainly_protocol::id::RequestId;

use crate::replicas::{ReplicaAnswer, ReplicaEvent, ReplicaQuestion, Replicas, ServerName};
use crate::sessions::session::Session;

/// Cancels a request of a session, on whichever replica it runs.
pub(super) fn cancel(session: &Session, id: RequestId) {
    if !session.in_flight.has(&id)
        && let Some((name, replicas)) = session.elsewhere()
    {
        let session = name.to_owned();
        return replicas.tell(&ReplicaEvent::Cancelled { session, id });
    }
    session.in_flight.cancel(&id);
}

/// Accepts a client's answer to a question, or passes it to the replica that asked. If that replica
/// is gone, nothing waits for the answer.
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

/// The other replica that asked the question. The id of the question begins with the name of that
/// replica.
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
