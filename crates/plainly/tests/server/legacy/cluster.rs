//! Replicas of one server over an engine in this process. Each request of a client goes to a
//! different replica.

mod faults;
mod model;

use plainly::protocol::types::LoggingLevel;
use plainly::server::cluster::{self, Bus as _, InProcess};
use plainly::server::extract::Context;
use plainly::server::{Changes, Keys, Resource, Server, ServerBuilder, Tool};
use plainly_peer::{Gate, Response, Site};
use serde_json::{Value, json};

use super::support::{answer, call, initialize, request, roots, wait};

const EVENTS: &str = "Accept: text/event-stream\r\n";
const JSON: &str = "Content-Type: application/json\r\n";
const URI: &str = "test://news";

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
    part: cluster::Replica,
}

fn builder(part: &cluster::Replica) -> ServerBuilder {
    Server::builder("replicas", "1").cluster(part.clone())
}

async fn replica(engine: &InProcess) -> Replica {
    replica_with(engine, Keys::new([7; 32])).await
}

async fn replica_with(engine: &InProcess, keys: Keys) -> Replica {
    let (changes, gate, part) = (Changes::new(), Gate::new(), engine.replica());
    let server = builder(&part)
        .keys(keys)
        .state(gate.clone())
        .tool(Tool::new("log", log))
        .tool(Tool::new("roots", roots))
        .tool(Tool::new("wait", wait))
        .resource(Resource::new(URI, news).name("news"))
        .changes(changes.clone())
        .build()
        .unwrap();
    let service = server.http().path("/mcp").sse_endpoint("/sse");
    Replica {
        http: Site::serve_users(service).await,
        changes,
        gate,
        part,
    }
}

async fn replicas() -> [Replica; 3] {
    let engine = InProcess::new();
    [
        replica(&engine).await,
        replica(&engine).await,
        replica(&engine).await,
    ]
}

impl Replica {
    /// Opens a session, and returns the header of its requests.
    async fn open(&self) -> String {
        let opened = self.http.send("POST /mcp", "", initialize("2025-11-25"));
        format!("Mcp-Session-Id: {}\r\n", opened.await.session())
    }

    async fn post(&self, session: &str, message: Value) -> Response {
        self.http.send("POST /mcp", session, message).await
    }

    async fn listen(&self, session: &str) -> Response {
        let headers = format!("{EVENTS}{session}");
        self.http.bare("GET /mcp", &headers, "").await
    }

    async fn subscribe(&self, session: &str, method: &str) {
        assert_eq!(self.try_subscribe(session, method).await.status, 200);
    }

    async fn try_subscribe(&self, session: &str, method: &str) -> Response {
        let mut message = request(3, method);
        message["params"] = json!({ "uri": URI });
        self.post(session, message).await
    }

    /// Calls a tool without arguments.
    async fn call(&self, session: &str, tool: &str) -> Response {
        let mut message = request(1, "tools/call");
        message["params"] = json!({ "name": tool });
        self.post(session, message).await
    }
}

#[tokio::test]
async fn a_cluster_needs_keys_and_says_how_to_make_them() {
    let error = builder(&InProcess::new().replica()).build().unwrap_err();
    let error = error.to_string();
    assert!(error.contains("openssl rand -hex 32 > keys"), "{error}");
}

#[tokio::test]
async fn each_request_of_a_session_is_answered_at_another_replica() {
    let [one, two, three] = replicas().await;
    let session = one.open().await;
    let mut level = request(2, "logging/setLevel");
    level["params"] = json!({ "level": "debug" });
    assert_eq!(two.post(&session, level).await.status, 200);
    let mut logged = three.call(&session, "log").await;
    assert_eq!(logged.message().await["method"], "notifications/message");
    let ended = one.http.bare("DELETE /mcp", &session, "").await;
    assert_eq!(ended.status, 204);
    for replica in [&two, &three, &one] {
        let refused = replica.post(&session, request(4, "ping")).await;
        assert_eq!(refused.status, 404);
    }
}

