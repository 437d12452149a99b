//! Serves one peer over a byte stream: requests run side by side, replies leave as they are ready. The legacy session, if
//! one is opened, is the stream's.

mod in_flight;
mod throttle;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use futures_util::stream::FuturesUnordered;
use plainly_errors::{Dialect, InvalidRequest, ProtocolError, Refusal, Revision};
use plainly_protocol::envelope::{self, Envelope, Malformed, MalformedKind, Message, Request};
use plainly_protocol::id::RequestId;
use plainly_protocol::peer::Peer;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use self::in_flight::InFlight;
use self::throttle::Throttle;
use super::Server;
use super::answer::Answer;
use super::batch::{InFlight as _, Messages, Replies};
use super::dispatch::{Begun, Running, Started};
use super::malformed::cancelled;
use super::resolve::{self, StreamSender};
use crate::transport::lines::{Line, LineReader};

/// How long a peer may leave its replies unread.
const WRITE_STALL: Duration = Duration::from_secs(30);
/// Replies are written once so many bytes wait, even if more messages are here.
const FLUSH: usize = 64 << 10;

impl Server {
    /// Serves one peer over a byte stream, one message a line, until its end; then what still runs is finished.
    ///
    /// Errors when the stream fails, or when the peer leaves its replies unread for 30 seconds.
    pub async fn serve(
        &self,
        reader: impl AsyncRead + Unpin + Send,
        writer: impl AsyncWrite + Unpin + Send,
    ) -> io::Result<()> {
        self.serve_until(reader, writer, std::future::pending())
            .await
    }

    /// As [`serve`](Self::serve), and stops reading when `stop` is ready.
    pub async fn serve_until(
        &self,
        reader: impl AsyncRead + Unpin + Send,
        writer: impl AsyncWrite + Unpin + Send,
        stop: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        let mut lines = LineReader::new(reader, self.limits().message_bytes);
        let mut connection = Connection::new(self.clone(), writer);
        let mut stop = pin!(stop);
        loop {
            connection.take_all(&mut lines).await?;
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(finished) = connection.running.next() => connection.finished(finished),
                line = lines.next() => match line? {
                    Some(line) => connection.line(line).await,
                    None => break,
                },
            }
        }
        let limit = self.limits().shutdown;
        tokio::time::timeout(limit, connection.drain())
            .await
            .unwrap_or(Ok(()))
    }
}

/// What a message leaves behind when it is answered: the ids of its requests, and the reply. Nothing if it was cancelled.
#[derive(Default)]
struct Finished {
    ids: Vec<RequestId>,
    reply: Option<Bytes>,
}

struct Connection<W> {
    server: Server,
    writer: W,
    out: Vec<u8>,
    session: Option<Arc<Peer>>,
    running: FuturesUnordered<BoxFuture<'static, Finished>>,
    in_flight: InFlight,
    throttle: Throttle,
}

impl<W: AsyncWrite + Unpin> Connection<W> {
    fn new(server: Server, writer: W) -> Self {
        Self {
            in_flight: InFlight::new(server.limits().requests_per_connection),
            server,
            writer,
            out: Vec::new(),
            session: None,
            running: FuturesUnordered::new(),
            throttle: Throttle::default(),
        }
    }

    /// Takes every line that is already here, and writes what is ready.
    async fn take_all<R: AsyncRead + Unpin>(
        &mut self,
        lines: &mut LineReader<R>,
    ) -> io::Result<()> {
        while let Some(line) = lines.take_buffered() {
            self.line(line).await;
            if self.out.len() >= FLUSH {
                self.flush().await?;
            }
        }
        self.flush().await
    }

    /// Finishes what runs.
    async fn drain(&mut self) -> io::Result<()> {
        while let Some(finished) = self.running.next().await {
            self.finished(finished);
            self.flush().await?;
        }
        self.flush().await
    }

