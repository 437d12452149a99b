//! Serves one peer over a byte stream: requests run side by side, replies leave as they are ready. The legacy session, if
//! one is opened, is the stream's.

mod throttle;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::future::Either;
use futures_util::stream::SelectAll;
use http::Extensions;
use plainly_errors::{InvalidRequest, Refusal, Revision};
use plainly_protocol::envelope::{self, Envelope, Malformed, MalformedKind, Message, Request};
use plainly_protocol::peer::Peer;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use self::throttle::Throttle;
use super::Server;
use super::batch::Messages;
use super::in_flight::InFlight;
use super::malformed::cancelled;
use super::outgoing::Outgoing;
use super::replies::Replies;
use super::resolve::{self, Sender};
use super::session::Session;
use crate::transport::ConnectionMemory;
use crate::transport::lines::{Line, LineReader};

/// How long a peer has to take the last replies, when time is over for what they answer.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Replies are written once so many bytes wait, even if more messages are here.
const FLUSH: usize = 64 << 10;

impl Server {
    /// Serves one peer over a byte stream, one message a line, until its end; then what still runs is finished, or, if
    /// that takes longer than [`Limits::shutdown`](crate::limits::Limits::shutdown), answered with an error.
    ///
    /// Errors when the stream fails, or when the peer leaves its replies unread for
    /// [`Limits::write_stall`](crate::limits::Limits::write_stall).
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
        self.serve_known(Extensions::new(), reader, writer, stop)
            .await
    }

    /// As [`serve_until`](Self::serve_until), for a peer of which something is known from elsewhere: each of its requests
    /// carries `extensions`, and a [`Principal`](super::Principal) among them is whom it is.
    pub async fn serve_known(
        &self,
        extensions: Extensions,
        reader: impl AsyncRead + Unpin + Send,
        writer: impl AsyncWrite + Unpin + Send,
        stop: impl Future<Output = ()> + Send,
    ) -> io::Result<()> {
        let mut lines = LineReader::new(reader, self.limits().message_bytes);
        let mut connection = Connection::new(self.clone(), extensions, writer);
        let mut stop = pin!(stop);
        loop {
            connection.take_all(&mut lines).await?;
            let next = tokio::select! {
                biased;
                () = &mut stop => break,
                next = connection.next_or(lines.next()) => next,
            };
            match next {
                Either::Left(outgoing) => connection.send(outgoing),
                Either::Right(line) => match line? {
                    Some(line) => connection.line(line).await,
                    None => break,
                },
            }
        }
        connection.in_flight.stop_subscriptions();
        // No answer can come any more, and nobody is told of anything.
        connection
            .session
            .iter()
            .for_each(|session| session.close());
        if let Ok(drained) = timeout(self.limits().shutdown, connection.drain()).await {
            return drained;
        }
        connection.in_flight.stop_all();
        timeout(LAST_WORDS, connection.drain())
            .await
            .unwrap_or(Ok(()))
    }
}

struct Connection<W> {
    server: Server,
    /// What every request carries.
    extensions: Extensions,
    memory: ConnectionMemory,
    writer: W,
    out: BytesMut,
    /// The large ones among what is in `out`: their room is given back when they are written.
    large: Vec<Bytes>,
    session: Option<Arc<Session>>,
    /// What is sent for the requests that run, and on the stream of the session.
    running: SelectAll<Replies>,
    /// One of them was sent just now.
    has_spoken: bool,
    in_flight: Arc<InFlight>,
    throttle: Throttle,
}

