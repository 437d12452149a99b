//! Sessions that several servers share through the same records.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use plainly::protocol::types::LoggingLevel;
use plainly::server::extract::Context;
use plainly::server::{Changes, EngineError, Records, Resource, Server, StoredRecord, Tool};
use plainly_peer::{Gate, Response, Site};
use serde_json::{Value, json};

use super::support::{answer, call, initialize, request, roots, wait};

const EVENTS: &str = "Accept: text/event-stream\r\n";
const URI: &str = "test://news";

/// Records in memory, which may be unavailable.
#[derive(Clone, Debug, Default)]
struct Shelf {
    records: Arc<Mutex<HashMap<String, StoredRecord>>>,
    is_away: Arc<AtomicBool>,
}

impl Shelf {
    fn check(&self) -> Result<(), EngineError> {
        match self.is_away.load(Ordering::SeqCst) {
            true => Err(EngineError::Refused("away".into())),
            false => Ok(()),
        }
    }
}

impl Records for Shelf {
    async fn get(&self, key: &str) -> Result<Option<StoredRecord>, EngineError> {
        self.check()?;
        Ok(self.records.lock().unwrap().get(key).cloned())
    }

    async fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        _ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        self.check()?;
        assert!(key.len() <= 80, "{key}");
        let mut records = self.records.lock().unwrap();
        if records.get(key).map(|record| record.version) != over {
            return Ok(None);
        }
        let version = over.unwrap_or_default() + 1;
        records.insert(key.to_owned(), StoredRecord::new(value, version));
        Ok(Some(version))
    }
}

async fn log(context: Context) -> &'static str {
    context.log(LoggingLevel::Debug, "a detail").await;
    "logged"
}

async fn news() -> &'static str {
    "none"
}

struct Replica {
    http: Site,
    changes: Changes,
    gate: Gate,
}

async fn replica(shelf: &Shelf) -> Replica {
    let (changes, gate) = (Changes::new(), Gate::new());
    let server = Server::builder("shared", "1")
        .state(gate.clone())
        .tool(Tool::new("log", log))
        .tool(Tool::new("roots", roots))
        .tool(Tool::new("wait", wait))
        .resource(Resource::new(URI, news).name("news"))
        .changes(changes.clone())
        .records(shelf.clone())
        .build()
        .unwrap();
    let http = Site::serve_users(server.http().path("/mcp")).await;
    Replica {
        http,
        changes,
        gate,
    }
}

impl Replica {
    /// Opens a session as the user of this header, and returns the headers of its requests.
    async fn open(&self, user: &str) -> String {
        let opened = self.http.send("POST /mcp", user, initialize("2025-11-25"));
        format!("Mcp-Session-Id: {}\r\n{user}", opened.await.session())
    }

    async fn post(&self, session: &str, message: Value) -> u16 {
        self.http.send("POST /mcp", session, message).await.status
    }

    /// Calls a tool without arguments.
    async fn call(&self, session: &str, tool: &str) -> Response {
        let mut message = request(1, "tools/call");
        message["params"] = json!({ "name": tool });
        self.http.send("POST /mcp", session, message).await
    }

    /// Returns the messages of the reply to a call.
    async fn hear(&self, session: &str, tool: &str) -> Vec<Value> {
        let mut response = self.call(session, tool).await;
        let mut heard = vec![response.message().await];
        while heard.last().is_some_and(|last| last.get("id").is_none()) {
            heard.push(response.message().await);
        }
        heard
    }

    /// Sets the log level, and returns the error code.
    async fn set_level(&self, session: &str, level: &str) -> Option<i64> {
        let mut message = request(2, "logging/setLevel");
        message["params"] = json!({ "level": level });
        let mut response = self.http.send("POST /mcp", session, message).await;
        response.message().await["error"]["code"].as_i64()
    }

    async fn subscribe(&self, session: &str, method: &str) {
        let mut message = request(3, method);
        message["params"] = json!({ "uri": URI });
        assert_eq!(self.post(session, message).await, 200);
    }
}

#[tokio::test]
async fn a_session_opened_at_one_server_is_answered_by_the_other() {
    let shelf = Shelf::default();
    let [one, other] = [replica(&shelf).await, replica(&shelf).await];
    let stranger = replica(&Shelf::default()).await;
    for user in ["", "User: alice\r\n"] {
        let session = one.open(user).await;
        for server in [&other, &one, &other] {
            assert_eq!(server.hear(&session, "log").await.len(), 1);
        }
        let bob = session.replace(user, "") + "User: bob\r\n";
        assert_eq!(other.post(&bob, request(1, "ping")).await, 404);
        assert_eq!(stranger.post(&session, request(1, "ping")).await, 404);
        let ended = other.http.bare("DELETE /mcp", &session, "").await;
        assert_eq!(ended.status, 204);
        for server in [&one, &other] {
            assert_eq!(server.post(&session, request(1, "ping")).await, 404);
        }
    }
}

