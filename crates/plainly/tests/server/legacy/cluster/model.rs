//! Random operations of clients, each at a random one of three replicas and with faults, compared
//! with a model of a single server: nothing is lost, duplicated or sent to other clients.
//!
//! `PLAINLY_MODEL_OPERATIONS` is the number of operations, and `PLAINLY_MODEL_SEED` the first seed.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::task::{Context as Waiting, Poll, Waker};
use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use plainly::Revision;
use plainly::server::TaskSupport;
use plainly::transport::{Exchange, Feed, Frame, Reply, ReplyBody};
use plainly_peer::Client;
use tokio::runtime::Builder;
use tokio::time::sleep;

use super::*;
use crate::legacy::support::echo;

const URIS: [&str; 3] = ["test://a", "test://b", "test://c"];
/// The number of operations in one world.
const EACH: u64 = 500;
/// A time after which every event has been noticed.
const SETTLED: Duration = Duration::from_secs(5);

/// A generator of pseudorandom numbers: SplitMix64.
struct Lot(u64);

impl Lot {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most as u64) as usize
    }
}

struct Node {
    server: Server,
    changes: Changes,
    part: cluster::Replica,
    modern: Client,
    is_cut: bool,
    /// Whether events were lost that no later one has shown to be missing.
    has_lost: bool,
}

/// A session, as its client knows it.
struct Known {
    headers: HeaderMap,
    has_ended: bool,
    is_debug: bool,
    uris: BTreeSet<&'static str>,
    /// The stream, and the index of its replica.
    stream: Option<(usize, Box<dyn Feed>)>,
    /// The changes that the client must be notified of, and those that it may be notified of.
    owed: BTreeSet<&'static str>,
    may: BTreeSet<&'static str>,
}

struct World {
    lot: Lot,
    nodes: Vec<Node>,
    sessions: Vec<Known>,
    /// Streams that must end, with the indexes of their replicas.
    stale: Vec<(usize, Box<dyn Feed>)>,
    count: u64,
}

async fn node(engine: &InProcess) -> Node {
    let (changes, part) = (Changes::new(), engine.replica());
    let server = builder(&part)
        .keys(Keys::new([7; 32]))
        .state(Gate::new())
        .tool(Tool::new("log", log))
        .tool(Tool::new("roots", roots))
        .tool(Tool::new("echo", echo).task(TaskSupport::Required))
        .tool(Tool::new("wait", wait).task(TaskSupport::Required))
        .resource(Resource::new(URIS[0], news).name("a"))
        .resource(Resource::new(URIS[1], news).name("b"))
        .resource(Resource::new(URIS[2], news).name("c"))
        .changes(changes.clone())
        .build()
        .unwrap();
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    Node {
        modern: Client::stream(&server, Revision::LATEST, capabilities).await,
        server,
        changes,
        part,
        is_cut: false,
        has_lost: false,
    }
}

#[test]
fn operations_anywhere_are_as_at_one_server() {
    let number = |name, otherwise| {
        let given = std::env::var(name).ok();
        given.map_or(otherwise, |given| given.parse::<u64>().unwrap())
    };
    let operations = number("PLAINLY_MODEL_OPERATIONS", 2_000);
    let first = number("PLAINLY_MODEL_SEED", 1);
    for seed in first..first + operations.div_ceil(EACH) {
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        let played = AssertUnwindSafe(|| runtime.block_on(play(seed)));
        if let Err(failure) = catch_unwind(played) {
            eprintln!("PLAINLY_MODEL_SEED={seed} PLAINLY_MODEL_OPERATIONS={EACH} fails");
            resume_unwind(failure);
        }
    }
}

async fn play(seed: u64) {
    let engine = InProcess::new();
    let mut world = World {
        lot: Lot(seed),
        nodes: Vec::new(),
        sessions: Vec::new(),
        stale: Vec::new(),
        count: 0,
    };
    for _ in 0..3 {
        world.nodes.push(node(&engine).await);
    }
    for _ in 0..EACH {
        world.step().await;
    }
    world.heal().await;
    world.check().await;
}

