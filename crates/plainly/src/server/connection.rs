//! Serves one peer over a byte stream: requests run side by side, replies leave as they are ready. The legacy session, if
//! one is opened, is the stream's.

mod listens;
mod throttle;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::future::Either;
use futures_util::stream::{BoxStream, SelectAll};
use http::Extensions;
use plainly_errors::{InvalidRequest, ProtocolError, Refusal, Revision};
use plainly_protocol::envelope::{self, Envelope, Malformed, MalformedKind, Message, Request};
use plainly_protocol::id::RequestId;
use plainly_protocol::peer::Peer;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use self::listens::Listens;
use self::throttle::Throttle;
use super::Server;
use super::answer::Answer;
use super::batch::Messages;
use super::dispatch::Started;
use super::in_flight::InFlight;
use super::malformed::cancelled;
use super::resolve::{self, StreamSender};
use super::running::{Begun, Running, Sent};
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
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(sent) = connection.running.next() => connection.sent(sent),
                next = connection.listens.next_or(lines.next()) => match next {
                    Either::Left(message) => connection.push(&message),
                    Either::Right(line) => match line? {
                        Some(line) => connection.line(line).await,
                        None => break,
                    },
                },
            }
        }
        connection.end_listens().await;
        // No answer can come any more.
        connection
            .session
            .iter()
            .for_each(|session| session.unanswered.close());
        if let Ok(drained) = timeout(self.limits().shutdown, connection.drain()).await {
            return drained;
        }
        connection.in_flight.end();
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
    /// What is sent for the requests that run.
    running: SelectAll<BoxStream<'static, Sent>>,
    in_flight: Arc<InFlight>,
    listens: Listens,
    throttle: Throttle,
}

impl<W: AsyncWrite + Unpin> Connection<W> {
    fn new(server: Server, extensions: Extensions, writer: W) -> Self {
        Self {
            in_flight: InFlight::new(server.limits().requests_per_connection),
            listens: Listens::new(server.limits().listens_per_connection),
            server,
            extensions,
            memory: ConnectionMemory::new(),
            writer,
            out: BytesMut::new(),
            large: Vec::new(),
            session: None,
            running: SelectAll::new(),
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
        while let Some(sent) = self.running.next().await {
            self.sent(sent);
            self.flush().await?;
        }
        self.end_listens().await;
        self.flush().await
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
                    self.listens.cancel(&id);
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
        let id = request.id.to_owned();
        if let Err(error) = self.in_flight.check(&id).and(self.listens.check(&id)) {
            return self.refuse(request, error);
        }
        let session = self.session.as_ref();
        match resolve::over_stream(request, &self.extensions, &self.memory, session) {
            Ok(StreamSender::Opening) => self.open(request),
            Ok(StreamSender::Peer(scope)) => match self.server.start(request, scope) {
                Started::Done(encoded) => self.push(&encoded.bytes),
                Started::Listening(listening) => {
                    if let Err(error) = self.listens.add(id, listening) {
                        self.refuse(request, error);
                    }
                }
                Started::Running(running) => self.run(id, request, running).await,
            },
            Err(unresolved) => {
                let encoded = self.server.unresolved(request, &unresolved);
                self.push(&encoded.bytes);
            }
        }
    }

    fn open(&mut self, request: &Request<'_>) {
        let encoded = match resolve::opening(request, &self.extensions, self.server.limits()) {
            Ok(peer) => {
                let answer = Answer::Initialize(Box::new(
                    self.server.0.routes.discovery.initialize(peer.revision),
                ));
                let encoded = self
                    .server
                    .respond(request.id.as_raw(), peer.revision, Ok(answer));
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
            self.listens.add_session(listening);
        }
        if let Some(before) = self.session.replace(session) {
            before.close();
        }
    }

    /// Ends those who listen, each with an answer.
    async fn end_listens(&mut self) {
        let last = self.listens.end().await;
        last.iter().for_each(|message| self.push(message));
    }

    async fn run(&mut self, id: RequestId, request: &Request<'_>, running: Running) {
        if let Err(error) = self.in_flight.check_room() {
            return self.refuse(request, error);
        }
        match running.begin().await {
            Begun::Done(encoded) => self.push(&encoded.bytes),
            Begun::Pending(running) => {
                let tracked = self.in_flight.track(&id);
                self.running.push(running.tracked(tracked).boxed());
            }
        }
    }

    /// Sends what a request has to say; one that listens goes to the others that do.
    fn sent(&mut self, sent: Sent) {
        let listening = match sent {
            Sent::Before(message) => return self.push(&message),
            Sent::Reply(encoded) => return self.push(&encoded.bytes),
            Sent::Pause => return,
            Sent::Listening(listening) => *listening,
        };
        let raw = listening.id().unwrap_or_default().to_owned();
        let Ok(id) = serde_json::from_str(&raw) else {
            return;
        };
        if let Err(error) = self.listens.add(id, listening) {
            let refusal = self.server.respond(&raw, self.revision(), Err(error));
            self.push(&refusal.bytes);
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
        let batch = self
            .server
            .start_batch(session, &self.extensions, messages)
            .await;
        self.running.push(batch.boxed());
    }

    fn refuse(&mut self, request: &Request<'_>, error: ProtocolError) {
        let encoded = self
            .server
            .respond(request.id.as_raw(), self.revision(), Err(error));
        self.push(&encoded.bytes);
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
