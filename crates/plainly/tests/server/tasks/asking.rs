//! The questions of a task: every report of the task contains them, and they are answered one by
//! one or together.

use plainly::protocol::types::{ElicitAction, ElicitFormParams, InputRequiredResult, TextField};
use plainly::server::extract::{Ask, State, Task};
use plainly::server::{Failure, Server, ServerBuilder, TaskSupport, Tool};
use serde::Deserialize;
use serde_json::{Value, json};

use super::support::{Following, builder, capabilities, clients, stream};
use plainly_peer::{Gate, within};

#[derive(Deserialize)]
struct Named {
    name: String,
}

fn form(message: &str) -> ElicitFormParams {
    ElicitFormParams::new(message).field("name", TextField::new())
}

async fn name(ask: &Ask, key: &str) -> Result<String, Failure> {
    let named = ask.elicit(key, form("Who?")).await?.accepted::<Named>()?;
    Ok(named.map_or_else(|| "nobody".to_owned(), |named| named.name))
}

async fn one(ask: Ask) -> Result<String, Failure> {
    name(&ask, "who").await
}

async fn two(ask: Ask) -> Result<String, Failure> {
    let (first, second) = tokio::try_join!(name(&ask, "first"), name(&ask, "second"))?;
    Ok(format!("{first} and {second}"))
}

/// Asks twice with the same key.
async fn again(ask: Ask) -> Result<String, Failure> {
    Ok(format!(
        "{} and {}",
        name(&ask, "who").await?,
        name(&ask, "who").await?
    ))
}

/// Asks, and continues without an answer when the gate opens.
async fn impatient(ask: Ask, State(gate): State<Gate>) -> Result<&'static str, Failure> {
    let asking = name(&ask, "who");
    let passing = gate.pass();
    tokio::select! {
        name = asking => name.map(|_| "answered"),
        () = passing => {
            gate.pass().await;
            Ok("left")
        }
    }
}

/// Asks within the request, and again as a task.
async fn before(ask: Ask, task: Task) -> Result<String, Failure> {
    let before = name(&ask, "who").await?;
    task.begin().await;
    let after = name(&ask, "where").await?;
    Ok(format!("{before} in {after}"))
}

async fn visit(ask: Ask) -> Result<String, Failure> {
    let action = ask
        .visit("sign-in", "https://a.example/", "Sign in")
        .await?;
    Ok(format!("{}", action == ElicitAction::Accept))
}

/// Returns questions of its own, as it would without a task.
async fn by_hand() -> Result<&'static str, Failure> {
    let asked = InputRequiredResult::new([("who", form("Who?"))]);
    Err(Failure::input_required(asked))
}

/// Builds a server with tools that ask.
pub(crate) fn asking(gate: &Gate) -> ServerBuilder {
    let optional = |tool: Tool| tool.task(TaskSupport::Optional);
    builder(gate)
        .tool(optional(Tool::new("one", one)))
        .tool(optional(Tool::new("two", two)))
        .tool(optional(Tool::new("again", again)))
        .tool(optional(Tool::new("impatient", impatient)))
        .tool(optional(Tool::new("visit", visit)))
        .tool(Tool::new("before", before).task(TaskSupport::Required))
        .tool(Tool::new("by-hand", by_hand).task(TaskSupport::Required))
}

fn server(gate: &Gate) -> Server {
    asking(gate).build().unwrap()
}

pub(crate) fn accept(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

#[tokio::test]
async fn a_question_parks_the_task_until_it_is_answered() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("one").await;
        let task = client.wait(&id, "input_required").await;
        let expected = json!({
            "who": {
                "method": "elicitation/create",
                "params": {
                    "mode": "form",
                    "message": "Who?",
                    "requestedSchema": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}},
                        "required": ["name"],
                    },
                },
            },
        });
        assert_eq!(task["inputRequests"], expected);
        // A second poll returns the same.
        assert_eq!(client.get(&id).await, task);
        client
            .answer(&id, json!({"who": accept("Ada"), "else": accept("x")}))
            .await;
        assert_eq!(client.text(&id).await, "Ada");
        // Further answers are ignored.
        client.answer(&id, json!({"who": accept("Eve")})).await;
        assert_eq!(client.text(&id).await, "Ada");
    }
}

#[tokio::test]
async fn questions_that_are_open_together_are_answered_one_at_a_time() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("two").await;
        assert_eq!(client.asked(&id).await, ["first", "second"]);
        client.answer(&id, json!({"second": accept("Bo")})).await;
        assert_eq!(client.asked(&id).await, ["first"]);
        // A second answer to a question is ignored.
        client.answer(&id, json!({"second": accept("Eve")})).await;
        assert_eq!(client.asked(&id).await, ["first"]);
        client.answer(&id, json!({"first": accept("Ada")})).await;
        assert_eq!(client.text(&id).await, "Ada and Bo");
    }
}