impl World {
    async fn step(&mut self) {
        self.count += 1;
        self.read_stale();
        let (at, session) = (self.up(), self.lot.below(self.sessions.len().max(1)));
        if self.sessions.len() < 2 {
            return self.open(at).await;
        }
        match self.lot.below(22) {
            0 => self.open(at).await,
            1 | 2 => self.ping(at, session).await,
            3 => self.level(at, session).await,
            4 => self.log(at, session).await,
            5..=7 => self.subscribe(at, session, true).await,
            8 => self.subscribe(at, session, false).await,
            9 | 10 => self.listen(at, session).await,
            11 => self.sessions[session].stream = None,
            12..=14 => self.publish(at),
            15 => self.end(at, session).await,
            16 => self.ask(at, session, false).await,
            17 => self.ask(at, session, true).await,
            18 => self.task(at).await,
            19 => self.fault(at),
            20 => self.heal().await,
            _ => self.check().await,
        }
    }

    /// Returns the index of a replica that is connected.
    fn up(&mut self) -> usize {
        loop {
            let at = self.lot.below(self.nodes.len());
            if !self.nodes[at].is_cut {
                return at;
            }
        }
    }

    fn fault(&mut self, at: usize) {
        let (kind, count) = (self.lot.below(4), self.lot.below(3));
        let is_alone = self.nodes.iter().any(|node| node.is_cut);
        let node = &mut self.nodes[at];
        node.is_cut = kind == 0 && !is_alone;
        node.has_lost |= kind == 1 && count > 0;
        let is_cut = node.is_cut;
        node.part.fail(|faults| match kind {
            0 => faults.is_cut = is_cut,
            1 => faults.lost_events += count,
            // More than one at a time could use up the attempts of a write, which then fails.
            2 => faults.doubtful_writes = faults.doubtful_writes.max(count.min(1)),
            _ => faults.delay = Duration::from_millis(count as u64),
        });
        if is_cut && node.has_lost {
            // Others learn of its lost events only by a later one, once it is back.
            let elsewhere = |it: &&mut Known| it.stream.as_ref().is_some_and(|it| it.0 != at);
            let elsewhere = self.sessions.iter_mut().filter(elsewhere);
            elsewhere.for_each(|session| session.owed.clear());
        }
    }

    /// Reconnects all replicas. A disconnected replica has missed all changes.
    async fn heal(&mut self) {
        for at in 0..self.nodes.len() {
            if !mem::take(&mut self.nodes[at].is_cut) {
                continue;
            }
            self.nodes[at].part.fail(|faults| faults.is_cut = false);
            let streams = self.sessions.iter_mut();
            let missed = streams.filter(|it| it.stream.as_ref().is_some_and(|it| it.0 == at));
            missed.for_each(|session| session.owed = session.uris.clone());
        }
        sleep(SETTLED).await;
    }

    async fn send(&self, at: usize, session: usize, message: &Value) -> Reply {
        let headers = self.sessions[session].headers.clone();
        let frame = Frame::new(headers, message.to_string().into());
        self.nodes[at].server.exchange(&frame).await
    }

    /// Sends a request that succeeds unless the session has ended. Returns the messages of the
    /// reply.
    async fn request(&self, at: usize, session: usize, message: &Value) -> Option<Vec<Value>> {
        let reply = self.send(at, session, message).await;
        let expected = match self.sessions[session].has_ended {
            true => 404,
            false => 200,
        };
        assert_eq!(reply.status.as_u16(), expected, "{message} at {at}");
        let is_there = reply.status.is_success();
        is_there.then_some(())?;
        let said: Vec<Value> = match reply.body {
            ReplyBody::Whole(body) => vec![serde_json::from_slice(&body).unwrap()],
            ReplyBody::Feed(feed) => rest(feed).await,
        };
        assert!(said.iter().all(|said| said["error"].is_null()), "{said:?}");
        Some(said)
    }

    async fn open(&mut self, at: usize) {
        // Ended sessions are dropped late, because they must stay ended.
        if self.sessions.len() > 8 {
            self.sessions.retain(|session| !session.has_ended);
        }
        let frame = Frame::new(
            HeaderMap::new(),
            initialize("2025-11-25").to_string().into(),
        );
        let reply = self.nodes[at].server.exchange(&frame).await;
        let mut headers = HeaderMap::new();
        headers.insert("mcp-session-id", reply.headers["mcp-session-id"].clone());
        headers.insert(
            "mcp-protocol-version",
            HeaderValue::from_static("2025-11-25"),
        );
        self.sessions.push(Known {
            headers,
            has_ended: false,
            is_debug: false,
            uris: BTreeSet::new(),
            stream: None,
            owed: BTreeSet::new(),
            may: BTreeSet::new(),
        });
    }

