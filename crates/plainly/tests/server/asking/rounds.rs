//! Rounds: questions, repeated questions, and invalid answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use plainly::Revision;
use plainly::server::Keys;
use plainly_peer::Client;
use plainly_peer::message::text;
use serde_json::{Value, json};

use super::clients::{able, again};
use super::fixture::{Runs, server, server_with};

const MODERN: Revision = Revision::V2026_07_28;

async fn open() -> Client {
    Client::stream(&server(), MODERN, able()).await
}

/// Returns a call of `tool` with these answers and no state.
fn answered(tool: &str, answers: &Value) -> Value {
    json!({"name": tool, "inputResponses": answers})
}

fn accepted(name: &Value) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

#[tokio::test]
async fn a_round_asks_with_a_state_and_says_so() {
    let mut client = open().await;
    let reply = client.call("greet").await;
    let result = &reply["result"];
    assert_eq!(result["resultType"], "input_required");
    let expected = json!({"user_name": {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": "Who are you?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string", "maxLength": 20}},
                "required": ["name"],
            },
        },
    }});
    assert_eq!(result["inputRequests"], expected);
    assert!(result["requestState"].is_string());
    assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    let other = client.call("greet").await;
    assert_ne!(other["result"]["requestState"], result["requestState"]);
}

#[tokio::test]
async fn an_answer_is_taken_by_its_key_whether_a_state_came_or_not() {
    let mut client = open().await;
    let answers = json!({"user_name": accepted(&json!("Ada")), "user": 12345, "else": null});
    let reply = client.ask("tools/call", answered("greet", &answers)).await;
    assert_eq!(text(&reply), "Hello, Ada!");
    let asked = client.call("greet").await;
    let mut params = answered("greet", &answers);
    params["requestState"] = asked["result"]["requestState"].clone();
    let expected = "Hello, Ada!";
    assert_eq!(text(&client.ask("tools/call", params).await), expected);
}

#[tokio::test]
async fn what_the_user_declined_is_answered() {
    let mut client = open().await;
    for (action, words) in [("decline", "Decline"), ("cancel", "Cancel")] {
        let answers = json!({"user_name": {"action": action}});
        let reply = client.ask("tools/call", answered("greet", &answers)).await;
        assert_eq!(text(&reply), words);
    }
}

