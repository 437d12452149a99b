//! The possible actions of clients over HTTP, step by step, compared with a model: handlers that
//! send notifications and replies on command, lost connections, resumed streams, cancellations, and
//! ended sessions. Each client must receive what its handler sent, once and in order, over any
//! connections; and no handler may outlive its client.

#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context as Waiting, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::limits::Limits;
use plainly::transport::{Event, Exchange, Feed, Frame, Reply, ReplyBody};
use plainly::{Args, Context, Progress, Server, State, Tool};
use plainly_fuzz::{MODERN, REVISIONS, initialize, modern, request, settle, simulate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::advance;

/// The maximum number of requests that run in total.
const MOST: usize = 6;
/// The time for which an ended stream is stored, in seconds.
const RESUME: u64 = 60;

#[derive(Arbitrary, Debug)]
struct Input {
    revisions: [u8; 2],
    steps: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Call(bool),
    Command(u8, Command),
    Read(u8),
    /// Loses the connection.
    Lose(u8),
    /// Resumes after one of the received events.
    Resume {
        call: u8,
        after: u8,
    },
    Cancel(u8),
    EndSession(bool),
    /// Lets this number of seconds pass.
    Pass(u8),
}

/// The next action of a handler.
#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Tell,
    CloseStream,
    Reply,
}

/// The running handlers, by their tickets. A handler is removed when it is dropped.
#[derive(Clone, Default)]
struct Handlers(Arc<Mutex<BTreeMap<u64, UnboundedSender<Command>>>>);

struct Present(Handlers, u64);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().remove(&self.1);
    }
}

impl Handlers {
    fn enter(self, ticket: u64) -> (Present, UnboundedReceiver<Command>) {
        let (sender, commands) = unbounded_channel();
        self.0.lock().unwrap().insert(ticket, sender);
        (Present(self, ticket), commands)
    }

    fn running(&self) -> Vec<u64> {
        self.0.lock().unwrap().keys().copied().collect()
    }
}

#[derive(Deserialize, JsonSchema)]
struct Work {
    ticket: u64,
}

async fn work(
    context: Context,
    State(handlers): State<Handlers>,
    Args(Work { ticket }): Args<Work>,
) -> String {
    let (_present, mut commands) = handlers.enter(ticket);
    let mut told = 0_u32;
    loop {
        match commands.recv().await.unwrap() {
            Command::Tell => {
                told += 1;
                context.progress(Progress::new(told)).await;
            }
            Command::CloseStream => context.close_stream(),
            Command::Reply => return ticket.to_string(),
        }
    }
}

/// A server for all inputs, each of which must leave it unchanged.
static SERVER: LazyLock<(Server, Handlers)> = LazyLock::new(|| {
    let handlers = Handlers::default();
    let mut limits = Limits::default();
    limits.requests = MOST;
    limits.deadline = Duration::from_secs(1 << 30);
    limits.resumption.ttl = Duration::from_secs(RESUME);
    let builder = Server::builder("fuzz", "1")
        .limits(limits)
        .state(handlers.clone());
    let server = builder.tool(Tool::new("work", work)).build();
    (server.unwrap(), handlers)
});

struct Session {
    revision: &'static str,
    name: Option<HeaderValue>,
    has_ended: bool,
}

/// A call in the model.
struct Call {
    session: usize,
    told: usize,
    can_pause: bool,
    /// The time at which the handler was told to reply.
    replied: Option<u64>,
    /// Whether no client will receive more of it.
    is_over: bool,
    /// The id of the stream, and the number of its last received event.
    stream: Option<String>,
    heard: usize,
}

/// A connection of a client, before or after the reply.
enum Connection {
    Asked(JoinHandle<Reply>),
    /// The stream, and the number of its next event, from 0.
    Hearing {
        feed: Box<dyn Feed>,
        next: usize,
    },
}

struct World {
    server: Server,
    handlers: Handlers,
    sessions: Vec<Session>,
    calls: BTreeMap<u64, Call>,
    /// The connection that each call uses, if it has one.
    connections: BTreeMap<u64, Connection>,
    tickets: u64,
    now: u64,
}