    async fn ping(&self, at: usize, session: usize) {
        let said = self
            .request(at, session, &request(self.count, "ping"))
            .await;
        let said = said.map(|said| said[0]["id"].as_u64());
        assert!(said.is_none_or(|id| id == Some(self.count)));
    }

    async fn level(&mut self, at: usize, session: usize) {
        let is_debug = self.lot.below(2) == 0;
        let mut level = request(self.count, "logging/setLevel");
        level["params"] = json!({ "level": if is_debug { "debug" } else { "info" } });
        if self.request(at, session, &level).await.is_some() {
            self.sessions[session].is_debug = is_debug;
        }
    }

    async fn log(&self, at: usize, session: usize) {
        let mut call = request(self.count, "tools/call");
        call["params"] = json!({ "name": "log" });
        if let Some(said) = self.request(at, session, &call).await {
            let told = 1 + usize::from(self.sessions[session].is_debug);
            assert_eq!(said.len(), told, "{said:?}");
        }
    }

    async fn subscribe(&mut self, at: usize, session: usize, is_wanted: bool) {
        let uri = URIS[self.lot.below(URIS.len())];
        let method = ["resources/unsubscribe", "resources/subscribe"][usize::from(is_wanted)];
        let mut message = request(self.count, method);
        message["params"] = json!({ "uri": uri });
        if self.request(at, session, &message).await.is_none() {
            return;
        }
        let session = &mut self.sessions[session];
        match is_wanted {
            true => drop((session.uris.insert(uri), session.may.insert(uri))),
            false => drop((session.uris.remove(uri), session.owed.remove(uri))),
        }
    }

    async fn listen(&mut self, at: usize, session: usize) {
        let frame = Frame::new(self.sessions[session].headers.clone(), Vec::new().into());
        let reply = self.nodes[at].server.open_stream(&frame).await;
        let known = &mut self.sessions[session];
        let before = known.stream.as_ref().map(|(before, _)| *before);
        let is_free = before.is_none_or(|before| self.nodes[before].is_cut);
        let expected = match (known.has_ended, is_free) {
            (true, _) => 404,
            (false, true) => 200,
            (false, false) => 409,
        };
        assert_eq!(
            reply.status.as_u16(),
            expected,
            "at {at}, before at {before:?}"
        );
        if let ReplyBody::Feed(feed) = reply.body {
            self.stale.extend(known.stream.replace((at, feed)));
        }
    }

    fn publish(&mut self, at: usize) {
        let uri = URIS[self.lot.below(URIS.len())];
        self.nodes[at].changes.resource_updated(uri);
        for session in &mut self.sessions {
            let stream = session.stream.as_ref();
            let hears = stream.is_some_and(|(at, _)| !self.nodes[*at].is_cut);
            if hears && session.uris.contains(uri) {
                session.owed.insert(uri);
            }
        }
    }

    async fn end(&mut self, at: usize, session: usize) {
        let frame = Frame::new(self.sessions[session].headers.clone(), Vec::new().into());
        let reply = self.nodes[at].server.end_session(&frame).await;
        let known = &mut self.sessions[session];
        let expected = if known.has_ended { 404 } else { 204 };
        assert_eq!(reply.status.as_u16(), expected);
        known.has_ended = true;
        self.stale.extend(known.stream.take());
    }

    /// Calls a tool that asks the client. The client answers at another replica, perhaps twice, and
    /// may resume the reply at another replica.
    async fn ask(&mut self, at: usize, session: usize, reads_on: bool) {
        let mut call = request(self.count, "tools/call");
        call["params"] = json!({ "name": "roots" });
        let reply = self.send(at, session, &call).await;
        let ReplyBody::Feed(mut feed) = reply.body else {
            return assert!(self.sessions[session].has_ended);
        };
        let asked = loop {
            let event = poll_fn(|context| feed.poll_event(context)).await.unwrap();
            if !event.data.is_empty() {
                break event;
            }
        };
        if reads_on {
            let mut headers = self.sessions[session].headers.clone();
            let id = HeaderValue::from_str(&asked.id.clone().unwrap()).unwrap();
            headers.insert("last-event-id", id);
            let frame = Frame::new(headers, Vec::new().into());
            let there = self.up();
            let reply = self.nodes[there].server.open_stream(&frame).await;
            let ReplyBody::Feed(other) = reply.body else {
                panic!("{}: what {at} said can't be read at {there}", reply.status);
            };
            let before = mem::replace(&mut feed, other);
            assert_eq!(rest(before).await, [Value::Null; 0]);
        }
        let question: Value = serde_json::from_slice(&asked.data).unwrap();
        let mut answer = answer(&question);
        let own = format!("file:///{}", self.count);
        answer["result"]["roots"][0]["uri"] = own.as_str().into();
        for _ in 0..=self.lot.below(2) {
            let there = self.up();
            let reply = self.send(there, session, &answer).await;
            assert_eq!(reply.status.as_u16(), 202);
        }
        let said = rest(feed).await;
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!(said[0]["id"], self.count);
        assert_eq!(said[0]["result"]["content"][0]["text"], own.as_str());
    }