#[tokio::test]
async fn what_is_missing_is_asked_for_again() {
    let mut client = open().await;
    for answers in [json!({}), json!({"wrong": accepted(&json!("Ada"))})] {
        let mut states = Vec::new();
        let mut params = answered("greet", &answers);
        for _ in 0..3 {
            let reply = client.ask("tools/call", params.clone()).await;
            assert_eq!(reply["result"]["resultType"], "input_required", "{reply}");
            let requests = reply["result"]["inputRequests"].as_object().unwrap();
            assert_eq!(requests.keys().collect::<Vec<_>>(), ["user_name"]);
            params["requestState"] = reply["result"]["requestState"].clone();
            states.push(params["requestState"].to_string());
        }
        states.dedup();
        assert_eq!(states.len(), 3, "each round has a state of its own");
    }
    // With several questions, answers that were already given need not be repeated.
    let asked = client.call("several").await;
    let mut asked_for = Vec::new();
    let mut params = again(
        &json!({"name": "several"}),
        &asked["result"],
        &mut asked_for,
    );
    let kept = params["inputResponses"]
        .as_object_mut()
        .unwrap()
        .remove("greeting");
    let reply = client.ask("tools/call", params).await;
    let requests = reply["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(requests.keys().collect::<Vec<_>>(), ["greeting"]);
    let mut params = answered("several", &json!({"greeting": kept}));
    params["requestState"] = reply["result"]["requestState"].clone();
    let reply = client.ask("tools/call", params).await;
    assert_eq!(text(&reply), r#"Hi Some("Ada") ["file:///work"]"#);
}

#[tokio::test]
async fn what_is_no_answer_is_an_error_for_the_host_and_names_the_key() {
    let mut client = open().await;
    let wrong = [
        json!(12345),
        json!(null),
        json!([]),
        json!("accept"),
        json!({}),
        json!({"action": "yes"}),
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {}}),
        json!({"action": "accept", "content": 1}),
        accepted(&json!(1)),
        accepted(&json!("a name that is far too long")),
        json!({"roots": []}),
    ];
    for answer in wrong {
        let answers = json!({"user_name": answer});
        let reply = client.ask("tools/call", answered("greet", &answers)).await;
        assert_eq!(reply["error"]["code"], -32602, "{answer}: {reply}");
        let data = &reply["error"]["data"];
        assert_eq!(data["kind"], "invalid_input_response", "{reply}");
        assert_eq!(data["key"], "user_name", "{reply}");
        let place = data["problems"][0]["path"].as_str();
        assert!(place.is_some_and(|place| place.starts_with("/inputResponses/user_name")));
        let params = json!({"name": "greeting", "inputResponses": answers});
        let reply = client.ask("prompts/get", params).await;
        assert_eq!(&reply["error"]["data"], data, "{reply}");
        // The handler can't ignore the error either.
        let reply = client
            .ask("tools/call", answered("swallow", &answers))
            .await;
        assert_eq!(&reply["error"]["data"], data, "{reply}");
        assert_eq!(
            client.call("resourceful").await["result"]["resultType"],
            "input_required"
        );
    }
    for answers in [json!(1), json!([]), json!("x")] {
        let reply = client.ask("tools/call", answered("greet", &answers)).await;
        assert_eq!(reply["error"]["code"], -32602, "{answers}: {reply}");
    }
}