    async fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let writing = async {
            self.writer.write_all(&self.out).await?;
            self.writer.flush().await
        };
        tokio::time::timeout(WRITE_STALL, writing)
            .await
            .map_err(|_| {
                io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the peer left its replies unread for 30 seconds",
                )
            })??;
        self.out.clear();
        Ok(())
    }

    async fn line(&mut self, line: Line) {
        let bytes = match line {
            Line::Message(bytes) => bytes,
            Line::TooLong => {
                return self.unreadable(|server| {
                    server
                        .0
                        .encoder
                        .error(None, Revision::LATEST, &Refusal::TooLarge.into())
                        .bytes
                });
            }
        };
        let server = self.server.clone();
        match envelope::parse(&bytes, &server.limits().envelope) {
            Ok(Envelope::Single(Message::Request(request))) => self.request(&request).await,
            Ok(Envelope::Single(Message::Notification(notification))) => {
                if let Some(id) = cancelled(&notification) {
                    self.in_flight.cancel(&id);
                }
            }
            Ok(Envelope::Single(Message::Response(_))) => {
                tracing::debug!("ignored a response: nothing was asked")
            }
            Ok(Envelope::Batch(messages)) => self.batch(messages).await,
            Err(malformed) => self.malformed(&malformed),
        }
    }

    async fn request(&mut self, request: &Request<'_>) {
        let id = request.id.to_owned();
        if let Err(error) = self.in_flight.check(&id) {
            return self.refuse(request, error);
        }
        match resolve::over_stream(request, self.session.as_ref()) {
            Ok(StreamSender::Opening) => self.open(request),
            Ok(StreamSender::Peer(peer)) => match self.server.start(request, &peer) {
                Started::Done(encoded) => self.push(&encoded.bytes),
                Started::Running(running) => self.run(id, request, running).await,
            },
            Err(unresolved) => {
                let encoded = self.server.unresolved(request, &unresolved);
                self.push(&encoded.bytes);
            }
        }
    }

    fn open(&mut self, request: &Request<'_>) {
        let encoded = match resolve::opening(request) {
            Ok(peer) => {
                let answer =
                    Answer::Initialize(self.server.0.routes.discovery.initialize(peer.revision));
                let encoded = self
                    .server
                    .respond(request.id.as_raw(), peer.revision, Ok(answer));
                self.session = Some(Arc::new(peer));
                encoded
            }
            Err(unresolved) => self.server.unresolved(request, &unresolved),
        };
        self.push(&encoded.bytes);
    }

    async fn run(&mut self, id: RequestId, request: &Request<'_>, running: Running) {
        if let Err(error) = self.in_flight.check_room() {
            return self.refuse(request, error);
        }
        let finishing = match running.begin().await {
            Begun::Done(encoded) => return self.push(&encoded.bytes),
            Begun::Pending(finishing) => finishing,
        };
        let (abort, registration) = AbortHandle::new_pair();
        self.in_flight.track(&id, abort);
        let finishing = Abortable::new(finishing, registration);
        self.running.push(Box::pin(async move {
            match finishing.await {
                Ok(encoded) => Finished {
                    ids: vec![id],
                    reply: Some(encoded.bytes),
                },
                Err(_aborted) => Finished::default(),
            }
        }));
    }

    async fn batch(&mut self, messages: Messages<'_>) {
        let accepted = Server::accepts_batches(self.session.as_deref());
        let (Ok(()), Some(peer)) = (&accepted, &self.session) else {
            let error = accepted
                .err()
                .unwrap_or_else(|| InvalidRequest::SessionRequired.into());
            return self
                .unreadable(|server| server.0.encoder.error(None, Revision::LATEST, &error).bytes);
        };
        let batch = self
            .server
            .start_batch(peer, messages, &mut self.in_flight)
            .await;
        self.running.push(Box::pin(async move {
            let Replies { ids, bytes: reply } = batch.finish().await;
            Finished { ids, reply }
        }));
    }

    fn finished(&mut self, Finished { ids, reply }: Finished) {
        ids.iter().for_each(|id| self.in_flight.remove(id));
        reply.into_iter().for_each(|bytes| self.push(&bytes));
    }

    fn refuse(&mut self, request: &Request<'_>, error: ProtocolError) {
        let revision = self
            .session
            .as_ref()
            .map_or(Revision::LATEST, |peer| peer.revision);
        let encoded = self
            .server
            .respond(request.id.as_raw(), revision, Err(error));
        self.push(&encoded.bytes);
    }

    fn malformed(&mut self, malformed: &Malformed<'_>) {
        let revision = self
            .session
            .as_ref()
            .map_or(Revision::LATEST, |peer| peer.revision);
        if malformed.id.is_some() {
            let encoded = self.server.malformed(malformed, revision);
            return self.push(&encoded.bytes);
        }
        if malformed.kind == MalformedKind::InvalidParams {
            // A notification: whoever sent it awaits no answer (JSON-RPC 2.0, section 4.1).
            return tracing::warn!("ignored a notification whose params are no object");
        }
        self.unreadable(|server| server.malformed(malformed, revision).bytes);
    }

    /// Answers something without an id: not where the session's revision has no such answer, and not so often that two
    /// peers who answer each other's errors could keep each other busy.
    fn unreadable(&mut self, answer: impl FnOnce(&Server) -> Bytes) {
        let has_answer = self
            .session
            .as_ref()
            .is_none_or(|peer| Dialect::has_errors_without_id(peer.revision));
        if has_answer && self.throttle.allow() {
            let bytes = answer(&self.server);
            self.push(&bytes);
        } else {
            tracing::warn!("ignored a line that is no message");
        }
    }

    fn push(&mut self, message: &[u8]) {
        self.out.extend_from_slice(message);
        self.out.push(b'\n');
    }
}