fuzz_target!(|input: Input| simulate(play(input)));

async fn play(input: Input) {
    let (server, handlers) = SERVER.clone();
    let mut world = World {
        server,
        handlers,
        sessions: Vec::new(),
        calls: BTreeMap::new(),
        connections: BTreeMap::new(),
        tickets: 0,
        now: 0,
    };
    for revision in input.revisions {
        world.open(REVISIONS[usize::from(revision) % 5]).await;
    }
    for step in input.steps.into_iter().take(60) {
        world.step(step).await;
        world.check().await;
    }
    world.end().await;
}

impl World {
    async fn open(&mut self, revision: &'static str) {
        let mut name = None;
        if revision != MODERN {
            let body = initialize(&json!(0), revision).to_string();
            let reply = self
                .server
                .exchange(&Frame::new(HeaderMap::new(), body.into()))
                .await;
            name = Some(reply.headers["mcp-session-id"].clone());
        }
        self.sessions.push(Session {
            revision,
            name,
            has_ended: false,
        });
    }

    fn frame(&self, session: usize, body: &Value) -> Frame {
        let session = &self.sessions[session];
        let mut headers = HeaderMap::new();
        headers.insert(
            "mcp-protocol-version",
            HeaderValue::from_static(session.revision),
        );
        match &session.name {
            Some(name) => drop(headers.insert("mcp-session-id", name.clone())),
            None => {
                headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
                headers.insert("mcp-name", HeaderValue::from_static("work"));
            }
        }
        let body = if body.is_null() {
            Bytes::new()
        } else {
            body.to_string().into()
        };
        Frame::new(headers, body)
    }

