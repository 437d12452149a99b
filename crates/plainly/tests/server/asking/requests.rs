//! Requests of the server to older clients, and their answers: wrong, repeated, late or missing.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use plainly::Revision;
use plainly::server::{Keys, Server};
use plainly_peer::Client;
use plainly_peer::message::text;
use serde_json::{Value, json};

use super::clients::{able, answer, call, response};
use super::fixture::{Runs, server, server_with};

const LEGACY: Revision = Revision::V2025_11_25;

async fn open(server: &Server) -> Client {
    Client::stream(server, LEGACY, able()).await
}

fn params(tool: &str) -> Value {
    json!({"name": tool})
}

fn is_withdrawn(message: &Value, question: &Value) -> bool {
    message["method"] == "notifications/cancelled"
        && message["params"]["requestId"] == question["id"]
}

#[tokio::test]
async fn each_question_has_an_id_of_its_own_in_the_session() {
    let server = server();
    let mut client = open(&server).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        client.start("tools/call", params("several")).await;
        let mut asked = Vec::new();
        for _ in 0..3 {
            asked.push(client.next().await);
        }
        for question in &asked {
            client.send(&response(question)).await;
            ids.push(question["id"].to_string());
        }
        assert!(client.next().await["result"].is_object());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 15);
}

#[tokio::test]
async fn an_answer_from_before_the_client_initialized_again_answers_nothing() {
    let mut client = open(&server()).await;
    let before = client.call("greet").await;
    let initialize = json!({
        "protocolVersion": LEGACY.as_str(),
        "capabilities": able(),
        "clientInfo": {"name": "raw", "version": "1"},
    });
    client.start("initialize", initialize).await;
    // The abandoned call also ends, before or after the reply to `initialize`.
    for _ in 0..2 {
        assert!(client.next().await.get("method").is_none());
    }
    let question = client.call("greet").await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let late = json!({"jsonrpc": "2.0", "id": before["id"], "result": {"action": "decline"}});
    client.send(&late).await;
    client.send(&response(&question)).await;
    assert_eq!(text(&client.next().await), "Hello, Ada!");
}

