//! The possible actions of two clients of one server over byte streams, step by step, compared with
//! a model. Every request must get one reply, except cancelled ones; an id must be in use only
//! while its request runs; limits must apply to each connection and to all; and in the end nothing
//! may run and all places must be free.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::limits::Limits;
use plainly::{Args, Context, Progress, Server, State, Tool};
use plainly_fuzz::{MODERN, Peer, REVISIONS, initialize, modern, request, settle, simulate};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::advance;

/// The maximum numbers of requests that run on one connection, and in total.
const MOST: usize = 3;
const MOST_IN_ALL: usize = 5;
/// In seconds.
const DEADLINE: u64 = 60;
const SHUTDOWN: u64 = 30;

#[derive(Arbitrary, Debug)]
struct Input {
    /// The revision of each client.
    revisions: [u8; 2],
    steps: Vec<(bool, Step)>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Call(Call),
    Batch(Vec<Part>),
    Cancel(u8),
    /// Releases one of the waiting handlers.
    GoOn(u8),
    /// Lets this number of seconds pass.
    Pass(u8),
    /// A response that no request of the server waits for.
    Answer(u8),
    NoMessage,
    InitializeAgain,
    /// Closes the connection.
    HangUp,
    /// Ends the client's input, but not its output.
    Finish,
}

#[derive(Arbitrary, Debug)]
enum Part {
    Call(Call),
    Cancel(u8),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
struct Call {
    id: u8,
    waits: bool,
    tells: bool,
}

/// The waiting handlers, by their tickets. A handler is removed when it is dropped.
#[derive(Clone, Default)]
struct Waiting(Arc<Mutex<BTreeMap<u64, oneshot::Sender<()>>>>);

struct Present(Waiting, u64);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().remove(&self.1);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Work {
    ticket: u64,
    waits: bool,
}

async fn work(
    context: Context,
    State(waiting): State<Waiting>,
    Args(Work { ticket, waits }): Args<Work>,
) -> String {
    context.progress(Progress::new(1_u32)).await;
    if waits {
        let (sender, go_on) = oneshot::channel();
        waiting.0.lock().unwrap().insert(ticket, sender);
        let _present = Present(waiting, ticket);
        go_on.await.unwrap();
    }
    ticket.to_string()
}

/// A server for all inputs, each of which must leave it unchanged.
static SERVER: LazyLock<(Server, Waiting)> = LazyLock::new(|| {
    let waiting = Waiting::default();
    let mut limits = Limits::default();
    limits.requests_per_connection = MOST;
    limits.requests = MOST_IN_ALL;
    limits.deadline = Duration::from_secs(DEADLINE);
    limits.shutdown = Duration::from_secs(SHUTDOWN);
    let builder = Server::builder("fuzz", "1")
        .limits(limits)
        .state(waiting.clone());
    let server = builder.tool(Tool::new("work", work)).build();
    (server.unwrap(), waiting)
});

/// A message that a client receives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Heard {
    Progress(u64),
    /// The reply to the request with this id: its ticket, or the kind of error.
    Reply(String, Result<u64, String>),
    Batch(Vec<Heard>),
    Other(String),
}

impl Heard {
    fn of(message: &Value) -> Self {
        let result = &message["result"];
        let text = || result["content"][0]["text"].as_str()?.parse().ok();
        let error = &message["error"];
        if let Some(messages) = message.as_array() {
            Self::Batch(messages.iter().map(Self::of).collect())
        } else if message["method"] == "notifications/progress" {
            Self::Progress(message["params"]["progressToken"].as_u64().unwrap())
        } else if message["id"].is_null() {
            Self::Other(message.to_string())
        } else if let Some(kind) = error["data"]["kind"].as_str() {
            Self::Reply(message["id"].to_string(), Err(kind.to_owned()))
        } else if error.is_object() {
            Self::Reply(message["id"].to_string(), Err(error.to_string()))
        } else if result["isError"] == true {
            Self::Reply(message["id"].to_string(), Err("failed".to_owned()))
        } else {
            Self::Reply(
                message["id"].to_string(),
                text().ok_or_else(|| "result".to_owned()),
            )
        }
    }

