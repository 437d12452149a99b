//! Tests the cache against a model of it: a list of answers, which is searched from beginning to
//! end.

use std::time::Duration;

use bytes::Bytes;
use plainly_errors::{ProtocolError, Revision};
use plainly_protocol::method::Method;
use plainly_protocol::types::ListResourcesParams;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::{Instant, advance};

use super::*;
use crate::cache::Change;
use crate::error::Error;

/// The call: its method, its URI and its cursor.
type Called = (Method, Option<&'static str>, Option<&'static str>);

const CALLS: [Called; 13] = [
    (Method::ListTools, None, None),
    (Method::ListTools, None, Some("2")),
    (Method::ListPrompts, None, None),
    (Method::ListResourceTemplates, None, None),
    (Method::ListResources, None, None),
    (Method::ListResources, None, Some("2")),
    (Method::ListResources, Some("a:b"), None),
    (Method::ListResources, Some("a:x"), Some("2")),
    (Method::ReadResource, Some("a:b"), None),
    (Method::ReadResource, Some("a:b/c"), None),
    (Method::ReadResource, Some("a:bc"), None),
    (Method::Discover, None, None),
    (Method::ListSkills, None, Some("2")),
];

/// Each change, and the numbers of the calls whose results it drops.
fn changes() -> Vec<(Change, &'static [usize])> {
    vec![
        (Change::Tools, &[0, 1]),
        (Change::Prompts, &[2]),
        (Change::Resources, &[3, 4, 5, 6, 7, 12]),
        (Change::Resource("a:b".to_owned()), &[4, 5, 6, 8]),
        (Change::Resource("a:b/c".to_owned()), &[4, 5, 6, 8, 9]),
        (Change::Resource("a:bc".to_owned()), &[4, 5, 10]),
        (Change::Resource("y:z".to_owned()), &[4, 5]),
        (Change::Missed, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (Change::Task("a:b".to_owned()), &[]),
    ]
}

/// The number of the change that drops the pages of a listing, by the listing's second page.
fn other_listing(call: usize) -> Option<usize> {
    [(1, 0), (5, 2), (7, 2), (12, 2)]
        .into_iter()
        .find_map(|(page, change)| (page == call).then_some(change))
}

/// The clients, each with its server, its credentials, and whether it accepts expired results where
/// the server fails.
const CLIENTS: [(usize, &str, bool); 5] = [
    (0, "anna", false),
    (0, "anna", true),
    (0, "bert", false),
    (1, "anna", false),
    (1, "bert", true),
];

/// The time in milliseconds for which expired results are accepted. All times are multiples of it,
/// so that many results expire exactly at a step.
const STALE: u64 = 500;

#[derive(Clone, Debug)]
enum Step {
    Call {
        client: usize,
        call: usize,
        is_fresh: bool,
    },
    /// The reply to one of the waiting calls.
    Reply {
        which: usize,
        reply: Reply,
    },
    Change {
        server: usize,
        change: usize,
    },
    Wait(u64),
}

#[derive(Clone, Debug)]
enum Reply {
    Result {
        millis: u64,
        is_public: bool,
        is_final: bool,
    },
    Refused,
    Failed,
}

/// Steps with a few related calls: with all calls, hardly any two steps would concern the same one.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    (0..CALLS.len()).prop_flat_map(|first| prop::collection::vec(step(first), 0..120))
}

fn step(first: usize) -> impl Strategy<Value = Step> {
    let result = (0..4_u64, any::<bool>(), prop::bool::weighted(0.9));
    let reply = prop_oneof![
        6 => result.prop_map(|(times, is_public, is_final)| Reply::Result {
            millis: times * STALE,
            is_public,
            is_final,
        }),
        1 => Just(Reply::Refused),
        1 => Just(Reply::Failed),
    ];
    let call = (0..CLIENTS.len(), 0..3_usize, prop::bool::weighted(0.1));
    let change = (0..2_usize, 0..changes().len());
    prop_oneof![
        4 => call.prop_map(move |(client, next, is_fresh)| Step::Call {
            client,
            call: (first + next) % CALLS.len(),
            is_fresh,
        }),
        4 => (any::<usize>(), reply).prop_map(|(which, reply)| Step::Reply { which, reply }),
        1 => change.prop_map(|(server, change)| Step::Change { server, change }),
        1 => (1..3_u64).prop_map(|times| Step::Wait(times * STALE)),
    ]
}

/// A result as the model has it.
#[derive(Clone, Debug)]
struct Answered {
    server: usize,
    /// The credentials; `None` if the result is public.
    who: Option<&'static str>,
    call: usize,
    number: u64,
    until: Duration,
}

/// A call that waits for its reply.
struct Waiting {
    client: usize,
    call: usize,
    is_fresh: bool,
    /// Whether a change was reported meanwhile that may be about the call.
    is_changed: bool,
    fetch: Fetch,
}

#[derive(Default)]
struct Model {
    answered: Vec<Answered>,
    waiting: Vec<Waiting>,
    now: Duration,
    number: u64,
    hits: u64,
    misses: u64,
}