#[tokio::test]
async fn no_key_stands_for_two_questions() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("again").await;
        assert_eq!(client.asked(&id).await, ["who"]);
        client.answer(&id, json!({"who": accept("Ada")})).await;
        assert_eq!(client.asked(&id).await, ["who#2"]);
        client
            .answer(&id, json!({"who": accept("Eve"), "who#2": accept("Bo")}))
            .await;
        assert_eq!(client.text(&id).await, "Ada and Bo");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_refused_and_the_question_stays() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("two").await;
        client.asked(&id).await;
        for wrong in [
            json!(7),
            json!({}),
            json!({"action": "maybe"}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {"name": 7}}),
        ] {
            let answers = json!({"first": accept("Ada"), "second": wrong});
            let params = json!({"taskId": id, "inputResponses": answers});
            let reply = client.ask("tasks/update", params).await;
            assert_eq!(reply["error"]["code"], -32602, "{reply}");
            let data = &reply["error"]["data"];
            assert_eq!(data["kind"], "invalid_input_response");
            assert_eq!(data["key"], "second");
            let place = data["problems"][0]["path"].as_str();
            assert!(place.is_some_and(|place| place.starts_with("/inputResponses/second")));
        }
        assert_eq!(client.asked(&id).await, ["first", "second"]);
        let answers = json!({"first": accept("Ada"), "second": {"action": "decline"}});
        client.answer(&id, answers).await;
        assert_eq!(client.text(&id).await, "Ada and nobody");
    }
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_any_more_is_not_asked() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("impatient").await;
        assert_eq!(client.asked(&id).await, ["who"]);
        gate.open(1);
        client.wait(&id, "working").await;
        client.answer(&id, json!({"who": accept("late")})).await;
        gate.open(1);
        assert_eq!(client.text(&id).await, "left");
    }
}

#[tokio::test]
async fn what_is_asked_before_a_task_begins_is_asked_by_rounds() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let asked = client.ask("tools/call", json!({"name": "before"})).await["result"].take();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        assert_eq!(asked.get("taskId"), None);
        let params = json!({
            "name": "before",
            "requestState": asked["requestState"],
            // An answer to a later question of the task is ignored.
            "inputResponses": {"who": accept("Alice"), "where": accept("Hell")},
        });
        let created = client.ask("tools/call", params).await["result"].take();
        assert_eq!(created["resultType"], "task", "{created}");
        for field in ["requestState", "inputRequests"] {
            assert_eq!(created.get(field), None);
        }
        let id = created["taskId"].as_str().unwrap();
        assert_eq!(client.asked(id).await, ["where"]);
        client
            .answer(id, json!({"where": accept("Wonderland")}))
            .await;
        assert_eq!(client.text(id).await, "Alice in Wonderland");
    }
}

#[tokio::test]
async fn a_client_that_can_not_follow_is_asked_by_rounds_alone() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        client.capabilities = capabilities(false);
        let asked = client.ask("tools/call", json!({"name": "one"})).await["result"].take();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let state = &asked["requestState"];
        let params =
            json!({"name": "one", "requestState": state, "inputResponses": {"who": accept("Ada")}});
        let reply = client.ask("tools/call", params).await;
        assert_eq!(reply["result"]["content"][0]["text"], "Ada", "{reply}");
    }
}

#[tokio::test]
async fn a_task_is_cancelled_while_it_waits_for_an_answer() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("impatient").await;
        client.asked(&id).await;
        client.ask("tasks/cancel", json!({"taskId": id})).await;
        let task = client.get(&id).await;
        assert_eq!(task["status"], "cancelled");
        assert_eq!(task.get("inputRequests"), None);
        client.answer(&id, json!({"who": accept("late")})).await;
        assert_eq!(client.get(&id).await, task);
        gate.holds(0).await;
    }
}

#[tokio::test]
async fn a_visit_is_asked_for_like_a_form() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("visit").await;
        let task = client.wait(&id, "input_required").await;
        let params = &task["inputRequests"]["sign-in"]["params"];
        let expected = json!({"mode": "url", "message": "Sign in", "url": "https://a.example/"});
        assert_eq!(params, &expected);
        client
            .answer(&id, json!({"sign-in": {"action": "accept"}}))
            .await;
        assert_eq!(client.text(&id).await, "true");
    }
}

#[tokio::test]
async fn a_task_does_not_end_with_a_request_to_send_it_again() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_asking("by-hand").await;
        let task = client.wait(&id, "failed").await;
        let expected = json!({"code": -32603, "message": "Internal error"});
        assert_eq!(task["error"], expected);
    }
}

#[tokio::test]
async fn whoever_listens_hears_of_questions_and_of_answers() {
    let gate = Gate::new();
    let server = server(&gate);
    let (mut client, mut other) = (stream(&server).await, stream(&server).await);
    let id = other.begin_asking("two").await;
    other.asked(&id).await;
    let listen = json!({"notifications": {"taskIds": [id]}});
    let request = client.request("subscriptions/listen", listen);
    client.peer().send(&request).await;
    let expected = "notifications/subscriptions/acknowledged";
    assert_eq!(client.peer().next().await["method"], expected);
    let told = client.peer().next().await;
    let found = told["params"]["inputRequests"].as_object().unwrap().len();
    assert_eq!(found, 2);
    other.answer(&id, json!({"first": accept("Ada")})).await;
    let told = client.peer().next().await;
    let found = told["params"]["inputRequests"].as_object().unwrap().len();
    assert_eq!(found, 1);
    other.answer(&id, json!({"second": accept("Bo")})).await;
    within(async { while client.peer().next().await["params"]["status"] != "completed" {} }).await;
}

#[tokio::test]
async fn a_client_that_did_not_declare_what_it_takes_is_told_so() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let mut request = client.request("tools/call", json!({"name": "before"}));
        let meta = &mut request["params"]["_meta"];
        meta["io.modelcontextprotocol/clientCapabilities"]
            .as_object_mut()
            .unwrap()
            .remove("elicitation");
        let reply = client.exchange(&request).await;
        assert_eq!(reply["error"]["code"], -32021, "{reply}");
        request["params"]["name"] = json!("one");
        let reply = client.exchange(&request).await;
        // The call fails before it waits for an answer.
        assert_eq!(reply["error"]["code"], -32021, "{reply}");
    }
}