#[tokio::test]
async fn an_answer_reaches_the_replica_that_asked() {
    let [one, two, three] = replicas().await;
    let session = one.open().await;
    let mut asked = Vec::new();
    for replica in [&two, &three] {
        let mut response = replica.call(&session, "roots").await;
        let question = response.message().await;
        asked.push((response, question));
    }
    for (mut response, question) in asked {
        one.part.fail(|faults| faults.is_cut = true);
        let refused = one.post(&session, answer(&question)).await;
        assert_eq!(refused.status, 503);
        one.part.fail(|faults| faults.is_cut = false);
        // The second answer is ignored.
        for _ in 0..2 {
            let accepted = one.post(&session, answer(&question)).await;
            assert_eq!(accepted.status, 202);
        }
        let answered = response.message().await;
        let text = &answered["result"]["content"][0]["text"];
        assert_eq!(
            (&answered["id"], text),
            (&json!(1), &json!("file:///home/ada"))
        );
    }
}

#[tokio::test]
async fn answers_in_a_batch_reach_the_replica_that_asked() {
    let [one, two, _] = replicas().await;
    let opened = one
        .http
        .send("POST /mcp", "", initialize("2025-03-26"))
        .await;
    let session = format!("Mcp-Session-Id: {}\r\n", opened.session());
    let mut response = one.call(&session, "roots").await;
    let question = response.message().await;
    let batch = json!([request(5, "ping"), answer(&question)]);
    let mut replies = two.post(&session, batch).await;
    assert_eq!(replies.json().await[0]["id"], 5);
    assert_eq!(response.message().await["id"], 1);
}

#[tokio::test]
async fn a_request_is_cancelled_wherever_it_runs() {
    let [one, two, three] = replicas().await;
    let session = one.open().await;
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    let canceling = async {
        two.gate.holds(1).await;
        let accepted = three.post(&session, cancelled).await;
        assert_eq!(accepted.status, 202);
    };
    let waiting = two.post(&session, call(1, "wait", "done"));
    let (waited, ()) = tokio::join!(waiting, canceling);
    assert_eq!(waited.status, 202);
}

#[tokio::test]
async fn stream_taken_elsewhere() {
    let [one, two, three] = replicas().await;
    let session = one.open().await;
    let mut stream = one.listen(&session).await;
    assert_eq!(stream.status, 200);
    assert_eq!(two.listen(&session).await.status, 409);
    // A subscription at another replica applies at once, also to changes published at other
    // replicas.
    two.subscribe(&session, "resources/subscribe").await;
    three.changes.resource_updated(URI);
    let told = stream.message().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    three.subscribe(&session, "resources/unsubscribe").await;
    two.changes.resource_updated(URI);
    two.changes.tools_changed();
    let told = stream.message().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    one.subscribe(&session, "resources/subscribe").await;

    drop(stream);
    let mut stream = two.listen(&session).await;
    while stream.status == 409 {
        stream = two.listen(&session).await;
    }
    // The client may have missed a change meanwhile.
    let told = stream.message().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    let ended = three.http.bare("DELETE /mcp", &session, "").await;
    assert_eq!(ended.status, 204);
    assert!(stream.event().await.is_none());
}

#[tokio::test]
async fn asker_killed() {
    let [one, two, _] = replicas().await;
    let session = one.open().await;
    let stream = one.listen(&session).await;
    let mut asked = one.call(&session, "roots").await;
    let question = asked.message().await;
    one.part.fail(|faults| faults.is_cut = true);
    // The other replicas wait for a moment for the lost one. Then the answer is dropped, and the
    // stream can be opened.
    let (answered, taken) =
        tokio::join!(two.post(&session, answer(&question)), two.listen(&session));
    assert_eq!((answered.status, taken.status), (202, 200));
    assert_eq!(stream.status, 200);
}

#[tokio::test]
async fn nothing_is_asked_for_ids_that_clients_invent() {
    let [one, two, _] = replicas().await;
    let session = one.open().await;
    let invented = format!("{}{:016}", two.part.id(), 0);
    // Any request to the engine now fails.
    one.part.fail(|faults| faults.is_cut = true);
    let question = json!({ "id": format!("{invented}.1"), "method": "roots/list" });
    let accepted = one.post(&session, answer(&question)).await;
    assert_eq!(accepted.status, 202);
    let headers = format!("{EVENTS}{session}Last-Event-ID: {invented}-1-1\r\n");
    let refused = one.http.bare("GET /mcp", &headers, "").await;
    assert_eq!(refused.status, 400);
    let pipe = format!("POST /sse?session={invented}{:032}", 0);
    let refused = one.http.bare(&pipe, JSON, request(1, "ping")).await;
    assert_eq!(refused.status, 404);
}

