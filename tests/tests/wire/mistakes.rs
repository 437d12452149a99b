//! The server reports all mistakes in an input at once, each with its place, in one format: in
//! parameters, `_meta`, arguments, variables and answers.

use plainly::errors::Revision;
use plainly::protocol::types::PromptMessage;
use plainly::server::{Changes, Prompt, ResourceTemplate, Server};
use plainly::{Args, Ask, Context, Failure, Text, Tool, Vars};
use plainly_peer::table::cases;
use plainly_peer::{Client, Site, message};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

pub(crate) const FILE: &str = include_str!("mistakes.txt");

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "some fields are there to be refused")]
struct Counting {
    count: u8,
    unit: Option<String>,
    at: Option<Point>,
    even: Option<Even>,
    size: Option<Size>,
    #[serde(default = "one")]
    step: u32,
}

fn one() -> u32 {
    1
}

#[derive(Deserialize, JsonSchema)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Size {
    Big,
    Small,
}

/// More particular than its schema.
#[derive(JsonSchema)]
struct Even(#[expect(dead_code, reason = "only its schema is looked at")] u32);

impl<'de> Deserialize<'de> for Even {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u32::deserialize(deserializer)?;
        match number.is_multiple_of(2) {
            true => Ok(Self(number)),
            false => Err(serde::de::Error::custom(format!("{number} is odd"))),
        }
    }
}