#[tokio::test]
async fn a_handler_runs_once_in_each_round_and_never_twice_for_an_answer() {
    let runs = Runs::default();
    let server = server_with(Keys::new([1; 32]), &runs, |_| {});
    let mut client = Client::stream(&server, MODERN, able()).await;
    let params = json!({"name": "order"});
    let mut next = params.clone();
    let mut asked = Vec::new();
    for round in 1..=2 {
        let reply = client.ask("tools/call", next).await;
        assert_eq!(runs.load(Ordering::Relaxed), round);
        next = again(&params, &reply["result"], &mut asked);
        // The client returns the first answer only within the state.
        assert_eq!(next["inputResponses"].as_object().unwrap().len(), 1);
    }
    let reply = client.ask("tools/call", next).await;
    assert_eq!(text(&reply), r#"None None ["b"] Some(2) true"#);
    assert_eq!(runs.load(Ordering::Relaxed), 3);
}

#[tokio::test]
async fn an_answer_to_other_words_is_none() {
    let mut client = open().await;
    let params = json!({"name": "order"});
    let mut asked = Vec::new();
    let first = client.ask("tools/call", params.clone()).await;
    let second = again(&params, &first["result"], &mut asked);
    let second = client.ask("tools/call", second).await;
    let mut changed = again(&params, &first["result"], &mut asked);
    // The changed answer selects both, although the user agreed to only one.
    changed["inputResponses"]["which"]["content"]["some"] = json!(["a", "b"]);
    let other = client.ask("tools/call", changed).await;
    let question = &other["result"]["inputRequests"]["sure"]["params"]["message"];
    assert_eq!(question, "Really a and b?");
    let mut last = again(&params, &second["result"], &mut asked);
    last["requestState"] = other["result"]["requestState"].clone();
    let expected = r#"None None ["a", "b"] Some(2) true"#;
    assert_eq!(text(&client.ask("tools/call", last).await), expected);
}

#[tokio::test]
async fn there_is_an_end_to_rounds() {
    for most in [1, 3, 16] {
        let runs = Runs::default();
        let server = server_with(Keys::new([1; 32]), &runs, |limits| {
            limits.questions.rounds = most
        });
        let mut client = Client::stream(&server, MODERN, able()).await;
        let params = json!({"name": "fickle"});
        let mut next = params.clone();
        let mut asked = Vec::new();
        let reply = loop {
            let reply = client.ask("tools/call", next).await;
            if reply["result"]["resultType"] != "input_required" {
                break reply;
            }
            next = again(&params, &reply["result"], &mut asked);
        };
        assert_eq!(asked.len(), most);
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        let words = format!("The client was asked {most} times, and there are still questions");
        assert_eq!(text(&reply), words);
        let reply = client.call("greet").await;
        assert_eq!(reply["result"]["resultType"], "input_required");
    }
}

#[tokio::test]
async fn so_many_questions_at_once_and_no_more() {
    let server = server_with(Keys::new([1; 32]), &Runs::default(), |limits| {
        limits.questions.open = 10;
    });
    let mut client = Client::stream(&server, MODERN, able()).await;
    let reply = client.call("many").await;
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    let words = "More than 10 questions to the client would be open at once";
    assert_eq!(text(&reply), words);
}

#[tokio::test]
async fn the_same_key_again_is_another_question() {
    let mut client = open().await;
    let params = json!({"name": "twice"});
    let mut asked = Vec::new();
    let first = client.ask("tools/call", params.clone()).await;
    let second = again(&params, &first["result"], &mut asked);
    let second = client.ask("tools/call", second).await;
    let keys = second["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(keys.keys().collect::<Vec<_>>(), ["user_name#2"]);
}

#[tokio::test]
async fn answers_outlive_a_visit_that_is_asked_for_by_an_error() {
    let mut client = open().await;
    let params = json!({"name": "asks-and-sends"});
    let mut next = params.clone();
    let mut keys = Vec::new();
    for _ in 0..3 {
        let reply = client.ask("tools/call", next).await;
        let requests = reply["result"]["inputRequests"].as_object();
        let requests = requests.unwrap_or_else(|| panic!("{reply}"));
        keys.extend(requests.keys().cloned());
        assert!(reply["result"]["requestState"].is_string());
        next = again(&params, &reply["result"], &mut Vec::new());
    }
    assert_eq!(keys, ["user_name", "sign-in", "sign-in"]);
    next["inputResponses"]["sign-in"] = json!({"action": "decline"});
    let reply = client.ask("tools/call", next).await;
    assert_eq!(reply["result"]["isError"], true, "{reply}");
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_ends_with_its_request() {
    let runs = Runs::default();
    let server = server_with(Keys::new([1; 32]), &runs, |_| {});
    let mut client = Client::stream(&server, MODERN, able()).await;
    assert_eq!(text(&client.call("abandoned").await), "gone");
    while runs.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    let found = Arc::strong_count(&runs);
    assert_eq!(found, 2, "the server's and ours: none is left behind");
}

#[tokio::test]
async fn a_handler_that_hurries_is_asked_before_its_time_counts() {
    let mut client = open().await;
    let reply = client.call("hurry").await;
    assert_eq!(reply["result"]["resultType"], "input_required");
    let answers = json!({"user_name": {"action": "decline"}});
    let reply = client.ask("tools/call", answered("hurry", &answers)).await;
    assert_eq!(text(&reply), "answered");
}

#[tokio::test]
async fn nobody_is_asked_before_a_request_of_another_kind_is_answered() {
    for revision in [MODERN, Revision::V2025_11_25] {
        let mut client = Client::stream(&server(), revision, able()).await;
        let fixed = json!({"uri": "page://greeting"});
        let reply = client.ask("resources/metadata", fixed).await;
        assert!(reply["result"]["resource"].is_object(), "{reply}");
        // A template without a description is described by reading it.
        let one_of_many = json!({"uri": "page://x/greeting"});
        let reply = client.ask("resources/metadata", one_of_many).await;
        assert_eq!(reply["error"]["code"], -32603, "{reply}");
        let words = "The client can't be asked before a request of this kind is answered";
        assert_eq!(reply["error"]["message"], words);
    }
}
