//! States that are returned changed, late, or with another request, and keys that change.

use plainly_peer::table::cases;
use std::time::Duration;

use plainly::Revision;
use plainly::server::Keys;
use plainly_peer::Client;
use plainly_peer::message::text;
use serde_json::{Value, json};

use super::clients::{able, again};
use super::fixture::{Runs, server, server_with};

const MODERN: Revision = Revision::V2026_07_28;

/// Returns the state of the first round of `order`, and the parameters for the next round.
async fn begun(client: &mut Client) -> (String, Value) {
    let params = json!({"name": "order", "arguments": {"item": "tea", "size": 1.5}});
    let reply = client.ask("tools/call", params.clone()).await;
    let state = reply["result"]["requestState"].as_str().unwrap().to_owned();
    (state, again(&params, &reply["result"], &mut Vec::new()))
}

fn with_state(params: &Value, state: impl Into<Value>) -> Value {
    let mut params = params.clone();
    params["requestState"] = state.into();
    params
}

#[track_caller]
fn assert_refused(reply: &Value, why: &str) {
    assert_eq!(reply["error"]["code"], -32602, "{why}: {reply}");
    let data = json!({"kind": "invalid_request_state"});
    assert_eq!(reply["error"]["data"], data, "{why}: {reply}");
}

#[tokio::test]
async fn a_state_that_was_changed_is_refused() {
    let mut client = Client::stream(&server(), MODERN, able()).await;
    let (state, params) = begun(&mut client).await;
    let half = &state[..state.len() / 2];
    let all_but_one = &state[..state.len() - 1];
    let longer = format!("{state}A");
    let twice = format!("{state}{state}");
    let texts = [
        "",
        "x",
        "null",
        "e30",
        "=",
        "é",
        half,
        all_but_one,
        &longer,
        &twice,
    ];
    for text in texts {
        let reply = client.ask("tools/call", with_state(&params, text)).await;
        assert_refused(&reply, text);
    }
    for position in (0..state.len()).step_by(7) {
        let mut bytes = state.clone().into_bytes();
        bytes[position] = if bytes[position] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        let reply = client.ask("tools/call", with_state(&params, changed)).await;
        assert_refused(&reply, &format!("changed at {position}"));
    }
    for wrong in [json!(1), json!({}), json!([state.clone()])] {
        let reply = client.ask("tools/call", with_state(&params, wrong)).await;
        assert_eq!(reply["error"]["code"], -32602, "{reply}");
    }
    let reply = client.ask("tools/call", params).await;
    assert!(
        reply["result"]["inputRequests"]["sure"].is_object(),
        "{reply}"
    );
}

#[tokio::test]
async fn a_state_is_for_one_request_alone() {
    let mut client = Client::stream(&server(), MODERN, able()).await;
    let (state, params) = begun(&mut client).await;
    let others = cases::<(&str, Value)>(
        include_str!("states.txt"),
        "other requests than the state's",
    );
    for (method, params) in others {
        let reply = client.ask(method, with_state(&params, &*state)).await;
        assert_refused(&reply, &params.to_string());
    }
    let mut same = params.clone();
    same["arguments"] = json!({"size": 1.5, "item": "tea"});
    for same in [params, same] {
        let reply = client.ask("tools/call", same).await;
        assert!(
            reply["result"]["inputRequests"]["sure"].is_object(),
            "{reply}"
        );
    }
}

#[tokio::test]
async fn a_state_of_one_tool_is_none_of_another_that_asks_the_same() {
    let mut client = Client::stream(&server(), MODERN, able()).await;
    let reply = client.call("greet").await;
    let state = &reply["result"]["requestState"];
    let other = json!({"name": "greet-too", "requestState": state});
    assert_refused(&client.ask("tools/call", other).await, "another tool");
    let cases = [
        (
            "prompts/get",
            json!({"name": "greeting"}),
            json!({"name": "greeting", "arguments": {"topic": "x"}}),
        ),
        (
            "resources/read",
            json!({"uri": "page://a/greeting"}),
            json!({"uri": "page://b/greeting"}),
        ),
    ];
    for (method, one, other) in cases {
        let reply = client.ask(method, one.clone()).await;
        let state = reply["result"]["requestState"].clone();
        assert_refused(
            &client.ask(method, with_state(&other, state.clone())).await,
            method,
        );
        let reply = client.ask(method, with_state(&one, state)).await;
        assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
    }
}

