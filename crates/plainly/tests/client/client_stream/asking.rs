//! The questions of servers over a byte stream: legacy servers send requests, and modern servers
//! send results that require input.

use std::sync::Arc;
use std::time::Duration;

use plainly::client::{LocalError, Round};
use plainly::errors::ApplicationCode;
use plainly::limits::ClientLimits;
use plainly::protocol::types::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams,
    ElicitResult, ElicitUrlParams, ElicitationCapability, InputResponses, RawJson, Root,
    SamplingContent,
};
use plainly::{Client, ProtocolError};
use plainly_peer::message::request;
use plainly_peer::{Peer, assert_local};
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::sync::{Barrier, Notify, Semaphore};
use tokio::time::Instant;

use super::peer::{Half, discovered, modern, pair, pair_with_buffer};

/// Connects to a modern server.
async fn connect_modern(builder: Half<DuplexStream>, peer: &mut Peer) -> Client {
    let (client, ()) = tokio::join!(
        builder.connect(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    client.expect("the peer is modern")
}

/// Connects to a legacy server, and returns the capabilities that the client declared.
async fn connect_legacy(
    builder: Half<DuplexStream>,
    peer: &mut Peer,
    version: &str,
) -> (Client, Value) {
    let (client, declared) = tokio::join!(builder.connect(), async {
        let handshake = peer
            .open_session(version, json!({"resources": {}, "tools": {}}))
            .await;
        let mut declared = handshake["params"]["capabilities"].clone();
        // Each client declares this extension, in both places to servers of this era.
        for place in ["experimental", "extensions"] {
            let extensions = declared.as_object_mut().and_then(|all| all.remove(place));
            assert_eq!(extensions, Some(json!({"dev.plainly/resources": {}})));
        }
        declared
    });
    (client.expect("the peer is legacy"), declared)
}

async fn fill_in(form: ElicitFormParams) -> ElicitResult {
    let fields = form.requested_schema.properties;
    let fields = fields.iter().map(|(name, _)| (name, json!(form.message)));
    ElicitResult::accept(fields.collect())
}

async fn visit(visit: ElicitUrlParams) -> ElicitAction {
    match visit.url.starts_with("https:") {
        true => ElicitAction::Accept,
        false => ElicitAction::Decline,
    }
}

async fn sample(params: CreateMessageParams) -> Result<CreateMessageResult, ProtocolError> {
    match params.max_tokens {
        0 => {
            let rejected = ApplicationCode::of::<-1>();
            Err(ProtocolError::application(
                rejected,
                "User rejected sampling request",
            ))
        }
        _ => Ok(CreateMessageResult::new("m", [SamplingContent::text("hi")])),
    }
}

/// Adds handlers for any question.
fn answering(builder: Half<DuplexStream>) -> Half<DuplexStream> {
    builder
        .on_elicitation(fill_in)
        .on_visit(visit)
        .on_sampling(sample)
        .roots([Root::new("file:///work").name("Work")])
}

fn form(message: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    json!({"message": message, "requestedSchema": schema})
}

fn filled_in(message: &str) -> Value {
    json!({"action": "accept", "content": {"name": message}})
}

fn question(method: &str, params: Value) -> Value {
    json!({"method": method, "params": params})
}

/// Returns a result with questions, a state, or both.
fn required(asked: Value, state: impl Into<Value>) -> Value {
    let mut result = json!({"resultType": "input_required"});
    for (name, value) in [("inputRequests", asked), ("requestState", state.into())] {
        if !value.is_null() {
            result[name] = value;
        }
    }
    result
}

/// Returns each kind of question with its answer.
fn questions() -> [(&'static str, Value, Value); 5] {
    let url = |url| json!({"mode": "url", "message": "", "url": url, "elicitationId": "e"});
    let sampling = json!({"messages": [], "maxTokens": 1});
    let sampled =
        json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"});
    let roots = json!({"roots": [{"uri": "file:///work", "name": "Work"}]});
    [
        ("elicitation/create", form("a"), filled_in("a")),
        (
            "elicitation/create",
            url("https://a"),
            json!({"action": "accept"}),
        ),
        (
            "elicitation/create",
            url("http://a"),
            json!({"action": "decline"}),
        ),
        ("sampling/createMessage", sampling, sampled),
        ("roots/list", json!({}), roots),
    ]
}

/// Sends a question, and returns the answer.
async fn answer_to(peer: &mut Peer, id: &str, method: &str, params: Value) -> Value {
    let answer = peer.ask(&request(id, method, params)).await;
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

#[tokio::test]
async fn what_can_be_answered_is_declared_and_answered_to_a_legacy_server() {
    let (builder, mut peer) = pair();
    let (_client, declared) = connect_legacy(answering(builder), &mut peer, "2025-11-25").await;
    let expected = json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}});
    assert_eq!(declared, expected);
    for (method, params, expected) in questions() {
        let answer = answer_to(&mut peer, "\u{1f600}", method, params).await;
        assert_eq!(answer["result"], expected, "{method}");
    }
    // The roots are answered without parameters too.
    peer.send(json!({"jsonrpc": "2.0", "id": 0, "method": "roots/list"}))
        .await;
    assert!(peer.message().await.unwrap()["result"]["roots"].is_array());
}

#[tokio::test]
async fn a_request_of_a_legacy_server_is_answered_even_if_its_envelope_is_wrong() {
    let (builder, mut peer) = pair();
    let (_client, _) = connect_legacy(answering(builder), &mut peer, "2025-11-25").await;
    let ping =
        |params: Value| json!({"jsonrpc": "2.0", "id": 1.0, "method": "ping", "params": params});
    for (request, code) in [
        (ping(Value::Null), Value::Null),
        (ping(json!([])), json!(-32602)),
        (ping(json!(5)), json!(-32602)),
        (ping(json!("x")), json!(-32602)),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": 5}),
            json!(-32600),
        ),
    ] {
        let answer = peer.ask(&request).await;
        assert_eq!(answer["error"]["code"], code, "{request} {answer}");
        assert_eq!(answer["id"], request["id"], "{request}");
    }
}

