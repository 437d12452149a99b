//! Messages to a replica of a server: any bytes, and any content in an envelope sealed by another
//! replica. The replica must answer each question once, and continue.

#![no_main]

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::Server;
use plainly::server::cluster::{Bus, InProcess, Replica, Unanswered};
use plainly::server::{Changes, Keys};
use plainly::transport::{Exchange, Frame};
use plainly_fuzz::{initialize, request, settle, simulate};
use plainly_transport::seal::{Purpose, Sealer};
use serde_json::{Value, json};
use tokio::time::timeout;

const SERVER: &str = "fuzz";
const MINUTE: Duration = Duration::from_secs(60);

#[derive(Arbitrary, Debug)]
enum Step<'a> {
    /// Bytes as an event if true, otherwise as a question.
    Bytes(bool, &'a [u8]),
    /// Text in an envelope.
    Text(bool, &'a str),
    Known(u8, Words<'a>),
    /// Increases the number of the next message by this.
    Skip(u8),
}

/// The words of a message. The first may be the name of the existing session.
#[derive(Arbitrary, Debug)]
struct Words<'a> {
    is_of_session: bool,
    first: &'a str,
    second: &'a str,
    third: Option<&'a str>,
}

/// A replica that sends anything.
struct Stranger {
    part: Replica,
    sealer: Sealer,
    to: Replica,
    number: u64,
    session: String,
}

fuzz_target!(|steps: Vec<Step>| simulate(play(steps)));

async fn play(steps: Vec<Step<'_>>) {
    let (engine, keys) = (InProcess::new(), Keys::new([7; 32]));
    let to = engine.replica();
    let builder = Server::builder(SERVER, "1").changes(Changes::new());
    let server = builder
        .keys(keys.clone())
        .cluster(to.clone())
        .build()
        .unwrap();
    let opening = initialize(&json!(0), "2025-11-25").to_string();
    let opened = server
        .exchange(&Frame::new(HeaderMap::new(), opening.into()))
        .await;
    let session = opened.headers["mcp-session-id"].to_str().unwrap();
    let mut stranger = Stranger {
        part: engine.replica(),
        sealer: Sealer::new(Some(keys)),
        to,
        number: 1,
        session: session.to_owned(),
    };
    for step in steps.into_iter().take(40) {
        stranger.step(step).await;
        settle().await;
    }
    assert_eq!(stranger.ask(&json!("runs")).await, Some(json!("yes")));
    let mut headers = HeaderMap::new();
    headers.insert("mcp-session-id", opened.headers["mcp-session-id"].clone());
    headers.insert(
        "mcp-protocol-version",
        HeaderValue::from_static("2025-11-25"),
    );
    let ping = request(&json!(1), "ping", json!({})).to_string();
    let pinged = server.exchange(&Frame::new(headers, ping.into())).await;
    // A session that was reported as ended starts again, because its record exists.
    assert!(pinged.status.is_success(), "{}", pinged.status);
}

impl Stranger {
    async fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Bytes(true, bytes) => self.part.tell(Bytes::copy_from_slice(bytes)),
            Step::Bytes(false, bytes) => {
                let question = Bytes::copy_from_slice(bytes);
                let asked = self.part.ask(self.to.id(), question, MINUTE);
                assert_eq!(timeout(MINUTE / 2, asked).now_or_never(), None);
            }
            Step::Text(true, text) => self.tell(text.as_bytes()),
            Step::Text(false, text) => drop(self.ask_sealed(text.as_bytes()).now_or_never()),
            Step::Known(kind, words) => match self.known(kind, &words) {
                (true, event) => {
                    let event = json!({ "number": self.number, "content": event });
                    self.number += 1;
                    self.tell(event.to_string().as_bytes());
                }
                (false, question) => {
                    let answer = self.ask(&question).await;
                    let answer = answer.expect("each question is answered");
                    let words = ["yes", "no", "busy"].map(Value::from);
                    assert!(words.contains(&answer) || answer["version"].is_string());
                }
            },
            Step::Skip(by) => self.number = self.number.saturating_add(by.into()),
        }
    }

    /// A message of this kind, and whether it is an event.
    fn known(&self, kind: u8, words: &Words<'_>) -> (bool, Value) {
        let Words { second, third, .. } = words;
        let first = match words.is_of_session {
            true => self.session.as_str(),
            false => words.first,
        };
        let events = [
            json!({ "changed": "tools" }),
            json!({ "changed": { "resource": first } }),
            json!({ "changed": { "below": first } }),
            json!({ "changed": { "task": first } }),
            json!({ "cancelled": { "session": first, "id": second } }),
            json!({ "ended": { "session": first } }),
            json!("who"),
            json!({ first: second }),
        ];
        let questions = [
            json!("runs"),
            json!("meet"),
            json!({ "answer": { "session": first, "response": second } }),
            json!({ "holds": { "session": first } }),
            json!({ "taken": { "session": first, "stream": second.len() } }),
            json!({ "catch_up": { "session": first } }),
            json!({ "put": { "pipe": first, "principal": third, "message": second } }),
            json!({ "stored": { "name": first } }),
            json!({ first: { "session": second } }),
        ];
        let place = usize::from(kind) % (events.len() + questions.len());
        match events.get(place) {
            Some(event) => (true, event.clone()),
            None => (false, questions[place - events.len()].clone()),
        }
    }

    fn tell(&self, event: &[u8]) {
        let own = self.part.id().to_string();
        self.part.tell(self.sealed(&["tell", SERVER, &own], event));
    }

    /// Asks a question, and returns the answer.
    async fn ask(&mut self, question: &Value) -> Option<Value> {
        let number = self.number;
        self.number += 1;
        let question = json!({ "number": number, "content": question });
        let answer = self
            .ask_sealed(question.to_string().as_bytes())
            .await
            .ok()?;
        let (own, to) = (self.part.id().to_string(), self.to.id().to_string());
        let number = number.to_string();
        let purpose = ["answer", SERVER, &to, &own, &number];
        let opened = self
            .sealer
            .open_bytes(&purpose, &answer[17..], SystemTime::now());
        // The answer starts with the time of sending.
        Some(serde_json::from_slice(&opened.unwrap()[8..]).unwrap())
    }

    async fn ask_sealed(&self, question: &[u8]) -> Result<Bytes, Unanswered> {
        let (own, to) = (self.part.id().to_string(), self.to.id().to_string());
        let question = self.sealed(&["ask", SERVER, &own, &to], question);
        self.part.ask(self.to.id(), question, MINUTE).await
    }

    fn sealed(&self, purpose: Purpose<'_>, content: &[u8]) -> Bytes {
        let now = SystemTime::now();
        let sent = now.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let content = [&(sent.as_millis() as u64).to_be_bytes(), content].concat();
        let sealed = self.sealer.seal_bytes(purpose, &content, now, MINUTE);
        let own = self.part.id().to_string();
        [&[1], own.as_bytes(), &sealed.unwrap()].concat().into()
    }
}