    /// Starts a task, which completes or is cancelled, and polls it at other replicas.
    async fn task(&mut self, at: usize) {
        let (text, is_cancelled) = (self.count.to_string(), self.lot.below(2) == 0);
        let name = if is_cancelled { "wait" } else { "echo" };
        let params = json!({ "name": name, "arguments": { "text": text } });
        let made = self.nodes[at].modern.ask("tools/call", params).await;
        let task = json!({ "taskId": made["result"]["taskId"] });
        assert!(task["taskId"].is_string(), "{made}");
        if is_cancelled {
            let there = self.up();
            self.nodes[there]
                .modern
                .ask("tasks/cancel", task.clone())
                .await;
        }
        let expected = if is_cancelled {
            "cancelled"
        } else {
            "completed"
        };
        for _ in 0..2 {
            let there = self.up();
            let mut found = json!({ "status": "working" });
            while found["status"] == "working" {
                let reply = self.nodes[there]
                    .modern
                    .ask("tasks/get", task.clone())
                    .await;
                found = reply["result"].clone();
                sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(found["status"], expected, "{found}");
            let said = &found["result"]["content"][0]["text"];
            assert!(is_cancelled || *said == text.as_str(), "{found}");
        }
    }

    /// Checks that each client was notified of exactly its changes, and that stale streams have
    /// ended.
    async fn check(&mut self) {
        for node in &mut self.nodes {
            node.has_lost &= node.is_cut;
            node.part.fail(|faults| faults.lost_events = 0);
            // The number of this event shows the other replicas which events were lost.
            node.changes.resource_updated("test://nothing");
        }
        sleep(SETTLED).await;
        for session in &mut self.sessions {
            let Some((at, feed)) = &mut session.stream else {
                session.owed.clear();
                session.may = session.uris.clone();
                continue;
            };
            if self.nodes[*at].is_cut {
                continue;
            }
            while let Poll::Ready(event) = poll(feed) {
                let event = event.expect("the stream goes on");
                let told: Value = serde_json::from_slice(&event.data).unwrap();
                if let Some(uri) = told["params"]["uri"].as_str() {
                    assert!(session.may.contains(uri), "{told}");
                    session.owed.remove(uri);
                }
            }
            assert_eq!(session.owed, BTreeSet::new(), "was not told at {at}");
            session.may = session.uris.clone();
        }
        self.read_stale();
        let goes_on = self.stale.iter().find(|(at, _)| !self.nodes[*at].is_cut);
        assert!(
            goes_on.is_none(),
            "a stream at {:?} goes on",
            goes_on.map(|it| it.0)
        );
    }

    /// Reads the streams that must end, as a transport does all the time, and drops the ended ones.
    fn read_stale(&mut self) {
        self.stale.retain_mut(|(_, feed)| {
            loop {
                match poll(feed) {
                    Poll::Ready(Some(_)) => {}
                    Poll::Ready(None) => return false,
                    Poll::Pending => return true,
                }
            }
        });
    }
}

fn poll(feed: &mut Box<dyn Feed>) -> Poll<Option<plainly::transport::Event>> {
    feed.poll_event(&mut Waiting::from_waker(Waker::noop()))
}

/// Returns the messages until the end.
async fn rest(mut feed: Box<dyn Feed>) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Some(event) = poll_fn(|context| feed.poll_event(context)).await {
        if !event.data.is_empty() {
            messages.push(serde_json::from_slice(&event.data).unwrap());
        }
    }
    messages
}
