//! Two listening clients over byte streams, and a server that reports changes, compared with a
//! model. Each client must be notified of its topics, once for each change, in every subscription
//! to them; not after it was cancelled; and in the end all places must be free.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::limits::Limits;
use plainly::server::Changes;
use plainly::{Prompt, Resource, Server, Tool};
use plainly_fuzz::{Peer, initialize, modern, request, settle, simulate};
use serde_json::{Map, Value, json};

/// The maximum numbers of subscriptions on one connection, and in total.
const MOST: usize = 2;
const MOST_IN_ALL: usize = 3;
const ID: &str = "io.modelcontextprotocol/subscriptionId";
const LISTS: [&str; 3] = ["tools", "prompts", "resources"];
const URIS: [&str; 3] = ["app://0", "app://1", "app://2"];
const REVISIONS: [&str; 3] = ["2026-07-28", "2025-11-25", "2024-11-05"];

#[derive(Arbitrary, Debug)]
struct Input {
    revisions: [u8; 2],
    steps: Vec<(bool, Step)>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    /// Listens to the topics in the bits: the lists, then the URIs.
    Listen {
        id: u8,
        topics: u8,
    },
    Cancel(u8),
    Subscribe(u8),
    Unsubscribe(u8),
    /// Several changes at once, before any client is notified of the first.
    Change(Vec<u8>),
    HangUp,
    /// The client ends its input, and its listening requests get their replies.
    Finish,
}

/// The number of a list or URI.
type Topic = u8;

struct Client {
    peer: Peer,
    revision: &'static str,
    /// The listening requests, by their ids.
    listens: BTreeMap<u8, BTreeSet<Topic>>,
    /// The topics of the client's session, if it has one.
    session: Option<BTreeSet<Topic>>,
    expected: Vec<String>,
    is_finished: bool,
}

struct World {
    server: Server,
    changes: Changes,
    clients: Vec<Client>,
}

/// A server for all inputs, each of which must leave it unchanged.
static SERVER: LazyLock<(Server, Changes)> = LazyLock::new(|| {
    let mut limits = Limits::default();
    limits.subscriptions.per_connection = MOST;
    limits.subscriptions.open = MOST_IN_ALL;
    let changes = Changes::new();
    let builder = Server::builder("fuzz", "1").limits(limits);
    let builder = URIS.iter().fold(builder, |builder, uri| {
        builder.resource(Resource::new(*uri, async || "x"))
    });
    let server = builder
        .tool(Tool::new("tool", async || "x"))
        .prompt(Prompt::new("prompt", async || "x"))
        .changes(changes.clone())
        .build();
    (server.unwrap(), changes)
});

fuzz_target!(|input: Input| simulate(play(input)));

async fn play(input: Input) {
    let mut world = World::new();
    for revision in input.revisions {
        world.connect(REVISIONS[usize::from(revision) % 3]).await;
    }
    for (second, step) in input.steps.into_iter().take(60) {
        world.step(usize::from(second), step).await;
        world.check().await;
    }
    world.end().await;
}

impl World {
    fn new() -> Self {
        let (server, changes) = SERVER.clone();
        Self {
            server,
            changes,
            clients: Vec::new(),
        }
    }

    fn open(&self) -> usize {
        let clients = self.clients.iter();
        clients
            .map(|client| client.listens.len() + usize::from(client.session.is_some()))
            .sum()
    }

    async fn connect(&mut self, revision: &'static str) {
        let mut peer = Peer::connect(&self.server, None);
        let mut session = None;
        if revision != REVISIONS[0] {
            peer.ask(&initialize(&json!("open"), revision)).await;
            // If there is no place for the session, it gets no notifications.
            session = (self.open() < MOST_IN_ALL).then(|| (0..3).collect());
        }
        self.clients.push(Client {
            peer,
            revision,
            listens: BTreeMap::new(),
            session,
            expected: Vec::new(),
            is_finished: false,
        });
    }

    async fn step(&mut self, index: usize, step: Step) {
        let room = MOST_IN_ALL - self.open();
        let client = &mut self.clients[index];
        let is_modern = client.revision == REVISIONS[0];
        match step {
            Step::Change(topics) => self.change(topics),
            Step::HangUp => {
                let revision = client.revision;
                self.clients.remove(index);
                settle().await;
                self.connect(revision).await;
            }
            _ if client.is_finished => {}
            Step::Listen { id, topics } if is_modern => client.listen(id % 4, topics, room).await,
            Step::Cancel(id) => {
                client.listens.remove(&(id % 4));
                let params = json!({"requestId": id % 4});
                let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
                client.peer.send(&message).await;
            }
            Step::Subscribe(uri) if !is_modern => {
                client.ask("resources/subscribe", uri).await;
                if let Some(topics) = &mut client.session {
                    topics.insert(3 + uri % 3);
                }
            }
            Step::Unsubscribe(uri) if !is_modern => {
                client.ask("resources/unsubscribe", uri).await;
                if let Some(topics) = &mut client.session {
                    topics.remove(&(3 + uri % 3));
                }
            }
            Step::Finish => client.finish().await,
            Step::Listen { .. } | Step::Subscribe(_) | Step::Unsubscribe(_) => {}
        }
    }