#[tokio::test]
async fn what_is_declared_is_what_is_answered_and_what_the_author_adds() {
    type Set = fn(Half<DuplexStream>) -> Half<DuplexStream>;
    let cases: [(Set, Value); 5] = [
        (|builder| builder, json!({})),
        (
            |builder| builder.on_elicitation(fill_in),
            json!({"elicitation": {"form": {}}}),
        ),
        (
            |builder| builder.on_visit(visit),
            json!({"elicitation": {"url": {}}}),
        ),
        (
            |builder| {
                let forms = ElicitationCapability::new();
                builder
                    .on_visit(visit)
                    .capabilities(ClientCapabilities::new().elicitation(forms))
            },
            json!({"elicitation": {"form": {}, "url": {}}}),
        ),
        (
            |builder| {
                let tools = serde_json::from_value(json!({"sampling": {"tools": {}}}));
                builder.capabilities(tools.unwrap()).on_sampling(sample)
            },
            json!({"sampling": {"tools": {}}}),
        ),
    ];
    for (set, expected) in cases {
        let (builder, mut peer) = pair();
        let (_client, declared) = connect_legacy(set(builder), &mut peer, "2025-11-25").await;
        assert_eq!(declared, expected);
    }
}

#[tokio::test]
async fn what_was_not_declared_is_refused_to_a_legacy_server() {
    let url = json!({"mode": "url", "message": "", "url": "https://a", "elicitationId": "e"});
    let tools = json!({"messages": [], "maxTokens": 1, "tools": []});
    let rejected = json!({"messages": [], "maxTokens": 0});
    for (version, method, params, code) in [
        ("2025-11-25", "roots/list", json!({}), -32601),
        ("2025-11-25", "tools/call", json!({"name": "a"}), -32601),
        ("2025-11-25", "no/such", json!({}), -32601),
        ("2025-11-25", "elicitation/create", url, -32602),
        (
            "2025-11-25",
            "elicitation/create",
            json!({"mode": "x"}),
            -32602,
        ),
        ("2025-11-25", "elicitation/create", json!({}), -32602),
        ("2025-03-26", "elicitation/create", form("a"), -32601),
        ("2025-11-25", "sampling/createMessage", tools, -32602),
        ("2025-11-25", "sampling/createMessage", rejected, -1),
    ] {
        let (builder, mut peer) = pair();
        let builder = builder.on_elicitation(fill_in).on_sampling(sample);
        let (_client, _) = connect_legacy(builder, &mut peer, version).await;
        let answer = answer_to(&mut peer, "q", method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
        let pong = answer_to(&mut peer, "p", "ping", json!({})).await;
        assert_eq!(pong["result"], json!({}));
    }
}

#[tokio::test]
async fn questions_are_answered_side_by_side_while_the_connection_is_read() {
    let together = Arc::new(Barrier::new(2));
    let (builder, mut peer) = pair();
    let builder = builder.on_elicitation(move |form| {
        let together = Arc::clone(&together);
        async move {
            together.wait().await;
            fill_in(form).await
        }
    });
    let (client, _) = connect_legacy(builder, &mut peer, "2025-11-25").await;
    peer.send(request(1, "elicitation/create", form("a"))).await;
    let (pinged, ()) = tokio::join!(client.ping(), peer.answer("ping"));
    pinged.unwrap();
    peer.send(request("1", "elicitation/create", form("b")))
        .await;
    let mut answers = [peer.message().await.unwrap(), peer.message().await.unwrap()];
    answers.sort_by_key(|answer| answer["id"].is_string());
    assert_eq!(answers[0]["id"], 1);
    assert_eq!(answers[0]["result"], filled_in("a"));
    assert_eq!(answers[1]["id"], "1");
    assert_eq!(answers[1]["result"], filled_in("b"));
}

#[tokio::test]
async fn who_answers_may_call_the_server() {
    let (found, client) = tokio::sync::watch::channel(None::<Client>);
    let (builder, mut peer) = pair();
    let builder = builder.on_roots(move || {
        let client = client.borrow().clone().unwrap();
        async move {
            client.ping().await.unwrap();
            Vec::new()
        }
    });
    let (client, _) = connect_legacy(builder, &mut peer, "2025-11-25").await;
    found.send(Some(client)).unwrap();
    peer.send(request("q", "roots/list", json!({}))).await;
    peer.answer("ping").await;
    let expected = json!({"roots": []});
    assert_eq!(peer.message().await.unwrap()["result"], expected);
}

#[tokio::test]
async fn a_question_that_the_server_gives_up_is_answered_no_more() {
    let (dropped, was_dropped) = tokio::sync::mpsc::channel::<()>(1);
    let (builder, mut peer) = pair();
    let builder = builder.on_elicitation(move |_| {
        let dropped = dropped.clone();
        async move {
            let _held = dropped;
            std::future::pending().await
        }
    });
    let (_client, _) = connect_legacy(builder, &mut peer, "2025-11-25").await;
    let cancel = |id: Value| {
        let method = "notifications/cancelled";
        json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": id}})
    };
    peer.send(request("q", "elicitation/create", form("a")))
        .await;
    peer.send(cancel(json!("nobody's"))).await;
    peer.send(cancel(Value::Null)).await;
    // A second question with the same id may not be answered twice.
    peer.send(request("q", "elicitation/create", form("b")))
        .await;
    let pong = answer_to(&mut peer, "p", "ping", json!({})).await;
    assert_eq!(pong["result"], json!({}));
    assert_eq!(was_dropped.sender_strong_count(), 2);
    peer.send(cancel(json!("q"))).await;
    while was_dropped.sender_strong_count() > 1 {
        tokio::task::yield_now().await;
    }
    // The id can be used again.
    peer.send(request("q", "elicitation/create", form("c")))
        .await;
    let pong = answer_to(&mut peer, "p", "ping", json!({})).await;
    assert_eq!(pong["result"], json!({}));
    assert_eq!(was_dropped.sender_strong_count(), 2);
}

#[tokio::test]
async fn more_questions_than_are_answered_at_a_time_are_refused_and_the_next_is_not() {
    let open = Arc::new(Semaphore::new(0));
    let (builder, mut peer) = pair();
    let gate = Arc::clone(&open);
    let builder = builder.on_elicitation(move |form| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.unwrap().forget();
            fill_in(form).await
        }
    });
    let (_client, _) = connect_legacy(builder, &mut peer, "2025-11-25").await;
    for id in 0..64 {
        peer.send(request(id, "elicitation/create", form("a")))
            .await;
    }
    for _ in 0..100 {
        let refused = answer_to(&mut peer, "more", "elicitation/create", form("a")).await;
        assert_eq!(refused["error"]["data"]["kind"], "overloaded", "{refused}");
    }
    open.add_permits(65);
    for _ in 0..64 {
        assert!(peer.message().await.unwrap()["result"].is_object());
    }
    let answer = answer_to(&mut peer, "more", "elicitation/create", form("b")).await;
    assert_eq!(answer["result"], filled_in("b"));
}