    fn refused(id: &Value, kind: &str) -> Self {
        Self::Reply(id.to_string(), Err(kind.to_owned()))
    }
}

/// A running request in the model.
struct Running {
    client: usize,
    id: Value,
    since: u64,
    batch: Option<usize>,
    /// Whether the handler has returned, so that its place is free. The reply is sent after earlier
    /// messages.
    has_returned: bool,
}

/// The parts of a batch: the running ones, and the replies to the others.
#[derive(Default)]
struct Batch {
    is_started: bool,
    running: BTreeSet<u64>,
    replies: Vec<(usize, Heard)>,
    places: BTreeMap<u64, usize>,
}

struct Client {
    peer: Peer,
    revision: &'static str,
    expected: Vec<Heard>,
    /// The time at which the client's input ended.
    finished: Option<u64>,
}

struct World {
    server: Server,
    waiting: Waiting,
    clients: Vec<Client>,
    running: BTreeMap<u64, Running>,
    /// The number of handlers that a batch cancelled while it was still starting. They are dropped
    /// afterwards, and occupy their places until then.
    leaving: usize,
    batches: Vec<Batch>,
    tickets: u64,
    now: u64,
}

fuzz_target!(|input: Input| simulate(play(input)));

async fn play(input: Input) {
    let mut world = World::new(input.revisions).await;
    for (second, step) in input.steps.into_iter().take(60) {
        world.step(usize::from(second), step).await;
        world.check().await;
    }
    world.end().await;
}

fn id(number: u8) -> Value {
    // 1 and "1" are different ids.
    match number % 6 {
        number @ 0..4 => json!(number),
        number => json!((number - 4).to_string()),
    }
}

impl World {
    async fn new(revisions: [u8; 2]) -> Self {
        let (server, waiting) = SERVER.clone();
        let mut world = Self {
            server,
            waiting,
            clients: Vec::new(),
            running: BTreeMap::new(),
            leaving: 0,
            batches: Vec::new(),
            tickets: 0,
            now: 0,
        };
        for revision in revisions {
            let client = world.client(REVISIONS[usize::from(revision) % 5]).await;
            world.clients.push(client);
        }
        world
    }

    async fn client(&self, revision: &'static str) -> Client {
        let mut peer = Peer::connect(&self.server, None);
        if revision != MODERN {
            assert_eq!(
                peer.ask(&initialize(&json!("open"), revision)).await.len(),
                1
            );
        }
        Client {
            peer,
            revision,
            expected: Vec::new(),
            finished: None,
        }
    }

    async fn step(&mut self, client: usize, step: Step) {
        if self.clients[client].finished.is_some()
            && !matches!(step, Step::GoOn(_) | Step::Pass(_) | Step::HangUp)
        {
            return;
        }
        match step {
            Step::Call(call) => {
                let (message, reply) = self.call(client, call, None);
                self.clients[client].expected.extend(reply);
                self.clients[client].peer.send(&message).await;
            }
            Step::Batch(parts) => self.batch(client, parts).await,
            Step::Cancel(number) => {
                let message = self.cancel(client, &id(number));
                self.clients[client].peer.send(&message).await;
            }
            Step::GoOn(which) => {
                let tickets: Vec<u64> = self.waiting.0.lock().unwrap().keys().copied().collect();
                if !tickets.is_empty() {
                    self.go_on(tickets[usize::from(which) % tickets.len()]);
                }
            }
            Step::Pass(seconds) => self.pass(u64::from(seconds)).await,
            Step::Answer(number) => {
                let answer = json!({"jsonrpc": "2.0", "id": id(number), "result": {}});
                self.clients[client].peer.send(&answer).await;
            }
            Step::NoMessage => self.clients[client].peer.send(&json!("no message")).await,
            Step::InitializeAgain => self.initialize_again(client).await,
            Step::HangUp => {
                let fresh = self.client(self.clients[client].revision).await;
                self.clients[client] = fresh;
                self.running.retain(|_, running| running.client != client);
            }
            Step::Finish => {
                self.clients[client].peer.finish().await;
                self.clients[client].finished = Some(self.now);
            }
        }
    }

