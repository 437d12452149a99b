//! Sessions over HTTP with SSE (2024-11-05): messages arrive in separate requests and are sent as
//! one stream of events. Together they form a connection, which is served like any other.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::Extensions;
use plainly_errors::{InvalidRequest, ProtocolError, Unavailable};
use plainly_protocol::envelope;
use plainly_protocol::peer::Principal;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::Server;
use crate::incoming::exchange::accepted;
use crate::incoming::malformed::error_of;
use crate::limits::Limits;
use crate::operation::Arrival;
use crate::random::random_name;
use crate::replicas::{DIGITS, ReplicaAnswer, ReplicaQuestion, Replicas, ServerName};
use plainly_cluster::{ReplicaId, Unanswered};
use plainly_transport::lock::Lock;
use plainly_transport::quota::{Holder, Quota, QuotaPart};
use plainly_transport::{
    Duplex, Event, Feed, FlushProgress, Frame, Inbound, Messages, Pipe, Reply,
};

/// The entrances of the pipes, by name.
#[derive(Clone, Debug)]
pub(crate) struct Pipes {
    entrances: Arc<Lock<Entrances>>,
    places: Quota,
}

#[derive(Debug, Default)]
struct Entrances {
    open: HashMap<String, Entrance>,
    has_ended: bool,
}

#[derive(Debug)]
struct Entrance {
    /// The principal that opened the pipe. For any other the pipe does not exist.
    principal: Option<Principal>,
    messages: mpsc::Sender<Bytes>,
    _place: QuotaPart,
}

impl Pipes {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            entrances: Arc::default(),
            places: Quota::new(limits.sessions.open),
        }
    }

    pub(crate) fn places(&self) -> &Quota {
        &self.places
    }

    fn entrance(&self, pipe: &str, principal: Option<&Principal>) -> Option<mpsc::Sender<Bytes>> {
        let entrances = self.entrances.lock();
        let entrance = entrances.open.get(pipe)?;
        (entrance.principal.as_ref() == principal).then(|| entrance.messages.clone())
    }

    /// Ends all pipes, each with its running requests, and accepts no new ones.
    pub(crate) fn end(&self) {
        let mut entrances = self.entrances.lock();
        entrances.has_ended = true;
        entrances.open.clear();
    }
}

impl Server {
    /// Opens a pipe. Its messages count as messages of the client that opened it.
    pub(crate) fn pipe(
        &self,
        mut extensions: Extensions,
        caller: Option<Holder>,
    ) -> Result<Pipe, ProtocolError> {
        let random = random_name().map_err(|error| {
            ProtocolError::internal("No session could be opened").with_source(error)
        })?;
        let home = self.0.replicas.clone().map(ServerName::Replica);
        let home = home.map(|home| home.to_string());
        let name = home.unwrap_or_default() + &random;
        let mut entrances = self.0.pipes.entrances.lock();
        if entrances.has_ended {
            return Err(Unavailable::ShuttingDown.into());
        }
        // Rejected, although Streamable HTTP would end the longest-idle session, because each pipe
        // has a client with an open stream.
        let place = self.0.pipes.places.take(caller.clone(), 1)?;
        let principal: Option<Principal> = extensions.get().cloned();
        // The connection in the pipe knows no address.
        extensions.extend(caller.map(extension).unwrap_or_default());
        // At most one message waits. The sender of the next has to wait too, so that a peer that
        // doesn't read can't fill the memory.
        let (entrance, messages) = mpsc::channel(1);
        let entrance = Entrance {
            principal,
            messages: entrance,
            _place: place,
        };
        entrances.open.insert(name.clone(), entrance);
        let feed = Box::new(PipeOutput::new(self, extensions, name.clone(), messages));
        Ok(Pipe { name, feed })
    }

    /// Sends a message into a pipe.
    pub(crate) async fn put_into(
        &self,
        pipe: &str,
        arrival: Arrival,
        frame: Frame,
    ) -> Result<Reply, ProtocolError> {
        let message = frame.body.clone();
        match envelope::parse(&message, &self.limits().envelope) {
            Ok(envelope) => {
                if let Some(refusal) = self.forbidden(&frame, arrival, &envelope) {
                    return Ok(refusal);
                }
            }
            // A message without an id can't be answered in the pipe, so it is answered here.
            Err(malformed) if malformed.id.is_none() => return Err(error_of(&malformed)),
            Err(_answered_in_the_pipe) => {}
        }
        let principal = frame.extensions.get();
        let replicas = self.0.replicas.as_ref();
        let taken = match replicas.and_then(|replicas| Some((replicas, home(pipe, replicas)?))) {
            Some((replicas, home)) => {
                put_elsewhere(replicas, home, pipe, principal, &message).await
            }
            None => self.put_here(pipe, principal, message).await,
        };
        match taken {
            ReplicaAnswer::Yes => Ok(accepted()),
            ReplicaAnswer::No => Err(InvalidRequest::SessionNotFound.into()),
            ReplicaAnswer::Busy => Err(Unavailable::Overloaded.into()),
        }
    }