#[tokio::test]
async fn absent_arguments_are_empty_ones() {
    let mut client = Client::stream(&server(), MODERN, able()).await;
    let forms = [
        json!({"name": "order"}),
        json!({"name": "order", "arguments": {}}),
    ];
    for first in &forms {
        for second in &forms {
            let reply = client.ask("tools/call", first.clone()).await;
            let next = again(second, &reply["result"], &mut Vec::new());
            let reply = client.ask("tools/call", next).await;
            assert!(
                reply["result"]["inputRequests"]["sure"].is_object(),
                "{reply}"
            );
        }
    }
}

#[tokio::test]
async fn a_state_is_good_for_a_time() {
    let server = server_with(Keys::new([7; 32]), &Runs::default(), |limits| {
        limits.questions.state_ttl = Duration::ZERO;
    });
    let mut client = Client::stream(&server, MODERN, able()).await;
    let (_, params) = begun(&mut client).await;
    assert_refused(&client.ask("tools/call", params).await, "expired");
}

#[tokio::test]
async fn a_state_has_so_many_bytes_and_no_more() {
    let server = server_with(Keys::new([7; 32]), &Runs::default(), |limits| {
        limits.questions.state_bytes = 250;
    });
    let mut client = Client::stream(&server, MODERN, able()).await;
    let (state, params) = begun(&mut client).await;
    assert!(state.len() <= 250);
    let reply = client
        .ask("tools/call", with_state(&params, "A".repeat(251)))
        .await;
    assert_refused(&reply, "too long");
    // The next state would contain the first answer.
    let reply = client.ask("tools/call", params).await;
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    assert_eq!(
        text(&reply),
        "The client's answers so far take more than 250 bytes"
    );
}

#[tokio::test]
async fn a_state_is_for_one_principal_alone() {
    let server = server();
    let mut client = Client::http(&server, MODERN, able()).await;
    let whos = [None, Some("ada"), Some("adam"), Some("")];
    for who in whos {
        client.user = who;
        let params = json!({"name": "greet"});
        let reply = client.ask("tools/call", params.clone()).await;
        let next = again(&params, &reply["result"], &mut Vec::new());
        for other in whos {
            client.user = other;
            let reply = client.ask("tools/call", next.clone()).await;
            if who == other {
                assert_eq!(text(&reply), "Hello, Ada!");
            } else {
                assert_refused(&reply, &format!("{who:?} and {other:?}"));
            }
        }
    }
}

#[tokio::test]
async fn replicas_with_the_same_keys_go_on_where_another_has_asked() {
    let runs = Runs::default();
    let with = |keys| server_with(keys, &runs, |_| {});
    let (old, new) = ([1; 32], [2; 32]);
    let mut first = Client::stream(&with(Keys::new(old)), MODERN, able()).await;
    let (_, params) = begun(&mut first).await;
    for keys in [
        Keys::new(old),
        Keys::new(old).and(new),
        Keys::new(new).and(old),
    ] {
        let mut other = Client::stream(&with(keys), MODERN, able()).await;
        let reply = other.ask("tools/call", params.clone()).await;
        assert!(
            reply["result"]["inputRequests"]["sure"].is_object(),
            "{reply}"
        );
    }
    let mut other = Client::stream(&with(Keys::new(new)), MODERN, able()).await;
    assert_refused(&other.ask("tools/call", params).await, "a key of nobody's");
}

#[tokio::test]
async fn a_handler_that_never_asks_minds_no_state() {
    let server = plainly::Server::builder("plain", "1")
        .tool(plainly::Tool::new("plain", async || "plain"))
        .build()
        .unwrap();
    let mut client = Client::stream(&server, MODERN, able()).await;
    for state in [json!("x"), json!(1)] {
        let params = json!({"name": "plain", "requestState": state, "inputResponses": 12345});
        assert_eq!(text(&client.ask("tools/call", params).await), "plain");
    }
}