    async fn initialize_again(&mut self, client: usize) {
        let client = &mut self.clients[client];
        if client.revision != MODERN {
            let message = initialize(&json!("again"), client.revision);
            client.peer.send(&message).await;
            client
                .expected
                .push(Heard::refused(&json!("again"), "result"));
        }
    }

    /// The number of running handlers.
    fn handlers(&self) -> usize {
        let running = self.running.values();
        running.filter(|running| !running.has_returned).count()
    }

    /// A call, and its immediate reply, if there is one.
    fn call(&mut self, client: usize, call: Call, batch: Option<usize>) -> (Value, Option<Heard>) {
        self.tickets += 1;
        let (ticket, id) = (self.tickets, id(call.id));
        let arguments = json!({"ticket": ticket, "waits": call.waits});
        let mut params = json!({"name": "work", "arguments": arguments});
        if call.tells {
            params["_meta"] = json!({"progressToken": ticket});
        }
        let message = match self.clients[client].revision == MODERN {
            true => modern(&id, "tools/call", params),
            false => request(&id, "tools/call", params),
        };
        let mine = || {
            self.running
                .values()
                .filter(|running| running.client == client)
        };
        if mine().any(|running| running.id == id) {
            return (message, Some(Heard::refused(&id, "duplicate_id")));
        }
        if mine().count() >= MOST || self.handlers() + self.leaving >= MOST_IN_ALL {
            return (message, Some(Heard::refused(&id, "overloaded")));
        }
        if call.tells {
            self.clients[client].expected.push(Heard::Progress(ticket));
        }
        // In a batch, notifications are only sent once all parts have started. Until then the call
        // is in flight.
        if !call.waits && (batch.is_none() || !call.tells) {
            return (message, Some(Heard::Reply(id.to_string(), Ok(ticket))));
        }
        let since = self.now;
        let running = Running {
            client,
            id,
            since,
            batch,
            has_returned: !call.waits,
        };
        self.running.insert(ticket, running);
        (message, None)
    }

    async fn batch(&mut self, client: usize, parts: Vec<Part>) {
        if self.clients[client].revision != "2025-03-26" || parts.is_empty() {
            return;
        }
        let number = self.batches.len();
        self.batches.push(Batch::default());
        let (mut messages, mut ids, mut passing) = (Vec::new(), BTreeSet::new(), Vec::new());
        for (place, part) in parts.into_iter().take(8).enumerate() {
            let call = match part {
                Part::Cancel(number) => {
                    let before = self.handlers();
                    messages.push(self.cancel(client, &id(number)));
                    self.leaving += before - self.handlers();
                    continue;
                }
                Part::Call(call) => call,
            };
            let id = id(call.id);
            let mut mine = self
                .running
                .values()
                .filter(|running| running.client == client);
            let is_taken = mine.any(|running| running.id == id);
            if !is_taken && !ids.insert(id.to_string()) {
                let arguments = json!({"ticket": 0, "waits": false});
                let params = json!({"name": "work", "arguments": arguments});
                messages.push(request(&id, "tools/call", params));
                let refused = Heard::refused(&id, "duplicate_id");
                self.batches[number].replies.push((place, refused));
                continue;
            }
            let (message, reply) = self.call(client, call, Some(number));
            messages.push(message);
            let batch = &mut self.batches[number];
            match reply {
                Some(reply) => batch.replies.push((place, reply)),
                None => {
                    batch.running.insert(self.tickets);
                    batch.places.insert(self.tickets, place);
                    if !call.waits {
                        passing.push(self.tickets);
                    }
                }
            }
        }
        self.clients[client]
            .peer
            .send(&Value::Array(messages))
            .await;
        self.batches[number].is_started = true;
        self.leaving = 0;
        for ticket in passing {
            self.answer(ticket, Ok(ticket));
        }
        self.close(client, number);
    }