    /// One of the calls.
    fn pick(&self, which: u8) -> Option<u64> {
        let tickets: Vec<u64> = self.calls.keys().copied().collect();
        (!tickets.is_empty()).then(|| tickets[usize::from(which) % tickets.len()])
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Call(second) => self.call(usize::from(second)).await,
            Step::Command(which, command) => {
                if let Some(ticket) = self.pick(which) {
                    self.command(ticket, command);
                }
            }
            Step::Read(which) => {
                if let Some(ticket) = self.pick(which) {
                    self.read(ticket).await;
                }
            }
            Step::Lose(which) => {
                if let Some(ticket) = self.pick(which) {
                    self.lose(ticket);
                }
            }
            Step::Resume { call, after } => {
                if let Some(ticket) = self.pick(call) {
                    self.resume(ticket, usize::from(after)).await;
                }
            }
            Step::Cancel(which) => {
                if let Some(ticket) = self.pick(which) {
                    self.cancel(ticket).await;
                }
            }
            Step::EndSession(second) => self.end_session(usize::from(second)).await,
            Step::Pass(seconds) => {
                advance(Duration::from_secs(seconds.into())).await;
                self.now += u64::from(seconds);
            }
        }
    }

    async fn call(&mut self, session: usize) {
        if self.sessions[session].has_ended || self.handlers.running().len() >= MOST {
            return;
        }
        self.tickets += 1;
        let ticket = self.tickets;
        let params = json!({
            "name": "work",
            "arguments": {"ticket": ticket},
            "_meta": {"progressToken": ticket},
        });
        let message = match self.sessions[session].revision {
            MODERN => modern(&json!(ticket), "tools/call", params),
            _ => request(&json!(ticket), "tools/call", params),
        };
        let (server, frame) = (self.server.clone(), self.frame(session, &message));
        let asked = tokio::spawn(async move { server.exchange(&frame).await });
        self.connections.insert(ticket, Connection::Asked(asked));
        let call = Call {
            session,
            told: 0,
            can_pause: false,
            replied: None,
            is_over: false,
            stream: None,
            heard: 0,
        };
        self.calls.insert(ticket, call);
    }

    fn command(&mut self, ticket: u64, command: Command) {
        let call = self.calls.get_mut(&ticket).unwrap();
        let handlers = self.handlers.0.lock().unwrap();
        let Some(handler) = handlers.get(&ticket).filter(|_| call.replied.is_none()) else {
            return;
        };
        handler.send(command).unwrap();
        match command {
            Command::Tell => call.told += 1,
            Command::CloseStream => {
                call.can_pause |= self.sessions[call.session].revision == "2025-11-25"
            }
            Command::Reply => call.replied = Some(self.now),
        }
    }

    /// Whether the client of a call can resume its stream.
    fn is_kept(&self, call: &Call) -> bool {
        let session = &self.sessions[call.session];
        let has_spoken = call.told > 0 || call.can_pause;
        has_spoken && !session.has_ended && !matches!(session.revision, MODERN | "2024-11-05")
    }

    fn lose(&mut self, ticket: u64) {
        if let Some(connection) = self.connections.remove(&ticket) {
            if let Connection::Asked(asked) = connection {
                asked.abort();
            }
            let is_kept = self.is_kept(&self.calls[&ticket]);
            self.calls.get_mut(&ticket).unwrap().is_over |= !is_kept;
        }
    }

    async fn cancel(&mut self, ticket: u64) {
        let session = self.calls[&ticket].session;
        if self.sessions[session].has_ended || self.sessions[session].name.is_none() {
            return;
        }
        let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ticket}});
        let frame = self.frame(session, &message);
        assert_eq!(self.server.exchange(&frame).await.status, 202);
        let call = self.calls.get_mut(&ticket).unwrap();
        // Events that were sent already may or may not be received.
        call.is_over |= self.handlers.running().contains(&ticket);
    }

    async fn end_session(&mut self, session: usize) {
        if self.sessions[session].name.is_some() && !self.sessions[session].has_ended {
            let frame = self.frame(session, &Value::Null);
            assert_eq!(self.server.end_session(&frame).await.status, 204);
            // A client that has received nothing yet still waits for a reply on its own connection.
            let mine = self
                .calls
                .iter()
                .filter(|(_, call)| call.session == session);
            let kept = mine.filter(|(_, call)| self.is_kept(call));
            let kept: Vec<u64> = kept.map(|(ticket, _)| *ticket).collect();
            for ticket in kept {
                self.calls.get_mut(&ticket).unwrap().is_over = true;
            }
            self.sessions[session].has_ended = true;
        }
    }

    async fn resume(&mut self, ticket: u64, after: usize) {
        let call = &self.calls[&ticket];
        let Some(stream) = &call.stream else {
            return;
        };
        let after = after % (call.heard + 1);
        let mut frame = self.frame(call.session, &Value::Null);
        let id = format!("{stream}-{after}");
        frame
            .headers
            .insert("last-event-id", HeaderValue::from_str(&id).unwrap());
        match self.server.open_stream(&frame).await.body {
            ReplyBody::Feed(feed) => {
                self.connections
                    .insert(ticket, Connection::Hearing { feed, next: after });
            }
            ReplyBody::Whole(_) => {
                let is_old = call
                    .replied
                    .is_some_and(|replied| replied + RESUME <= self.now);
                assert!(call.is_over || is_old, "{id} is forgotten");
            }
        }
    }

    /// Reads all available events.
    async fn read(&mut self, ticket: u64) {
        let (mut feed, mut next) = match self.connections.remove(&ticket) {
            Some(Connection::Hearing { feed, next }) => (feed, next),
            Some(asked) => return drop(self.connections.insert(ticket, asked)),
            None => return,
        };
        let call = self.calls.get_mut(&ticket).unwrap();
        let mut is_pending = false;
        loop {
            match feed.poll_event(&mut Waiting::from_waker(Waker::noop())) {
                Poll::Ready(Some(event)) => {
                    call.hear(ticket, &event, &mut next);
                    is_pending = false;
                }
                Poll::Ready(None) => {
                    let is_whole = call.replied.is_some() && next == call.told + 1;
                    assert!(
                        is_whole || call.is_over || call.can_pause,
                        "{ticket} ends early"
                    );
                    return;
                }
                Poll::Pending if is_pending => break,
                // The writer may have waited for the reader.
                Poll::Pending => {
                    is_pending = true;
                    settle().await;
                }
            }
        }
        assert!(
            call.is_over || next == call.told && call.replied.is_none(),
            "{ticket} waits at {next}"
        );
        self.connections
            .insert(ticket, Connection::Hearing { feed, next });
    }

    /// Checks that each reply has arrived, and that each running handler has a client.
    async fn check(&mut self) {
        settle().await;
        let asked: Vec<u64> = self.connections.keys().copied().collect();
        for ticket in asked {
            let is_answered = matches!(&self.connections[&ticket], Connection::Asked(asked) if asked.is_finished());
            let call = self.calls.get_mut(&ticket).unwrap();
            if !is_answered {
                let is_silent = matches!(self.connections[&ticket], Connection::Asked(_));
                assert!(!is_silent || call.is_over || call.told == 0 && call.replied.is_none());
                continue;
            }
            let Some(Connection::Asked(asked)) = self.connections.remove(&ticket) else {
                continue;
            };
            match asked.await.unwrap().body {
                ReplyBody::Feed(feed) => {
                    self.connections
                        .insert(ticket, Connection::Hearing { feed, next: 0 });
                }
                ReplyBody::Whole(body) if body.is_empty() => assert!(call.is_over),
                ReplyBody::Whole(body) => {
                    assert!(call.replied.is_some() && call.told == 0);
                    assert!(is_reply(ticket, &body), "{body:?}");
                }
            }
        }
        for ticket in self.handlers.running() {
            let call = &self.calls[&ticket];
            match self.connections.get(&ticket) {
                // If the stream is not stored, the handler can continue only while there is a
                // connection.
                Some(Connection::Hearing { .. }) if !self.is_kept(call) => {}
                Some(_) => assert!(!call.is_over, "{ticket} runs on"),
                None => assert!(
                    !call.is_over && self.is_kept(call),
                    "{ticket} runs for nobody"
                ),
            }
        }
    }

    /// Checks that all remaining events can be received; that then nothing runs; and that as many
    /// requests can run as before.
    async fn end(mut self) {
        let tickets: Vec<u64> = self.calls.keys().copied().collect();
        for &ticket in &tickets {
            self.command(ticket, Command::Reply);
            self.check().await;
            self.read(ticket).await;
            let call = &self.calls[&ticket];
            if call.stream.is_some() && self.is_kept(call) {
                self.resume(ticket, 0).await;
                self.read(ticket).await;
            }
        }
        self.connections.clear();
        for session in 0..2 {
            self.end_session(session).await;
        }
        settle().await;
        assert!(self.handlers.running().is_empty());
        self.sessions[0] = Session {
            revision: MODERN,
            name: None,
            has_ended: false,
        };
        for _ in 0..MOST {
            self.call(0).await;
            settle().await;
        }
        assert_eq!(self.handlers.running().len(), MOST);
        for (_, connection) in std::mem::take(&mut self.connections) {
            if let Connection::Asked(asked) = connection {
                asked.abort();
            }
        }
        settle().await;
        assert!(self.handlers.running().is_empty());
    }
}

impl Call {
    /// Checks that the next event is the next one that the handler sent.
    fn hear(&mut self, ticket: u64, event: &Event, next: &mut usize) {
        if let Some((stream, number)) = event.id.as_deref().map(|id| id.split_once('-').unwrap()) {
            assert!(self.stream.as_deref().is_none_or(|known| known == stream));
            self.stream = Some(stream.to_owned());
            let number: usize = number.parse().unwrap();
            assert_eq!(number, *next + usize::from(!event.data.is_empty()));
        }
        if event.data.is_empty() {
            return;
        }
        *next += 1;
        self.heard = self.heard.max(*next);
        let message: Value = serde_json::from_slice(&event.data).unwrap();
        if *next <= self.told {
            assert_eq!(
                message["params"],
                json!({"progressToken": ticket, "progress": *next})
            );
        } else {
            assert!(*next == self.told + 1 && self.replied.is_some());
            assert!(is_reply(ticket, &event.data), "{message}");
        }
    }
}

fn is_reply(ticket: u64, body: &[u8]) -> bool {
    let reply: Value = serde_json::from_slice(body).unwrap();
    let text = ticket.to_string();
    reply["id"] == ticket && reply["result"]["content"][0]["text"] == text
}
