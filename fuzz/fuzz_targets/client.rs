//! A client and a server that sends anything, step by step. Each call must end once, with its own
//! result or an error; a call that was given up must be cancelled; and after the server is gone, no
//! call may wait for it.

#![no_main]

use std::collections::BTreeMap;
use std::time::Duration;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::Client;
use plainly::client::Error;
use plainly_fuzz::{settle, simulate, told};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use tokio::time::advance;

/// The maximum time of a call without progress, in seconds.
const TIMEOUT: u64 = 60;

#[derive(Arbitrary, Debug)]
enum Step {
    Call,
    /// A valid result.
    Answer(u8),
    Fail(u8, i32),
    /// An invalid result.
    Misanswer(u8, u8),
    /// A valid result for a call that was never made.
    Stray(i64),
    Notify(u8, u8),
    Line(Vec<u8>),
    GiveUp(u8),
    Pass(u8),
    Close,
}

/// A call in the model.
struct Call {
    running: Option<JoinHandle<Result<String, Error>>>,
    id: Value,
    since: u64,
    /// The expected end of the call, once it is known: true for its own text, false for an error.
    expected: Option<bool>,
}

struct World {
    client: Client,
    server: DuplexStream,
    calls: BTreeMap<u64, Call>,
    now: u64,
    /// Whether something was sent that ends the connection, or may have any effect.
    is_doubtful: bool,
    /// Whether progress was sent, which may have given a call more time.
    has_progressed: bool,
    is_closed: bool,
}

fuzz_target!(|steps: Vec<Step>| simulate(async move {
    let mut world = World::new().await;
    for step in steps.into_iter().take(60) {
        world.step(step).await;
        world.check().await;
    }
    world.close().await;
}));