#[tokio::test]
async fn what_nobody_asked_for_is_ignored() {
    let server = server();
    let mut client = open(&server).await;
    let question = client.call("greet").await;
    let id = question["id"].as_i64().unwrap();
    let strangers = [json!(id + 1), json!(id.to_string()), json!("x"), json!(-1)];
    for stranger in strangers {
        let stray = json!({"jsonrpc": "2.0", "id": stranger, "result": answer(&question)});
        client.send(&stray).await;
    }
    let nobody = json!({"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "?"}});
    client.send(&nobody).await;
    client.send(&response(&question)).await;
    // The client sends a second answer.
    let second = json!({"jsonrpc": "2.0", "id": id, "result": {"action": "decline"}});
    client.send(&second).await;
    assert_eq!(text(&client.next().await), "Hello, Ada!");
    assert!(client.ask("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn what_is_no_answer_fails_the_question_and_nothing_else() {
    let server = server();
    let mut client = open(&server).await;
    let mut http = Client::http(&server, LEGACY, able()).await;
    let results = [
        json!(12345),
        json!(null),
        json!([]),
        json!({"action": "yes"}),
        json!({"action": "accept", "content": {"name": 1}}),
        json!({"roots": []}),
    ];
    let results = results.map(|result| ("result", result));
    let errors = [
        json!({"code": -32603, "message": "broken"}),
        json!({"code": 1.5, "message": "odd"}),
        json!(12345),
        json!({}),
    ];
    let errors = errors.map(|error| ("error", error));
    for (member, wrong) in results.into_iter().chain(errors) {
        let question = client.call("greet").await;
        let said = json!({"jsonrpc": "2.0", "id": question["id"], member: wrong});
        client.send(&said).await;
        let reply = client.next().await;
        assert_eq!(reply["result"]["isError"], true, "{wrong}: {reply}");
        assert!(text(&reply).contains("user_name"), "{reply}");

        let mut coming = http.begin("prompts/get", params("greeting")).await;
        let question = coming.message().await;
        let said = json!({"jsonrpc": "2.0", "id": question["id"], member: wrong});
        http.send(&said).await;
        assert_eq!(coming.message().await["error"]["code"], -32603, "{wrong}");
    }
    let question = client.call("greet").await;
    client.send(&response(&question)).await;
    assert_eq!(text(&client.next().await), "Hello, Ada!");
}

#[tokio::test]
async fn the_clients_own_words_reach_whoever_reads() {
    let mut client = open(&server()).await;
    let question = client.call("greet").await;
    let error = json!({"code": -1, "message": "User rejected the request"});
    let said = json!({"jsonrpc": "2.0", "id": question["id"], "error": error});
    client.send(&said).await;
    let words = "The client did not answer user_name: User rejected the request (-1)";
    assert_eq!(text(&client.next().await), words);
}

#[tokio::test(start_paused = true)]
async fn a_handler_waits_longer_for_the_client_than_for_itself() {
    let server = server_with(Keys::new([1; 32]), &Runs::default(), |limits| {
        limits.deadline = Duration::from_secs(60);
        limits.questions.answer = Duration::from_secs(600);
    });
    let mut client = open(&server).await;
    let question = client.call("greet").await;
    tokio::time::sleep(Duration::from_secs(590)).await;
    client.send(&response(&question)).await;
    assert_eq!(text(&client.next().await), "Hello, Ada!");
}

#[tokio::test(start_paused = true)]
async fn a_handler_has_a_deadline_again_once_another_task_has_its_answer() {
    let server = server_with(Keys::new([1; 32]), &Runs::default(), |limits| {
        limits.deadline = Duration::from_secs(60);
        limits.questions.answer = Duration::from_secs(600);
    });
    let mut client = open(&server).await;
    let question = client.call("stuck").await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    client.send(&response(&question)).await;
    let reply = tokio::time::timeout(Duration::from_secs(300), client.next()).await;
    let reply = reply.expect("the handler never ends");
    assert_eq!(reply["result"]["isError"], true, "{reply}");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_answers_is_asked_no_more() {
    let server = server_with(Keys::new([1; 32]), &Runs::default(), |limits| {
        limits.questions.answer = Duration::from_secs(600);
    });
    let mut client = open(&server).await;
    let question = client.call("greet").await;
    let withdrawn = client.next().await;
    assert!(is_withdrawn(&withdrawn, &question), "{withdrawn}");
    let reply = client.next().await;
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    let expected = "The client did not answer user_name within 600 s";
    assert_eq!(text(&reply), expected);
    // This answer is too late.
    client.send(&response(&question)).await;
    assert!(client.ask("ping", json!({})).await["result"].is_object());
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_dropped_is_withdrawn() {
    let mut client = open(&server()).await;
    let question = client.call("hurry").await;
    let withdrawn = client.next().await;
    assert!(is_withdrawn(&withdrawn, &question), "{withdrawn}");
    assert_eq!(text(&client.next().await), "too slow");
}

#[tokio::test]
async fn a_cancelled_request_takes_its_questions_back() {
    let mut client = open(&server()).await;
    let id = client.start("tools/call", params("several")).await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(client.next().await);
    }
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.send(&cancelled).await;
    for _ in 0..3 {
        let withdrawn = client.next().await;
        let was_asked = asked
            .iter()
            .position(|question| is_withdrawn(&withdrawn, question));
        asked.remove(was_asked.unwrap_or_else(|| panic!("{withdrawn}")));
    }
    assert!(client.ask("ping", json!({})).await["result"].is_object());
}

/// Waits until no handler is left, so that only the server and the test refer to the counter.
async fn left_alone(runs: &Runs) {
    while Arc::strong_count(runs) > 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_client_that_is_gone_leaves_no_handler_behind() {
    let runs = Runs::default();
    let server = server_with(Keys::new([1; 32]), &runs, |_| {});
    let mut client = open(&server).await;
    assert_eq!(client.call("order").await["method"], "elicitation/create");
    assert_eq!(Arc::strong_count(&runs), 3);
    drop(client);
    left_alone(&runs).await;
    // Over HTTP, the client may reconnect to read the rest until its session ends.
    let mut http = Client::http(&server, LEGACY, able()).await;
    for _ in 0..60 {
        let mut coming = http.begin("tools/call", params("order")).await;
        assert_eq!(coming.message().await["method"], "elicitation/create");
    }
    http.end_session().await;
    left_alone(&runs).await;
    let mut http = Client::http(&server, LEGACY, able()).await;
    let mut coming = http.begin("tools/call", params("greet")).await;
    let question = coming.message().await;
    http.send(&response(&question)).await;
    assert_eq!(text(&coming.message().await), "Hello, Ada!");
}

#[tokio::test]
async fn a_modern_client_that_is_gone_was_never_waited_for() {
    let runs = Runs::default();
    let server = server_with(Keys::new([1; 32]), &runs, |_| {});
    let mut client = Client::http(&server, Revision::V2026_07_28, able()).await;
    for _ in 0..100 {
        let reply = client.ask("tools/call", params("order")).await;
        assert_eq!(reply["result"]["resultType"], "input_required");
        assert_eq!(Arc::strong_count(&runs), 2);
    }
}

#[tokio::test]
async fn no_session_answers_for_another() {
    let server = server();
    let mut one = Client::http(&server, LEGACY, able()).await;
    let mut other = Client::http(&server, LEGACY, able()).await;
    let mut coming = one.begin("tools/call", params("greet")).await;
    let question = coming.message().await;
    let wrong = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}});
    other.send(&wrong).await;
    one.send(&response(&question)).await;
    assert_eq!(text(&coming.message().await), "Hello, Ada!");
}

#[tokio::test]
async fn unanswered_questions_are_bounded() {
    let server = server_with(Keys::new([1; 32]), &Runs::default(), |limits| {
        limits.questions.open = 10;
        limits.requests_per_connection = 64;
    });
    let mut client = open(&server).await;
    // One handler asks too many questions.
    client.start("tools/call", params("many")).await;
    let mut asked = 0;
    let reply = loop {
        let message = client.next().await;
        match message["method"].as_str() {
            Some("roots/list") => asked += 1,
            Some("notifications/cancelled") => asked -= 1,
            _ => break message,
        }
    };
    assert_eq!(asked, 0, "what was asked is withdrawn");
    let words = "More than 10 questions to the client would be open at once";
    assert_eq!(text(&reply), words);
    // Many handlers ask one question each.
    for _ in 0..64 {
        client.start("tools/call", params("greet")).await;
    }
    let mut questions = Vec::new();
    let mut refused = 0;
    for _ in 0..64 {
        let message = client.next().await;
        match message.get("method") {
            Some(_) => questions.push(message),
            None => refused += i32::from(text(&message) == words),
        }
    }
    assert_eq!((questions.len(), refused), (10, 54));
    for question in &questions {
        client.send(&response(question)).await;
        assert_eq!(text(&client.next().await), "Hello, Ada!");
    }
    assert_eq!(client.call("greet").await["method"], "elicitation/create");
}

#[tokio::test]
async fn there_is_an_end_to_questions_as_there_is_to_rounds() {
    for most in [1, 3, 16] {
        let server = server_with(Keys::new([1; 32]), &Runs::default(), |limits| {
            limits.questions.rounds = most;
        });
        for revision in [LEGACY, Revision::V2026_07_28] {
            for mut client in Client::both(&server, revision, able()).await {
                let (asked, reply) = call(&mut client, "insist").await;
                assert_eq!(asked.len(), 2 * most, "{reply}");
                assert_eq!(reply["result"]["isError"], true, "{reply}");
                let words =
                    format!("The client was asked {most} times, and there are still questions");
                assert_eq!(text(&reply), words, "{revision}");
            }
        }
    }
}

#[tokio::test]
async fn a_request_that_asked_too_often_takes_its_other_questions_back() {
    let server = server_with(Keys::new([1; 32]), &Runs::default(), |limits| {
        limits.questions.rounds = 1;
    });
    let mut client = open(&server).await;
    let (one, other) = (client.call("insist").await, client.next().await);
    client.send(&response(&one)).await;
    let withdrawn = client.next().await;
    assert!(is_withdrawn(&withdrawn, &other), "{withdrawn}");
    assert_eq!(client.next().await["result"]["isError"], true);
}

#[tokio::test]
async fn many_sessions_that_never_answer_leave_room_for_others() {
    let runs = Runs::default();
    let server = server_with(Keys::new([1; 32]), &runs, |limits| {
        limits.requests = 200;
        limits.sessions.open = 50;
    });
    let (mut asked, mut refused) = (0, 0);
    for _ in 0..1_000 {
        let mut http = Client::http(&server, LEGACY, able()).await;
        for _ in 0..3 {
            let message = http.ask("tools/call", params("order")).await;
            match message.get("method") {
                Some(_) => asked += 1,
                None => refused += i32::from(text(&message).starts_with("More than 100 questions")),
            }
        }
    }
    assert_eq!(asked + refused, 3_000);
    // Evicted sessions have withdrawn their questions.
    assert!(Arc::strong_count(&runs) <= 2 + 100);
    let mut client = open(&server).await;
    let question = client.call("greet").await;
    client.send(&response(&question)).await;
    assert_eq!(text(&client.next().await), "Hello, Ada!");
}

#[tokio::test]
async fn a_question_of_another_task_ends_with_its_request() {
    let runs = Runs::default();
    let server = server_with(Keys::new([1; 32]), &runs, |_| {});
    let mut client = open(&server).await;
    assert_eq!(text(&client.call("abandoned").await), "gone");
    while runs.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn responses_in_a_batch_count() {
    let server = server();
    let revision = Revision::V2025_03_26;
    let mut client = Client::stream(&server, revision, able()).await;
    let question = client.call("model").await;
    assert_eq!(question["method"], "sampling/createMessage");
    client.send(&json!([response(&question)])).await;
    assert_eq!(text(&client.next().await), "Hi");
}

#[tokio::test]
async fn a_modern_client_has_nothing_to_respond_to() {
    let server = server();
    let mut client = Client::stream(&server, Revision::V2026_07_28, able()).await;
    client
        .send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
        .await;
    let expected = "input_required";
    assert_eq!(client.call("greet").await["result"]["resultType"], expected);
}