#[tokio::test]
async fn both_know_the_level_and_the_subscriptions_of_a_session() {
    let shelf = Shelf::default();
    let [one, other] = [replica(&shelf).await, replica(&shelf).await];
    let session = one.open("").await;
    assert_eq!(one.set_level(&session, "debug").await, None);
    assert_eq!(other.hear(&session, "log").await.len(), 2);
    assert_eq!(other.set_level(&session, "error").await, None);
    assert_eq!(one.hear(&session, "log").await.len(), 1);

    one.subscribe(&session, "resources/subscribe").await;
    let headers = format!("{EVENTS}{session}");
    let mut stream = other.http.bare("GET /mcp", &headers, "").await;
    assert_eq!(stream.status, 200);
    other.changes.resource_updated(URI);
    let told = stream.message().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    one.subscribe(&session, "resources/unsubscribe").await;
    // The other server notices the change when the session is next used.
    assert_eq!(other.post(&session, request(1, "ping")).await, 200);
    other.changes.resource_updated(URI);
    other.changes.tools_changed();
    let told = stream.message().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn no_server_takes_the_questions_and_the_events_of_the_other_for_its_own() {
    let shelf = Shelf::default();
    let [one, other] = [replica(&shelf).await, replica(&shelf).await];
    let session = one.open("").await;
    let mut asked = Vec::new();
    for server in [&one, &other] {
        let mut response = server.call(&session, "roots").await;
        let first = response.event().await.unwrap();
        let question = response.message().await;
        asked.push((server, response, first.id.unwrap(), question));
    }
    assert_ne!(asked[0].3["id"], asked[1].3["id"]);
    let foreign = format!("{EVENTS}{session}Last-Event-ID: {}\r\n", asked[0].2);
    let resumed = other.http.bare("GET /mcp", &foreign, "").await;
    assert_eq!(resumed.status, 400);
    // The wrong server accepts an answer, but ignores it.
    assert_eq!(other.post(&session, answer(&asked[0].3)).await, 202);
    for (server, mut response, _, question) in asked {
        assert_eq!(server.post(&session, answer(&question)).await, 202);
        assert_eq!(response.message().await["id"], 1);
    }
}

#[tokio::test]
async fn without_the_records_a_server_goes_on_with_the_sessions_that_it_knows() {
    let shelf = Shelf::default();
    let [one, other] = [replica(&shelf).await, replica(&shelf).await];
    let session = one.open("").await;
    shelf.is_away.store(true, Ordering::SeqCst);
    assert_eq!(one.hear(&session, "log").await.len(), 1);
    assert_eq!(one.set_level(&session, "debug").await, Some(503));
    for (headers, message) in [
        (&*session, request(1, "ping")),
        ("", initialize("2025-11-25")),
    ] {
        let mut refused = other.http.send("POST /mcp", headers, message).await;
        assert_eq!(refused.status, 503);
        let why = "The store of this server can't be reached at the moment: try again later";
        assert_eq!(refused.message().await["error"]["message"], why);
    }
    let ended = one.http.bare("DELETE /mcp", &session, "").await;
    assert_eq!(ended.status, 503);
    shelf.is_away.store(false, Ordering::SeqCst);
    assert_eq!(other.post(&session, request(1, "ping")).await, 200);
}

#[tokio::test]
async fn a_session_that_ends_elsewhere_still_answers_what_runs() {
    let shelf = Shelf::default();
    let [one, other] = [replica(&shelf).await, replica(&shelf).await];
    let session = one.open("").await;
    let waiting = async {
        let call = call(1, "wait", "done");
        one.http
            .send("POST /mcp", &session, call)
            .await
            .message()
            .await
    };
    let ending = async {
        one.gate.holds(1).await;
        other.http.bare("DELETE /mcp", &session, "").await;
        assert_eq!(one.post(&session, request(2, "ping")).await, 404);
        one.gate.open(1);
    };
    let (answered, ()) = tokio::join!(waiting, ending);
    assert_eq!(answered["result"]["content"][0]["text"], "done");
}