impl World {
    async fn new() -> Self {
        let (near, mut server) = tokio::io::duplex(8 << 20);
        let (reader, writer) = tokio::io::split(near);
        let builder = Client::over(reader, writer).timeout(Duration::from_secs(TIMEOUT));
        let connecting = tokio::spawn(builder.connect());
        let probe = said(&mut server).await;
        assert_eq!(probe[0]["method"], "server/discover");
        let result = json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "fuzz", "version": "1"}},
        });
        say(
            &mut server,
            &json!({"jsonrpc": "2.0", "id": probe[0]["id"], "result": result}),
        )
        .await;
        Self {
            client: connecting.await.unwrap().unwrap(),
            server,
            calls: BTreeMap::new(),
            now: 0,
            is_doubtful: false,
            has_progressed: false,
            is_closed: false,
        }
    }

    /// One of the running calls, and its id.
    fn pick(&mut self, which: u8) -> Option<(u64, Value)> {
        let running = self.calls.iter().filter(|(_, call)| call.running.is_some());
        let running: Vec<_> = running
            .map(|(ticket, call)| (*ticket, call.id.clone()))
            .collect();
        (!running.is_empty()).then(|| running[usize::from(which) % running.len()].clone())
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Close => self.is_closed = true,
            Step::Pass(seconds) => {
                advance(Duration::from_secs(seconds.into())).await;
                self.now += u64::from(seconds);
            }
            _ if self.is_closed || self.is_doubtful => {}
            Step::Call => self.call().await,
            Step::Answer(which) => {
                if let Some((ticket, id)) = self.pick(which) {
                    self.answer(ticket, &id, &result(ticket), true).await;
                }
            }
            Step::Fail(which, code) => {
                if let Some((ticket, id)) = self.pick(which) {
                    let error = json!({"code": code, "message": "no"});
                    let message = json!({"jsonrpc": "2.0", "id": id, "error": error});
                    self.calls.get_mut(&ticket).unwrap().expected = Some(false);
                    say(&mut self.server, &message).await;
                }
            }
            Step::Misanswer(which, how) => {
                if let Some((ticket, id)) = self.pick(which) {
                    let wrong = [
                        json!(null),
                        json!(5),
                        json!([]),
                        json!({"content": 1}),
                        json!("x"),
                    ];
                    self.answer(ticket, &id, &wrong[usize::from(how) % wrong.len()], false)
                        .await;
                }
            }
            Step::Stray(id) => {
                let is_known = self.calls.values().any(|call| call.id == id);
                if !is_known {
                    let message = json!({"jsonrpc": "2.0", "id": id, "result": result(0)});
                    say(&mut self.server, &message).await;
                }
            }
            Step::Notify(kind, token) => self.notify(kind, token).await,
            Step::Line(bytes) => {
                self.server.write_all(&bytes).await.unwrap();
                self.server.write_all(b"\n").await.unwrap();
                self.is_doubtful = true;
            }
            Step::GiveUp(which) => self.give_up(which).await,
        }
    }

    async fn call(&mut self) {
        // Reads the cancellations of calls that timed out.
        said(&mut self.server).await;
        let ticket = self.calls.len() as u64 + 1;
        let client = self.client.clone();
        let running = tokio::spawn(async move {
            let result = client.call_tool("tool", json!({"ticket": ticket})).await?;
            Ok(serde_json::to_string(&result.content).unwrap())
        });
        let request = said(&mut self.server).await.remove(0);
        assert_eq!(request["params"]["arguments"]["ticket"], ticket);
        assert!(self.calls.values().all(|call| call.id != request["id"]));
        let call = Call {
            running: Some(running),
            id: request["id"].clone(),
            since: self.now,
            expected: None,
        };
        self.calls.insert(ticket, call);
    }

    async fn answer(&mut self, ticket: u64, id: &Value, result: &Value, is_good: bool) {
        self.calls.get_mut(&ticket).unwrap().expected = Some(is_good);
        let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
        // The second response must be ignored.
        for _ in 0..2 {
            say(&mut self.server, &message).await;
        }
    }

    async fn notify(&mut self, kind: u8, token: u8) {
        let kinds = [
            "tools/list_changed",
            "message",
            "progress",
            "cancelled",
            "whatever",
        ];
        let kind = kinds[usize::from(kind) % kinds.len()];
        self.has_progressed |= kind == "progress";
        let method = format!("notifications/{kind}");
        let params = json!({"progressToken": token, "progress": 1, "requestId": token, "level": "info", "data": 1});
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        say(&mut self.server, &message).await;
    }

    /// Drops a call, which must then be cancelled.
    async fn give_up(&mut self, which: u8) {
        let Some((ticket, id)) = self.pick(which) else {
            return;
        };
        said(&mut self.server).await;
        self.calls
            .get_mut(&ticket)
            .unwrap()
            .running
            .take()
            .unwrap()
            .abort();
        let said = said(&mut self.server).await;
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!(said[0]["method"], "notifications/cancelled");
        assert_eq!(said[0]["params"]["requestId"], id);
    }

    async fn check(&mut self) {
        if self.is_closed {
            self.server.shutdown().await.unwrap();
        }
        settle().await;
        for (ticket, call) in &mut self.calls {
            let is_late = self.now >= call.since + TIMEOUT;
            let can_end = is_late || self.is_closed || call.expected.is_some();
            let has_no_time = is_late && !self.has_progressed;
            let must_end = has_no_time || self.is_closed || call.expected.is_some();
            let Some(running) = call.running.take() else {
                continue;
            };
            if !running.is_finished() {
                assert!(
                    !must_end || self.is_doubtful && !self.is_closed,
                    "call {ticket} waits"
                );
                call.running = Some(running);
                continue;
            }
            let ended = running.await.unwrap();
            assert!(can_end || self.is_doubtful, "{ended:?}");
            match ended {
                Ok(text) => assert!(
                    self.is_doubtful
                        || call.expected == Some(true) && text.contains(&format!("<{ticket}>"))
                ),
                Err(error) => {
                    let error = told(&error);
                    assert!(call.expected != Some(true) || self.is_doubtful, "{error}");
                }
            }
        }
    }

    async fn close(mut self) {
        self.is_closed = true;
        self.check().await;
        assert!(self.calls.values().all(|call| call.running.is_none()));
    }
}

fn result(ticket: u64) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": format!("<{ticket}>")}]})
}

async fn say(server: &mut DuplexStream, message: &Value) {
    server
        .write_all(format!("{message}\n").as_bytes())
        .await
        .unwrap();
}

/// The messages from the client, once no task can proceed.
async fn said(server: &mut DuplexStream) -> Vec<Value> {
    settle().await;
    let mut bytes = Vec::new();
    loop {
        tokio::select! {
            biased;
            read = server.read_buf(&mut bytes) => if read.unwrap() == 0 { break },
            () = std::future::ready(()) => break,
        }
    }
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}