    fn change(&mut self, topics: Vec<u8>) {
        let mut changed: BTreeSet<Topic> = BTreeSet::new();
        for topic in topics.into_iter().take(8).map(|topic| topic % 6) {
            match topic {
                0 => self.changes.tools_changed(),
                1 => self.changes.prompts_changed(),
                2 => self.changes.resources_changed(),
                uri => self.changes.resource_updated(URIS[usize::from(uri - 3)]),
            }
            changed.insert(topic);
        }
        for client in &mut self.clients {
            let listens = client
                .listens
                .iter()
                .map(|(id, topics)| (Some(*id), topics));
            let session = client.session.iter().map(|topics| (None, topics));
            let told = listens.chain(session).flat_map(|(id, topics)| {
                let both = changed.intersection(topics);
                both.map(move |topic| notification(id, *topic))
            });
            client.expected.extend(told.collect::<Vec<_>>());
        }
    }

    async fn check(&mut self) {
        for client in &mut self.clients {
            let heard = client.peer.heard().await;
            let mut heard: Vec<String> = heard.iter().map(describe).collect();
            heard.sort();
            client.expected.sort();
            assert_eq!(heard, std::mem::take(&mut client.expected));
        }
    }

    /// Checks that as many clients can listen as before.
    async fn end(mut self) {
        self.clients.clear();
        settle().await;
        for _ in 0..2 {
            self.connect(REVISIONS[0]).await;
        }
        for number in 0..=MOST_IN_ALL {
            let step = Step::Listen {
                id: number as u8,
                topics: 1,
            };
            self.step(number % 2, step).await;
            self.check().await;
        }
        assert_eq!(self.open(), MOST_IN_ALL);
        self.clients.clear();
        settle().await;
    }
}

impl Client {
    async fn listen(&mut self, id: u8, bits: u8, room: usize) {
        let topics: BTreeSet<Topic> = (0..6).filter(|topic| bits >> topic & 1 == 1).collect();
        let mut asked = Map::new();
        for (topic, list) in (0..).zip(LISTS) {
            if topics.contains(&topic) {
                asked.insert(format!("{list}ListChanged"), true.into());
            }
        }
        let uris: Vec<_> = (3..)
            .zip(URIS)
            .filter(|(topic, _)| topics.contains(topic))
            .collect();
        if !uris.is_empty() {
            let uris = uris.into_iter().map(|(_, uri)| uri.into()).collect();
            asked.insert("resourceSubscriptions".to_owned(), Value::Array(uris));
        }
        let asked = Value::Object(asked);
        let params = json!({"notifications": asked});
        self.peer
            .send(&modern(&json!(id), "subscriptions/listen", params))
            .await;
        self.expected.push(if self.listens.contains_key(&id) {
            format!("{id} duplicate_id")
        } else if room == 0 || self.listens.len() >= MOST {
            format!("{id} overloaded")
        } else {
            self.listens.insert(id, topics);
            format!("acknowledged {id} {asked}")
        });
    }

    async fn ask(&mut self, method: &str, uri: u8) {
        let params = json!({"uri": URIS[usize::from(uri % 3)]});
        self.peer.send(&request(&json!("r"), method, params)).await;
        self.expected.push("\"r\" result".to_owned());
    }

    async fn finish(&mut self) {
        self.peer.finish().await;
        self.is_finished = true;
        self.session = None;
        let listens = std::mem::take(&mut self.listens);
        self.expected
            .extend(listens.keys().map(|id| format!("{id} result")));
    }
}

fn notification(id: Option<u8>, topic: Topic) -> String {
    let what = match topic {
        list @ 0..3 => format!("{}/list_changed", LISTS[usize::from(list)]),
        uri => format!("resources/updated {}", URIS[usize::from(uri - 3)]),
    };
    format!("{what} of {id:?}")
}

fn describe(message: &Value) -> String {
    let (params, id) = (&message["params"], &message["id"]);
    let subscription = &params["_meta"][ID];
    match message["method"].as_str() {
        Some("notifications/subscriptions/acknowledged") => {
            format!("acknowledged {subscription} {}", params["notifications"])
        }
        Some(method) => {
            let what = method.strip_prefix("notifications/").unwrap();
            let uri = params["uri"].as_str().map(|uri| format!(" {uri}"));
            let id = subscription.as_u64();
            format!("{what}{} of {id:?}", uri.unwrap_or_default())
        }
        None => match message["error"]["data"]["kind"].as_str() {
            Some(kind) => format!("{id} {kind}"),
            None => {
                assert!(message["result"].is_object(), "{message}");
                format!("{id} result")
            }
        },
    }
}
