//! The answers of clients that send raw messages.

use plainly_peer::Client;
use plainly_peer::message::result;
use serde_json::{Value, json};

/// Returns the capabilities of a client that can answer every kind of question.
pub(crate) fn able() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// Returns the answer of a client of the fixture.
pub(crate) fn answer(question: &Value) -> Value {
    let params = &question["params"];
    match question["method"].as_str().unwrap() {
        "roots/list" => json!({"roots": [{"uri": "file:///work"}]}),
        "sampling/createMessage" => {
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}})
        }
        "elicitation/create" if params["mode"] == "url" => json!({"action": "accept"}),
        "elicitation/create" => {
            let properties = params["requestedSchema"]["properties"].as_object().unwrap();
            let content = properties.keys().map(|name| {
                let value = match name.as_str() {
                    "name" => json!("Ada"),
                    "some" => json!(["b"]),
                    "some.a" => json!(false),
                    "count" => json!(2),
                    "size" => json!("Large"),
                    "sizes" => json!(["Small", "Large"]),
                    _ => json!(true),
                };
                (name.clone(), value)
            });
            json!({"action": "accept", "content": Value::Object(content.collect())})
        }
        other => panic!("asked for {other}"),
    }
}

/// Returns the response of a client to a request of the server.
pub(crate) fn response(question: &Value) -> Value {
    result(question, answer(question))
}

/// Returns the parameters with the answers to the questions in `result`.
pub(crate) fn again(params: &Value, result: &Value, asked: &mut Vec<Value>) -> Value {
    let mut next = params.clone();
    for (key, question) in result["inputRequests"].as_object().unwrap() {
        next["inputResponses"][key] = answer(question);
        asked.push(question.clone());
    }
    next["requestState"] = result["requestState"].clone();
    next
}

/// Sends a request, and answers all questions. Returns the questions and the last reply.
pub(crate) async fn play(client: &mut Client, method: &str, params: Value) -> (Vec<Value>, Value) {
    let mut asked = Vec::new();
    let mut message = client.ask(method, params.clone()).await;
    loop {
        if message["result"]["resultType"] == "input_required" {
            let next = again(&params, &message["result"], &mut asked);
            client.start(method, next).await;
        } else if message.get("method").is_none() {
            return (asked, message);
        } else if message.get("id").is_some() {
            client.send(&response(&message)).await;
            asked.push(message);
        }
        message = client.next().await;
    }
}

/// Calls a tool like [`play`].
pub(crate) async fn call(client: &mut Client, tool: &str) -> (Vec<Value>, Value) {
    play(client, "tools/call", json!({"name": tool})).await
}