impl<W: AsyncWrite + Unpin> Connection<W> {
    fn new(server: Server, extensions: Extensions, writer: W) -> Self {
        Self {
            in_flight: InFlight::new(server.limits()),
            server,
            extensions,
            memory: ConnectionMemory::new(),
            writer,
            out: BytesMut::new(),
            large: Vec::new(),
            session: None,
            running: SelectAll::new(),
            has_spoken: false,
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
        while let Some(outgoing) = self.running.next().await {
            self.send(outgoing);
            self.flush().await?;
        }
        self.flush().await
    }

    /// The next message of what runs, or `other`, whichever is there first; where both are, by turns, so that neither keeps
    /// the other waiting. Nothing is lost if the future is dropped.
    async fn next_or<T>(&mut self, other: impl Future<Output = T>) -> Either<Outgoing, T> {
        let next = if std::mem::take(&mut self.has_spoken) {
            tokio::select! {
                biased;
                other = other => Either::Right(other),
                Some(outgoing) = self.running.next() => Either::Left(outgoing),
            }
        } else {
            tokio::select! {
                biased;
                Some(outgoing) = self.running.next() => Either::Left(outgoing),
                other = other => Either::Right(other),
            }
        };
        self.has_spoken = matches!(next, Either::Left(_));
        next
    }

    /// Writes what is ready. Dropped halfway, it goes on where it was.
    async fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let most = self.server.limits().write_stall;
        let unread = |_elapsed| {
            let why = format!("the peer left its replies unread for {most:?}");
            io::Error::new(io::ErrorKind::TimedOut, why)
        };
        // Each part that is taken gives it the whole time again.
        while !self.out.is_empty() {
            let writing = self.writer.write_buf(&mut self.out);
            if timeout(most, writing).await.map_err(unread)?? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        timeout(most, self.writer.flush()).await.map_err(unread)??;
        self.large.clear();
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
                        .error(None, Revision::UNKNOWN_PEER, &Refusal::TooLarge.into())
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
            Ok(Envelope::Single(Message::Response(response))) => match &self.session {
                Some(session) => session.unanswered.answer(&response),
                None => tracing::debug!("ignored a response: nothing was asked"),
            },
            Ok(Envelope::Batch(messages)) => self.batch(messages).await,
            Err(malformed) => self.malformed(&malformed),
        }
    }

    async fn request(&mut self, request: &Request<'_>) {
        let session = self.session.as_ref();
        match resolve::over_stream(request, &self.extensions, &self.memory, session) {
            Ok(Sender::Opening) => self.open(request),
            Ok(Sender::Peer(scope)) => {
                let mut replies = self.server.dispatch(request, scope, Some(&self.in_flight));
                // Most are answered at once: those wait behind nothing else.
                replies.begin().await;
                match replies.take_reply() {
                    Some(reply) => self.push(&reply.bytes),
                    None => self.running.push(replies),
                }
            }
            Err(unresolved) => {
                let encoded = self.server.unresolved(request, &unresolved);
                self.push(&encoded.bytes);
            }
        }
    }

    fn open(&mut self, request: &Request<'_>) {
        let encoded = match resolve::opening(request, &self.extensions, self.server.limits()) {
            Ok(peer) => {
                let encoded = self.server.initialize(request.id.as_raw(), &peer);
                self.begin_session(peer);
                encoded
            }
            Err(unresolved) => self.server.unresolved(request, &unresolved),
        };
        self.push(&encoded.bytes);
    }

    /// Begins the session of the stream, in place of one that was there.
    fn begin_session(&mut self, peer: Peer) {
        let (peer, in_flight) = (Arc::new(peer), Arc::clone(&self.in_flight));
        let session = Session::new(
            peer,
            in_flight,
            &self.server.0.changes,
            self.server.limits(),
        );
        let session = Arc::new(match &self.session {
            Some(before) => session.after(before),
            None => session,
        });
        // Without room for it, or if there is nothing to tell, nothing will be told.
        if let Ok(listening) = self.server.listen_in_session(&session.news) {
            self.running.push(Replies::notifications(listening.boxed()));
        }
        if let Some(before) = self.session.replace(session) {
            before.close();
        }
    }

    fn send(&mut self, outgoing: Outgoing) {
        if let Some(message) = outgoing.into_bytes() {
            self.push(&message);
        }
    }

    async fn batch(&mut self, messages: Messages<'_>) {
        let peer = self.session.as_ref().map(|session| &*session.peer);
        let accepted = Server::accepts_batches(peer);
        let (Ok(()), Some(session)) = (&accepted, &self.session) else {
            let error = accepted
                .err()
                .unwrap_or_else(|| InvalidRequest::SessionRequired.into());
            return self.unreadable(|server| {
                server
                    .0
                    .encoder
                    .error(None, Revision::UNKNOWN_PEER, &error)
                    .bytes
            });
        };
        let replies = self
            .server
            .serve_batch(session, &self.extensions, messages)
            .await;
        self.running.push(replies);
    }

    fn malformed(&mut self, malformed: &Malformed<'_>) {
        let revision = self.revision();
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
        let has_answer = self.revision().traits().errors_without_id;
        if has_answer && self.throttle.allow() {
            let bytes = answer(&self.server);
            self.push(&bytes);
        } else {
            tracing::warn!("ignored a line that is no message");
        }
    }

    /// In which to say what is said to nobody in particular.
    fn revision(&self) -> Revision {
        let session = self.session.as_ref();
        session.map_or(Revision::UNKNOWN_PEER, |session| session.peer.revision)
    }

    fn push(&mut self, message: &Bytes) {
        if message.len() > FLUSH {
            self.large.push(message.clone());
        }
        self.out.extend_from_slice(message);
        self.out.extend_from_slice(b"\n");
    }
}