    /// Sends a message into a pipe of this process.
    pub(super) async fn put_here(
        &self,
        pipe: &str,
        principal: Option<&Principal>,
        message: Bytes,
    ) -> ReplicaAnswer {
        let Some(entrance) = self.0.pipes.entrance(pipe, principal) else {
            return ReplicaAnswer::No;
        };
        // Earlier messages are processed as soon as the peer reads its events.
        match timeout(self.limits().write_stall, entrance.send(message)).await {
            Ok(Ok(())) => ReplicaAnswer::Yes,
            Ok(Err(_ended)) => ReplicaAnswer::No,
            Err(_elapsed) => ReplicaAnswer::Busy,
        }
    }
}

/// The other replica that has the pipe. The name of the pipe begins with the name of that replica.
fn home(pipe: &str, replicas: &Arc<Replicas>) -> Option<ReplicaId> {
    let (home, _random) = pipe.split_at_checked(DIGITS)?;
    ServerName::Replica(Arc::clone(replicas)).other(home)
}

/// Sends a message into a pipe of another replica.
async fn put_elsewhere(
    replicas: &Replicas,
    home: ReplicaId,
    pipe: &str,
    principal: Option<&Principal>,
    message: &[u8],
) -> ReplicaAnswer {
    // The text was parsed before.
    let message = String::from_utf8_lossy(message).into_owned();
    let question = ReplicaQuestion::Put {
        pipe: pipe.to_owned(),
        principal: principal.map(|principal| principal.as_str().to_owned()),
        message,
    };
    match replicas.ask(home, &question).await {
        Ok(taken) => taken,
        Err(Unanswered::Gone) => ReplicaAnswer::No,
        // The message may have been accepted, so it is not sent again.
        Err(Unanswered::Unsent | Unanswered::Silent) => ReplicaAnswer::Busy,
    }
}

fn extension(caller: Holder) -> Extensions {
    let mut extensions = Extensions::new();
    extensions.insert(caller);
    extensions
}

/// The outgoing side of a pipe. The peer is served only while this is polled. Dropping it drops
/// everything that runs.
struct PipeOutput {
    pipes: Pipes,
    name: String,
    /// The connection being served; `None` once it has ended.
    serving: Option<BoxFuture<'static, io::Result<()>>>,
    stop: Option<oneshot::Sender<()>>,
    out: Duplex,
}

impl PipeOutput {
    fn new(
        server: &Server,
        extensions: Extensions,
        name: String,
        incoming: mpsc::Receiver<Bytes>,
    ) -> Self {
        let (out, outgoing) = Duplex::pair();
        let (stop, stopped) = oneshot::channel();
        let serving = server
            .serve_messages(PipeMessages { incoming, outgoing })
            .extensions(extensions)
            // Also stops if the sender is dropped, because then the client no longer reads.
            .until(stopped.map(drop));
        Self {
            pipes: server.0.pipes.clone(),
            name,
            serving: Some(serving.run().boxed()),
            stop: Some(stop),
            out,
        }
    }

    /// Continues serving.
    fn serve(&mut self, context: &mut Context<'_>) {
        let Some(serving) = &mut self.serving else {
            return;
        };
        if let Poll::Ready(ended) = serving.poll_unpin(context) {
            // Drops the other end of `out`, which therefore ends.
            self.serving = None;
            if let Err(error) = ended {
                tracing::debug!(%error, "a stream of events failed");
            }
        }
    }
}

impl Feed for PipeOutput {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.serve(context);
        self.out
            .poll_receive(context)
            .map(|received| match received {
                Ok(Some(Inbound::Message(message))) => Some(message.into()),
                // A connection in memory has no failures and no limit.
                Ok(Some(Inbound::TooLong { .. }) | None) | Err(_) => None,
            })
    }

    fn end(&mut self) {
        // Dropping the sender is the signal to stop. Running requests are finished, and their
        // responses are still sent.
        self.stop = None;
    }
}

impl Drop for PipeOutput {
    fn drop(&mut self) {
        self.pipes.entrances.lock().open.remove(&self.name);
    }
}

impl fmt::Debug for PipeOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piped").finish_non_exhaustive()
    }
}

/// The messages that are sent into a pipe, and those that leave it.
struct PipeMessages {
    incoming: mpsc::Receiver<Bytes>,
    outgoing: Duplex,
}

impl Messages for PipeMessages {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        let received = self.incoming.poll_recv(context);
        received.map(|message| Ok(message.map(Inbound::Message)))
    }

    fn send(&mut self, message: Bytes) {
        self.outgoing.send(message);
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        self.outgoing.poll_flush(context)
    }
}