impl Model {
    fn call(&mut self, shelf: &Shelf, client: usize, call: usize, is_fresh: bool) {
        let expected = self.find(client, call, Duration::ZERO);
        let expected = expected.filter(|_| !is_fresh);
        let (method, uri, cursor) = CALLS[call];
        let mut params = ListResourcesParams::new();
        params.uri = uri.map(str::to_owned);
        params.cursor = cursor.map(Into::into);
        let fetch = shelf.fetch(Revision::V2026_07_28, method, &params, is_fresh);
        let fetch = fetch.expect("it may be kept");
        let found = fetch.find().map(|json| number(&json));
        assert_eq!(found, expected, "{client} {:?}", CALLS[call]);
        self.hits += u64::from(found.is_some());
        self.misses += u64::from(found.is_none() && !is_fresh);
        if found.is_none() {
            self.waiting.push(Waiting {
                client,
                call,
                is_fresh,
                is_changed: false,
                fetch,
            });
        }
    }

    fn find(&self, client: usize, call: usize, stale: Duration) -> Option<u64> {
        let (server, who, _) = CLIENTS[client];
        let of = |seer| {
            let mut all = self.answered.iter();
            all.find(|it| {
                (it.server, it.who, it.call) == (server, seer, call) && self.now < it.until + stale
            })
        };
        of(Some(who)).or_else(|| of(None)).map(|it| it.number)
    }

    fn change(&mut self, server: usize, change: usize) {
        let dropped = changes()[change].1;
        self.answered
            .retain(|it| it.server != server || !dropped.contains(&it.call));
        for waiting in &mut self.waiting {
            waiting.is_changed |=
                CLIENTS[waiting.client].0 == server && dropped.contains(&waiting.call);
        }
    }

    fn forget(&mut self, client: usize, call: usize) {
        let (server, who, _) = CLIENTS[client];
        let is_mine = |it: &Answered| it.who.is_none_or(|other| other == who);
        self.answered
            .retain(|it| (it.server, it.call) != (server, call) || !is_mine(it));
    }

    /// Handles the reply to a call, and returns the result that replaces it if it is an error.
    fn reply(&mut self, waiting: Waiting, reply: &Reply) {
        let Waiting {
            client,
            call,
            is_fresh,
            is_changed,
            fetch,
        } = waiting;
        let (server, who, takes_stale) = CLIENTS[client];
        match *reply {
            Reply::Result {
                millis,
                is_public,
                is_final,
            } => {
                self.number += 1;
                self.forget(client, call);
                let until = self.now + Duration::from_millis(millis);
                if millis > 0 && is_final && !is_changed {
                    let who = (!is_public).then_some(who);
                    self.answered.push(Answered {
                        server,
                        who,
                        call,
                        number: self.number,
                        until,
                    });
                }
                let scope = if is_public { "public" } else { "private" };
                let kind = if is_final {
                    "complete"
                } else {
                    "input_required"
                };
                let result = json!({"ttlMs": millis, "cacheScope": scope, "resultType": kind, "number": self.number});
                let result = result.to_string();
                let fields = serde_json::from_str(&result).unwrap();
                fetch.keep(&Bytes::from(result), &fields, false);
            }
            Reply::Refused => {
                self.forget(client, call);
                if let Some(change) = other_listing(call) {
                    self.change(server, change);
                }
                let refused = ProtocolError::invalid_params("no").into();
                assert!(fetch.instead_of(&refused).is_none());
            }
            Reply::Failed => {
                let stale = Duration::from_millis(STALE);
                let old = self
                    .find(client, call, stale)
                    .filter(|_| takes_stale && !is_fresh);
                let failed: Error = ProtocolError::internal("no").into();
                assert_eq!(fetch.instead_of(&failed).map(|json| number(&json)), old);
            }
        }
    }
}

fn number(json: &Bytes) -> u64 {
    serde_json::from_slice::<Value>(json).unwrap()["number"]
        .as_u64()
        .unwrap()
}

async fn check(steps: Vec<Step>) {
    let cache = Cache::default();
    let shelves = CLIENTS.map(|(server, who, takes_stale)| {
        let longest = Duration::from_millis(if takes_stale { STALE } else { 0 });
        let cache = cache.clone().stale_on_error(longest);
        Shelf::of(cache, server, who)
    });
    let begun = Instant::now();
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Wait(millis) => advance(Duration::from_millis(millis)).await,
            Step::Change { server, change } => {
                model.change(server, change);
                // Notes the change at one client that is connected to the server.
                let told = CLIENTS.iter().position(|it| it.0 == server).unwrap();
                shelves[told].note(changes()[change].0.clone());
            }
            Step::Reply { .. } if model.waiting.is_empty() => {}
            Step::Reply { which, reply } => {
                let which = which % model.waiting.len();
                let waiting = model.waiting.remove(which);
                model.reply(waiting, &reply);
            }
            Step::Call {
                client,
                call,
                is_fresh,
            } => model.call(&shelves[client], client, call, is_fresh),
        }
        model.now = begun.elapsed();
    }
    let counted = (model.hits, model.misses);
    assert_eq!((cache.hits(), cache.misses()), counted);
}

proptest! {
    #[test]
    fn the_cache_has_what_a_list_of_all_answers_would_have(steps in steps()) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(check(steps));
    }
}