#[tokio::test]
async fn who_panics_has_refused() {
    let (builder, mut peer) = pair();
    let builder = builder.on_elicitation(|_| async { panic!("no") });
    let (_client, _) = connect_legacy(builder, &mut peer, "2025-11-25").await;
    for id in ["a", "b"] {
        let answer = answer_to(&mut peer, id, "elicitation/create", form("a")).await;
        assert_eq!(answer["error"]["code"], -32603);
    }

    let (builder, mut peer) = pair();
    let builder = builder.on_elicitation(|_| -> std::future::Ready<_> { panic!("no") });
    let client = connect_modern(builder, &mut peer).await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let call = peer.request("tools/call").await;
        let asked = json!({"k": question("elicitation/create", form("a"))});
        peer.reply(&call, required(asked, Value::Null)).await;
    });
    let error = called.unwrap_err();
    assert_local!(error, LocalError::Unanswered { .. });
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_does_not_run_while_the_server_waits_for_an_answer() {
    let (builder, mut peer) = pair();
    let builder = builder.on_elicitation(|form| async {
        tokio::time::sleep(Duration::from_secs(600)).await;
        fill_in(form).await
    });
    let (client, _) = connect_legacy(builder, &mut peer, "2025-11-25").await;
    for (before, after, ok) in [(30, 59, true), (59, 59, true), (30, 61, false)] {
        let start = Instant::now();
        let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
            let call = peer.request("tools/call").await;
            tokio::time::sleep(Duration::from_secs(before)).await;
            let answer = answer_to(&mut peer, "q", "elicitation/create", form("a")).await;
            assert_eq!(answer["result"], filled_in("a"));
            tokio::time::sleep(Duration::from_secs(after)).await;
            peer.reply(&call, json!({"content": []})).await;
        });
        assert_eq!(called.is_ok(), ok);
        assert!(start.elapsed() > Duration::from_secs(630));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_gives_a_call_its_time_again_however_soon_it_comes() {
    let (builder, mut peer) = pair();
    let (client, _) = connect_legacy(answering(builder), &mut peer, "2025-11-25").await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let call = peer.request("tools/call").await;
        for _ in 0..4 {
            tokio::time::sleep(Duration::from_secs(50)).await;
            answer_to(&mut peer, "q", "roots/list", json!({})).await;
        }
        peer.reply(&call, json!({"content": []})).await;
    });
    called.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_and_does_not_read_is_read_no_further() {
    let (builder, mut peer) = pair_with_buffer(1024);
    let (client, _) = connect_legacy(answering(builder), &mut peer, "2025-11-25").await;
    let mut asked = 0;
    let asking = async {
        loop {
            peer.send(request(asked, "roots/list", json!({}))).await;
            asked += 1;
        }
    };
    let blocked = tokio::time::timeout(Duration::from_secs(600), asking).await;
    assert!(blocked.is_err());
    assert!(asked < 300, "{asked}");
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_that_asks_without_end_gets_no_more_time_than_there_is() {
    let (builder, mut peer) = pair();
    let builder = answering(builder).longest(Duration::from_secs(300));
    let (client, _) = connect_legacy(builder, &mut peer, "2025-11-25").await;
    let start = Instant::now();
    let mut called = tokio::spawn(client.call_tool("a", ()));
    peer.request("tools/call").await;
    let error = loop {
        tokio::select! {
            called = &mut called => break called.unwrap().unwrap_err(),
            () = tokio::time::sleep(Duration::from_secs(50)) => {}
        }
        peer.send(request("q", "roots/list", json!({}))).await;
        peer.message().await.unwrap();
    };
    assert!(error.is_timeout(), "{error}");
    assert!(start.elapsed() <= Duration::from_secs(301));
}

#[tokio::test]
async fn a_modern_call_is_made_again_with_the_answers() {
    let (builder, mut peer) = pair();
    let client = connect_modern(answering(builder), &mut peer).await;
    // The client must return the state unchanged, and must not interpret it.
    let state = "é\u{0}\u{2028}\"\\ {\"a\": 1}\u{1f600}";
    let call = client.call_tool("order", json!({"a": 1}));
    let (called, ()) = tokio::join!(call, async {
        let first = peer.request("tools/call").await;
        let meta = &first["params"]["_meta"];
        let declared = &meta["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(declared["elicitation"], json!({"form": {}, "url": {}}));
        let asked: Value = questions()
            .into_iter()
            .enumerate()
            .map(|(key, (method, params, _))| (format!("k{key}"), question(method, params)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let asking = required(asked, state);
        peer.reply(&first, asking).await;

        let second = peer.request("tools/call").await;
        assert_ne!(second["id"], first["id"]);
        let mut params = first["params"].clone();
        params["requestState"] = json!(state);
        params["inputResponses"] = questions()
            .into_iter()
            .enumerate()
            .map(|(key, (_, _, answer))| (format!("k{key}"), answer))
            .collect::<serde_json::Map<_, _>>()
            .into();
        assert_eq!(second["params"], params);
        // The next round has its own state, and no answers of the previous round.
        let asked = json!({"again": question("elicitation/create", form("b"))});
        peer.reply(&second, required(asked, Value::Null)).await;

        let third = peer.request("tools/call").await;
        assert_eq!(
            third["params"]["inputResponses"],
            json!({"again": filled_in("b")})
        );
        assert!(third["params"].get("requestState").is_none());
        // With only a state, there is nothing to answer.
        peer.reply(&third, required(Value::Null, "")).await;
        let fourth = peer.request("tools/call").await;
        assert_eq!(fourth["params"]["requestState"], "");
        assert!(fourth["params"].get("inputResponses").is_none());
        // A result without a type is the final one.
        peer.reply(&fourth, json!({"content": []})).await;
    });
    called.unwrap();
}

#[tokio::test]
async fn prompts_and_resources_may_ask_too_and_nothing_else() {
    let (builder, mut peer) = pair();
    let client = connect_modern(answering(builder), &mut peer).await;
    let asked = json!({"r": {"method": "roots/list"}});
    let asking = required(asked, "s");
    let calls = async { tokio::join!(client.prompt("p", ()), client.read("a:b"), client.tools()) };
    let ((prompt, read, tools), ()) = tokio::join!(calls, async {
        for _ in 0..3 {
            let request = peer.message().await.unwrap();
            peer.reply(&request, asking.clone()).await;
        }
        for _ in 0..2 {
            let request = peer.message().await.unwrap();
            assert_eq!(request["params"]["requestState"], "s", "{request}");
            assert!(request["params"]["inputResponses"]["r"]["roots"].is_array());
            peer.reply(&request, json!({"messages": [], "contents": []}))
                .await;
        }
    });
    prompt.unwrap();
    assert_eq!(read.unwrap().uri, "a:b");
    let error = tools.unwrap_err();
    assert_local!(error, LocalError::InvalidResponse { .. });
}

#[tokio::test]
async fn answers_and_state_go_with_their_call_alone() {
    let asked = Arc::new(Notify::new());
    let go_on = Arc::new(Notify::new());
    let (builder, mut peer) = pair();
    let (tell, wait) = (Arc::clone(&asked), Arc::clone(&go_on));
    let builder = builder.on_elicitation(move |form| {
        let (tell, wait) = (Arc::clone(&tell), Arc::clone(&wait));
        async move {
            tell.notify_one();
            wait.notified().await;
            fill_in(form).await
        }
    });
    let client = connect_modern(builder, &mut peer).await;
    let first = tokio::spawn(client.call_tool("first", ()));
    let call = peer.request("tools/call").await;
    let asks = json!({"k": question("elicitation/create", form("a"))});
    peer.reply(&call, required(asks, "s")).await;
    asked.notified().await;
    let (other, ()) = tokio::join!(client.call_tool("other", ()), async {
        let call = peer.request("tools/call").await;
        assert_eq!(call["params"]["name"], "other");
        assert!(call["params"].get("requestState").is_none());
        assert!(call["params"].get("inputResponses").is_none());
        peer.reply(&call, json!({"content": []})).await;
    });
    other.unwrap();
    go_on.notify_one();
    let again = peer.request("tools/call").await;
    assert_eq!(again["params"]["requestState"], "s");
    peer.reply(&again, json!({"content": []})).await;
    first.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_a_modern_server_must_not_ask_ends_the_call_with_an_error_of_its_own() {
    let form = question("elicitation/create", form("a"));
    let many: serde_json::Map<_, _> = (0..65).map(|key| (key.to_string(), form.clone())).collect();
    #[rustfmt::skip]
    let cases = [
        (json!({"k": {"method": "roots/list"}}), json!("s"), true),
        (json!({"a": form, "k": {"method": "roots/list"}}), Value::Null, true),
        (json!({}), Value::Null, false),
        (Value::Null, Value::Null, false),
        (json!({"k": {"method": "tools/call", "params": {"name": "a"}}}), json!("s"), false),
        (json!({"k": {"method": "elicitation/create"}}), json!("s"), false),
        (json!({"k": form}), json!(7), false),
        (many.into(), json!("s"), false),
    ];
    for (requests, state, unanswered) in cases {
        let (builder, mut peer) = pair();
        let client = connect_modern(builder.on_elicitation(fill_in), &mut peer).await;
        let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
            let call = peer.request("tools/call").await;
            peer.reply(&call, required(requests.clone(), state)).await;
        });
        let error = called.unwrap_err();
        match error.local() {
            Some(LocalError::Unanswered {
                asked, key, source, ..
            }) if unanswered => {
                assert_eq!((*asked, key.as_str()), ("roots/list", "k"));
                assert_eq!(source.to_string(), "Method not found: roots/list");
            }
            Some(LocalError::InvalidResponse { .. }) => assert!(!unanswered, "{requests}"),
            _ => panic!("{requests}: {error}"),
        }
        peer.silent().await;
    }
}

#[tokio::test]
async fn a_server_that_asks_without_end_is_given_up() {
    for rounds in [0, 1, 16] {
        let (builder, mut peer) = pair();
        let mut limits = ClientLimits::default();
        limits.rounds = rounds;
        let client = connect_modern(answering(builder).limits(limits), &mut peer).await;
        let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
            for _ in 0..=rounds {
                let asked = json!({"r": question("roots/list", json!({}))});
                peer.answer_with("tools/call", required(asked, "s")).await;
            }
        });
        let error = called.unwrap_err();
        let Some(LocalError::TooManyRounds { limit, asked, .. }) = error.local() else {
            panic!("{error}");
        };
        assert_eq!((*limit, asked.len()), (rounds, 1));
        let (called, ()) = tokio::join!(client.call_tool("b", ()), peer.answer("tools/call"));
        called.unwrap();
    }
}

#[tokio::test]
async fn a_caller_may_answer_round_by_round() {
    let (client, mut peer) = modern().await;
    let rounds = async {
        let first = client.call_tool("a", json!({"x": 1})).once().await.unwrap();
        let Round::InputRequired(asked) = first else {
            panic!("{first:?}");
        };
        assert_eq!(asked.requests.len(), 1);
        assert_eq!(asked.state.as_deref(), Some("s"));
        let mut answers = InputResponses::new();
        answers.insert("k", RawJson::parse(r#"{"action":"cancel"}"#).unwrap());
        answers.insert("extra", RawJson::parse("[1]").unwrap());
        match asked.answer(answers).once().await.unwrap() {
            Round::Complete(result) => result,
            asked @ Round::InputRequired(_) => panic!("{asked:?}"),
        }
    };
    let (_result, ()) = tokio::join!(rounds, async {
        let call = peer.request("tools/call").await;
        let asks = json!({"k": question("elicitation/create", form("a"))});
        peer.reply(&call, required(asks, "s")).await;
        let again = peer.request("tools/call").await;
        assert_eq!(again["params"]["arguments"], json!({"x": 1}));
        assert_eq!(again["params"]["requestState"], "s");
        let answers = json!({"k": {"action": "cancel"}, "extra": [1]});
        assert_eq!(again["params"]["inputResponses"], answers);
        peer.reply(&again, json!({"content": []})).await;
    });
}

#[tokio::test]
async fn a_call_that_is_dropped_asks_nobody_any_more() {
    let (begun, mut has_begun) = tokio::sync::mpsc::channel::<()>(1);
    let (builder, mut peer) = pair();
    let builder = builder.on_elicitation(move |_| {
        let begun = begun.clone();
        async move {
            begun.send(()).await.unwrap();
            std::future::pending().await
        }
    });
    let client = connect_modern(builder, &mut peer).await;
    let calling = tokio::spawn(client.call_tool("a", ()));
    let call = peer.request("tools/call").await;
    let asks = json!({"k": question("elicitation/create", form("a"))});
    peer.reply(&call, required(asks, Value::Null)).await;
    has_begun.recv().await.unwrap();
    assert_eq!(has_begun.sender_strong_count(), 2);
    calling.abort();
    assert!(calling.await.unwrap_err().is_cancelled());
    assert_eq!(has_begun.sender_strong_count(), 1);
    // The server had already answered, so there is nothing to cancel.
    let (pinged, ()) = tokio::join!(
        client.ping(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    pinged.unwrap();
}

#[test]
fn a_call_can_be_set_up_anywhere_and_awaited_elsewhere() {
    fn sendable<T: Send + 'static>(_: fn(&Client) -> T) {}
    sendable(|client| client.call_tool("a", ()));
    sendable(|client| client.call_tool("a", ()).once());
}