    /// Sends the replies to a batch once none of its parts runs.
    fn close(&mut self, client: usize, number: usize) {
        let batch = &mut self.batches[number];
        if batch.is_started && batch.running.is_empty() && !batch.replies.is_empty() {
            batch.replies.sort();
            let replies = batch.replies.drain(..).map(|(_, reply)| reply);
            self.clients[client]
                .expected
                .push(Heard::Batch(replies.collect()));
        }
    }

    fn cancel(&mut self, client: usize, id: &Value) -> Value {
        let mut running = self.running.iter();
        let found = running.find(|(_, running)| running.client == client && running.id == *id);
        if let Some(ticket) = found.map(|(ticket, _)| *ticket) {
            let running = self.running.remove(&ticket).unwrap();
            // Within one batch, the call is cancelled before its notification is sent.
            let expected = &mut self.clients[client].expected;
            expected.retain(|heard| *heard != Heard::Progress(ticket));
            if let Some(batch) = running.batch {
                self.batches[batch].running.remove(&ticket);
                self.close(client, batch);
            }
        }
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    }

    fn go_on(&mut self, ticket: u64) {
        let sender = self.waiting.0.lock().unwrap().remove(&ticket);
        sender.unwrap().send(()).unwrap();
        self.answer(ticket, Ok(ticket));
    }

    /// Expects a reply to a request.
    fn answer(&mut self, ticket: u64, with: Result<u64, &str>) {
        let Some(running) = self.running.remove(&ticket) else {
            return;
        };
        let reply = Heard::Reply(running.id.to_string(), with.map_err(str::to_owned));
        match running.batch {
            None => self.clients[running.client].expected.push(reply),
            Some(number) => {
                let batch = &mut self.batches[number];
                batch.running.remove(&ticket);
                batch.replies.push((batch.places[&ticket], reply));
                self.close(running.client, number);
            }
        }
    }

    async fn pass(&mut self, seconds: u64) {
        advance(Duration::from_secs(seconds)).await;
        self.now += seconds;
        let mut over = Vec::new();
        for (ticket, running) in &self.running {
            let finished = self.clients[running.client].finished;
            let is_stopped = finished.is_some_and(|since| since + SHUTDOWN <= self.now);
            if running.since + DEADLINE <= self.now {
                over.push((*ticket, "failed"));
            } else if is_stopped {
                over.push((*ticket, "shutting_down"));
            }
        }
        for (ticket, why) in over {
            self.answer(ticket, Err(why));
        }
    }

    async fn check(&mut self) {
        for client in &mut self.clients {
            let mut heard: Vec<Heard> = client.peer.heard().await.iter().map(Heard::of).collect();
            heard.retain(|heard| !matches!(heard, Heard::Other(_)));
            heard.sort();
            client.expected.sort();
            assert_eq!(heard, std::mem::take(&mut client.expected));
        }
        let waiting: Vec<u64> = self.waiting.0.lock().unwrap().keys().copied().collect();
        assert!(waiting.iter().eq(self.running.keys()), "{waiting:?} wait");
    }

    /// Checks that nothing runs, and that as many requests can run as before.
    async fn end(mut self) {
        self.clients.clear();
        settle().await;
        assert!(self.waiting.0.lock().unwrap().is_empty());
        self.running.clear();
        for _ in 0..2 {
            let client = self.client(MODERN).await;
            self.clients.push(client);
        }
        for number in 0..=MOST_IN_ALL {
            let call = Call {
                id: number as u8,
                waits: true,
                tells: false,
            };
            self.step(number % 2, Step::Call(call)).await;
            self.check().await;
        }
        assert_eq!(self.running.len(), MOST_IN_ALL);
        self.clients.clear();
        settle().await;
    }
}