#[tokio::test]
async fn a_reply_is_read_at_one_replica() {
    let [one, two, _] = replicas().await;
    let session = one.open().await;
    let mut before = one.call(&session, "roots").await;
    let asked = before.event().await.unwrap();
    let first = match asked.data.is_empty() {
        true => before.event().await.unwrap(),
        false => asked,
    };
    let headers = format!(
        "{EVENTS}{session}Last-Event-ID: {}\r\n",
        first.id.clone().unwrap()
    );
    let mut stream = two.http.bare("GET /mcp", &headers, "").await;
    assert_eq!(stream.status, 200);
    assert!(before.event().await.is_none());
    let accepted = two.post(&session, answer(&first.json())).await;
    assert_eq!(accepted.status, 202);
    let mut reply = stream.event().await.unwrap();
    while reply.data.is_empty() {
        reply = stream.event().await.unwrap();
    }
    assert_eq!(reply.json()["id"], 1);
}

#[tokio::test]
async fn partition_replica() {
    let [one, two, three] = replicas().await;
    let session = one.open().await;
    let mut before = one.listen(&session).await;
    one.part.fail(|faults| faults.is_cut = true);
    let mut stream = two.listen(&session).await;
    assert_eq!((before.status, stream.status), (200, 200));
    // After the replica has reconnected, the client has only one stream.
    one.part.fail(|faults| faults.is_cut = false);
    while before.event().await.is_some() {}
    three.changes.tools_changed();
    let told = stream.message().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert_eq!(one.listen(&session).await.status, 409);
    // A replica that missed the end of a session notices it when it reconnects.
    two.part.fail(|faults| faults.is_cut = true);
    let ended = three.http.bare("DELETE /mcp", &session, "").await;
    assert_eq!(ended.status, 204);
    two.part.fail(|faults| faults.is_cut = false);
    while stream.event().await.is_some() {}
}

#[tokio::test]
async fn messages_of_http_with_sse_reach_the_replica_of_the_stream() {
    let [one, two, three] = replicas().await;
    let headers = format!("{EVENTS}User: alice\r\n");
    let mut stream = one.http.bare("GET /sse", &headers, "").await;
    let post = format!("POST {}", stream.event().await.unwrap().data);
    let headers = format!("{JSON}User: alice\r\n");
    let accepted = two.http.bare(&post, &headers, initialize("2024-11-05"));
    assert_eq!(accepted.await.status, 202);
    let opened = stream.event().await.unwrap().json();
    assert_eq!(opened["result"]["protocolVersion"], "2024-11-05");
    for (replica, id) in [(&three, 1), (&one, 2), (&two, 3)] {
        let stranger = replica.http.bare(&post, JSON, request(id, "ping"));
        assert_eq!(stranger.await.status, 404);
        let accepted = replica.http.bare(&post, &headers, request(id, "ping"));
        assert_eq!(accepted.await.status, 202);
        assert_eq!(stream.event().await.unwrap().json()["id"], id);
    }
    // This is larger than a message that the engine accepts.
    let text = "x".repeat(3 << 20);
    one.gate.open(1);
    let accepted = two.http.bare(&post, &headers, call(4, "wait", &text));
    assert_eq!(accepted.await.status, 202);
    let reply = stream.event().await.unwrap().json();
    assert_eq!(reply["result"]["content"][0]["text"], text);
    two.part.fail(|faults| faults.is_cut = true);
    let refused = two.http.bare(&post, &headers, request(4, "ping"));
    assert_eq!(refused.await.status, 503);
    drop(stream);
    let mut status = 202;
    while status == 202 {
        status = three
            .http
            .bare(&post, &headers, request(5, "ping"))
            .await
            .status;
    }
    assert_eq!(status, 404);
}