async fn count(Args(counting): Args<Counting>, _: Context) -> String {
    let count = u32::from(counting.count) * counting.step;
    match counting.at {
        Some(Point { x, y }) => format!("{count} at {x},{y}"),
        None => count.to_string(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Person {
    name: String,
    age: Option<u8>,
}

async fn ask(ask: Ask) -> Result<String, Failure> {
    let person: Option<Person> = ask.form("who", "Who is it?").await?;
    let person = person.map(|it| format!("{} {}", it.name, it.age.unwrap_or(0)));
    Ok(person.unwrap_or_default())
}

#[derive(Deserialize, JsonSchema)]
struct Greeting {
    name: String,
    #[expect(dead_code, reason = "it is there to be refused")]
    tone: Option<Tone>,
    times: Option<u8>,
    loud: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Blunt,
}

async fn greet(Args(greeting): Args<Greeting>) -> Vec<PromptMessage> {
    let name = match greeting.loud {
        Some(true) => greeting.name.to_uppercase(),
        Some(false) | None => greeting.name,
    };
    let times = greeting.times.unwrap_or(1);
    vec![PromptMessage::user(format!("{name} x{times}"))]
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "some fields are there to be refused")]
struct Note {
    id: u8,
    lines: Option<u8>,
    size: Option<Size>,
}

async fn note(Vars(note): Vars<Note>) -> Text {
    Text::plain(note.id.to_string())
}

fn server() -> Server {
    Server::builder("mistakes", "1")
        .dynamic_tools()
        .changes(Changes::new())
        .tool(Tool::new("count", count))
        .tool(Tool::new("ask", ask))
        .prompt(Prompt::new("greet", greet))
        .resource_template(ResourceTemplate::new("note://{id}{?lines,size}", note).name("note"))
        .build()
        .unwrap()
}

/// Returns clients of this revision, one over each transport.
pub(crate) async fn clients(revision: Revision) -> [Client; 2] {
    let capabilities = json!({"elicitation": {"form": {}}});
    Client::both(&server(), revision, capabilities).await
}

/// Returns the problems as sentences.
pub(crate) fn told(problems: &Value) -> Vec<String> {
    let problems = problems.as_array().unwrap_or_else(|| panic!("{problems}"));
    let sentence = |problem: &Value| {
        let (path, message) = (&problem["path"], &problem["message"]);
        match (path.as_str().unwrap(), message.as_str().unwrap()) {
            ("", message) => message.to_owned(),
            (path, message) => format!("{path}: {message}"),
        }
    };
    problems.iter().map(sentence).collect()
}

#[tokio::test]
async fn all_that_is_wrong_with_parameters_is_told() {
    for (revision, method, params, mistakes) in
        cases::<(&str, &str, Value, Vec<&str>)>(FILE, "parameters")
    {
        for mut client in clients(revision.parse().unwrap()).await {
            let reply = client.ask(method, params.clone()).await;
            let error = &reply["error"];
            assert_eq!(error["code"], -32602, "{method} {params}: {reply}");
            assert_eq!(error["data"]["kind"], "malformed", "{reply}");
            assert_eq!(told(&error["data"]["problems"]), mistakes, "{params}");
            let message = format!("Invalid params: {}", mistakes.join("; "));
            assert_eq!(error["message"], message);
        }
    }
}

#[tokio::test]
async fn a_model_is_told_all_that_is_wrong_with_its_arguments() {
    for revision in [Revision::V2025_06_18, Revision::V2026_07_28] {
        for mut client in clients(revision).await {
            for (tool, arguments, mistakes) in
                cases::<(&str, Value, Vec<&str>)>(FILE, "arguments of a tool")
            {
                let params = json!({"name": tool, "arguments": arguments});
                let reply = client.ask("tools/call", params).await;
                let result = &reply["result"];
                assert_eq!(result["isError"], true, "{arguments}: {reply}");
                let text = format!("Invalid arguments for tool {tool}: {}", mistakes.join("; "));
                assert_eq!(result["content"][0]["text"], text);
                let object = &result["structuredContent"];
                assert_eq!(object["code"], "VALIDATION_ERROR", "{reply}");
                assert_eq!(told(&object["details"]["problems"]), mistakes);
            }
            for (tool, arguments, text) in
                cases::<(&str, Value, &str)>(FILE, "arguments that are taken")
            {
                let params = json!({"name": tool, "arguments": arguments});
                let reply = client.ask("tools/call", params).await;
                assert_eq!(reply["result"]["content"][0]["text"], text, "{reply}");
            }
        }
    }
}

#[tokio::test]
async fn all_that_is_wrong_with_the_arguments_of_a_prompt_is_told() {
    for (arguments, mistakes) in cases::<(Value, Vec<&str>)>(FILE, "arguments of a prompt") {
        for mut client in clients(Revision::V2026_07_28).await {
            let params = json!({"name": "greet", "arguments": arguments});
            let reply = client.ask("prompts/get", params).await;
            let error = &reply["error"];
            let message = format!(
                "Invalid arguments for prompt greet: {}",
                mistakes.join("; ")
            );
            assert_eq!(error["message"], message);
            assert_eq!(error["data"]["kind"], "malformed");
            // The message's places are in the arguments, and the pointers in the parameters.
            let placed = mistakes
                .iter()
                .map(|mistake| match mistake.strip_prefix('/') {
                    Some(inside) => format!("/arguments/{inside}"),
                    None => format!("/arguments: {mistake}"),
                });
            let placed: Vec<String> = placed.collect();
            assert_eq!(told(&error["data"]["problems"]), placed);
        }
    }
}

#[tokio::test]
async fn a_text_may_be_a_number_or_a_truth_value_as_people_write_them() {
    for (arguments, text) in cases::<(Value, &str)>(FILE, "arguments of a prompt that are taken") {
        for mut client in clients(Revision::V2026_07_28).await {
            let params = json!({"name": "greet", "arguments": arguments});
            let reply = client.ask("prompts/get", params).await;
            let message = &reply["result"]["messages"][0];
            assert_eq!(message["content"]["text"], text, "{arguments}: {reply}");
        }
    }
}

#[tokio::test]
async fn a_method_that_is_not_here_is_told_with_what_was_meant_or_why() {
    for (revision, method, hint) in cases::<(&str, &str, Option<&str>)>(FILE, "methods") {
        for mut client in clients(revision.parse().unwrap()).await {
            let reply = client.ask(method, json!({})).await;
            let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
            let message = format!("Method not found: {method}{hint}");
            assert_eq!(reply["error"]["message"], message, "{revision}");
            assert_eq!(reply["error"]["data"], json!({ "method": method }));
        }
    }
}

#[tokio::test]
async fn all_that_is_wrong_with_the_variables_of_a_template_is_told() {
    for (uri, mistakes) in cases::<(&str, Vec<&str>)>(FILE, "variables of a template") {
        for mut client in clients(Revision::V2026_07_28).await {
            let reply = client.ask("resources/read", json!({"uri": uri})).await;
            let error = &reply["error"];
            let message = format!("Invalid URI: {uri}: {}", mistakes.join("; "));
            assert_eq!(error["message"], message);
            assert_eq!(error["data"]["kind"], "invalid_uri");
            assert_eq!(told(&error["data"]["problems"]), mistakes);
        }
    }
}

#[tokio::test]
async fn all_that_is_wrong_with_an_answer_is_told() {
    for (answer, mistakes) in cases::<(Value, Vec<&str>)>(FILE, "answers") {
        for mut client in clients(Revision::V2026_07_28).await {
            let asked = client.call("ask").await;
            let state = &asked["result"]["requestState"];
            let params =
                json!({"name": "ask", "inputResponses": {"who": answer}, "requestState": state});
            let reply = client.ask("tools/call", params).await;
            let error = &reply["error"];
            assert_eq!(error["data"]["kind"], "invalid_input_response", "{reply}");
            assert_eq!(error["data"]["key"], "who");
            assert_eq!(told(&error["data"]["problems"]), mistakes, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_whole_number_is_an_integer_in_an_answer_too() {
    for mut client in clients(Revision::V2026_07_28).await {
        let asked = client.call("ask").await;
        let state = &asked["result"]["requestState"];
        let content = json!({"name": "Ada", "age": 36.0});
        let answers = json!({"who": {"action": "accept", "content": content}});
        let params = json!({"name": "ask", "inputResponses": answers, "requestState": state});
        let reply = client.ask("tools/call", params).await;
        assert_eq!(reply["result"]["content"][0]["text"], "Ada 36", "{reply}");
    }
}

/// A text of this many bytes.
fn long(bytes: usize) -> String {
    "x".repeat(bytes)
}

#[tokio::test]
async fn what_is_too_long_is_of_its_kind_and_not_repeated_whole() {
    let uri = format!("note://{}", long(10_000));
    let unknown = format!("nothing://{}", long(5_000));
    for (method, params, kind) in [
        ("tools/call", json!({"name": long(128)}), "unknown_tool"),
        ("tools/call", json!({"name": long(129)}), "unknown_tool"),
        ("tools/call", json!({"name": long(5_000)}), "unknown_tool"),
        (
            "prompts/get",
            json!({"name": long(5_000)}),
            "unknown_prompt",
        ),
        ("resources/read", json!({"uri": uri}), "invalid_uri"),
        (
            "resources/read",
            json!({"uri": format!("note://{}", long(5_000))}),
            "invalid_uri",
        ),
        ("tools/list", json!({"cursor": [long(10_000)]}), "malformed"),
        (
            "tools/call",
            json!({"name": "ask", "inputResponses": 5}),
            "malformed",
        ),
    ] {
        for mut client in clients(Revision::V2026_07_28).await {
            let reply = client.ask(method, params.clone()).await;
            let error = &reply["error"];
            assert_eq!(error["data"]["kind"], kind, "{reply}");
            let message = error["message"].as_str().unwrap();
            assert!(message.len() < 1_000, "{} bytes", message.len());
        }
    }
    for mut client in clients(Revision::V2026_07_28).await {
        let reply = client.ask("resources/read", json!({"uri": unknown})).await;
        let error = &reply["error"];
        // A client finds the whole URI in the data. The message only has to identify it for its
        // reader.
        assert_eq!(error["data"], json!({"uri": unknown}));
        assert!(error["message"].as_str().unwrap().len() < 400);
    }
}

#[tokio::test]
async fn a_header_that_differs_is_not_repeated_whole() {
    let [_, mut client] = clients(Revision::V2026_07_28).await;
    let request = client.request("tools/call", json!({"name": long(5_000)}));
    let headers =
        message::headers(&request, None).replace(&long(5_000), &format!("y{}", long(4_000)));
    let reply = client.post_with(&headers, &request).await.message().await;
    assert_eq!(reply["error"]["code"], -32020, "{reply}");
    assert!(reply["error"]["message"].as_str().unwrap().len() < 1_000);
}

#[tokio::test]
async fn what_http_refuses_it_names() {
    let site = Site::serve(server().http()).await;
    for (method, headers, status, message) in
        cases::<(&str, &str, u16, &str)>(FILE, "refused over HTTP")
    {
        let headers = format!("{}\r\n", headers.replace(", ", "\r\n"));
        let mut refused = site.bare(&format!("{method} /"), &headers, "{}").await;
        assert_eq!(refused.status, status, "{headers}");
        assert_eq!(refused.json().await["error"]["message"], message);
    }
}

#[tokio::test]
async fn a_method_is_told_that_is_near_and_of_the_same_family() {
    for (method, message) in [
        (
            "tool/list",
            r#"Method not found: tool/list (did you mean "tools/list"?)"#,
        ),
        (
            "tasks/list",
            r#"Method not found: tasks/list (did you mean "tasks/get"?)"#,
        ),
    ] {
        for mut client in clients(Revision::V2026_07_28).await {
            let reply = client.ask(method, json!({})).await;
            assert_eq!(reply["error"]["message"], message);
        }
    }
}

#[tokio::test]
async fn a_name_that_is_a_slip_of_another_is_told_with_it() {
    for (method, name, message) in [
        (
            "tools/call",
            "cuont",
            r#"Unknown tool: cuont (did you mean "count"?)"#,
        ),
        ("tools/call", "fly", "Unknown tool: fly"),
        (
            "prompts/get",
            "Greet",
            r#"Unknown prompt: Greet (did you mean "greet"?)"#,
        ),
    ] {
        for mut client in clients(Revision::V2026_07_28).await {
            let reply = client.ask(method, json!({"name": name})).await;
            assert_eq!(reply["error"]["message"], message);
            assert_eq!(reply["error"]["data"]["name"], name);
        }
    }
}
