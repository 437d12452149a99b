//! Prompts and completion by the bytes: the members around a result, the header with the prompt's
//! name, and invalid arguments.

use plainly::errors::Problem;
use plainly::protocol::types::PromptMessage;
use plainly::server::Prompt;
use plainly::server::extract::{Args, PartialArgument};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::both::{both, both_wrong};
use crate::fixture::{Fixture, SECRET};
use crate::http::Http;
use crate::sender::{Sender, request};

#[derive(Deserialize, JsonSchema)]
struct Greeting {
    /// Who is greeted.
    name: String,
    tone: Option<Tone>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Kind,
    Blunt,
}

async fn greet(Args(greeting): Args<Greeting>) -> Vec<PromptMessage> {
    let politely = match greeting.tone {
        Some(Tone::Blunt) => "",
        Some(Tone::Kind) | None => " politely",
    };
    let name = greeting.name;
    vec![PromptMessage::user(format!("Greet {name}{politely}."))]
}

async fn names(typed: PartialArgument) -> Vec<String> {
    typed.matching(["Ada", "Alan", "Grace"])
}

/// A prompt whose `name` has a completer, and whose `tone` is completed by its type.
pub(crate) fn greeting() -> Prompt {
    Prompt::new("greet", greet)
        .title("Greet")
        .description("Greets somebody")
        .complete("name", names)
}

/// A request that completes an argument of [`greeting`].
pub(crate) fn complete(argument: &str, value: &str) -> String {
    let reference = r#""ref":{"type":"ref/prompt","name":"greet"}"#;
    let argument = format!(r#""argument":{{"name":"{argument}","value":"{value}"}}"#);
    request(
        "1",
        "completion/complete",
        &format!("{reference},{argument}"),
    )
}

fn get(more: &str) -> String {
    request("1", "prompts/get", more)
}

async fn panics() -> Result<String, Problem> {
    panic!("{SECRET}")
}

fn fixture() -> Fixture {
    let panicking = Prompt::new("panics", panics);
    Fixture::build(|builder| builder.prompt(greeting()).prompt(panicking))
}

#[tokio::test]
async fn a_prompt_says_the_same_to_all_and_more_to_the_newest() {
    let fixture = fixture();
    let greet = get(r#""name":"greet","arguments":{"name":"Ada","tone":"blunt"}"#);
    for sender in Sender::all() {
        for (sent, expected) in [
            (
                greet.clone(),
                json!({ "messages": [
                    { "role": "user", "content": { "type": "text", "text": "Greet Ada." } },
                ] }),
            ),
            (
                complete("name", "a"),
                json!({ "completion": { "values": ["Ada", "Alan", "Grace"], "total": 3, "hasMore": false } }),
            ),
            (
                complete("tone", "bl"),
                json!({ "completion": { "values": ["blunt"], "total": 1, "hasMore": false } }),
            ),
        ] {
            for mut reply in both(&fixture, sender, &sent).await {
                if sender == Sender::Modern {
                    let result = reply["result"].as_object_mut().unwrap();
                    assert_eq!(result.remove("resultType").unwrap(), "complete");
                    assert!(result.remove("_meta").is_some());
                }
                assert_eq!(reply["result"], expected, "{sender:?}");
            }
        }
    }
    for reply in both(&fixture, Sender::Modern, &request("1", "prompts/list", "")).await {
        assert_eq!(reply["result"]["ttlMs"], 300_000);
        assert_eq!(reply["result"]["cacheScope"], "public");
    }
}

#[tokio::test]
async fn what_is_no_argument_never_reaches_a_handler() {
    let fixture = fixture();
    for sender in Sender::all() {
        #[rustfmt::skip]
        let cases = [
            (get(r#""name":"panics","arguments":{"a":1,"b":"x","c":null}"#), r#"/arguments/a: 1 is not of type "string"; /arguments/c: null is not of type "string""#),
            (get(r#""name":"panics","arguments":[]"#), r#"/arguments: [] is not of type "object""#),
            (get(""), r#""name" is a required property"#),
            (request("1", "completion/complete", r#""argument":{"name":"a","value":""}"#), r#""ref" is a required property"#),
            (complete("name", "").replace("ref/prompt", "ref/tool"), r#"/ref/type: "ref/tool" is not one of "ref/prompt", "ref/resource""#),
        ];
        for (sent, told) in cases {
            for reply in both_wrong(&fixture, sender, &sent).await {
                let error = &reply["error"];
                assert_eq!(error["code"], -32602, "{reply}");
                assert_eq!(error["data"]["kind"], "malformed");
                let message = error["message"].as_str().unwrap();
                assert!(message.contains(told), "{message}");
            }
        }
    }
}

#[tokio::test]
async fn a_panic_in_a_prompt_is_answered_and_its_payload_is_not() {
    let fixture = fixture();
    for sender in Sender::all() {
        for reply in both(&fixture, sender, &get(r#""name":"panics""#)).await {
            assert_eq!(
                reply,
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}})
            );
        }
    }
}

#[tokio::test]
async fn the_name_of_a_prompt_is_mirrored_by_a_header() {
    let fixture = fixture();
    let http = Http::listen(&fixture.server).await;
    let client = http.client(Sender::Modern).await;
    let body = Sender::Modern.fill(get(r#""name":"greet","arguments":{"name":"Ada"}"#).as_bytes());
    let mismatch = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"#;
    for (name, status, beginning) in [
        (
            "Mcp-Name: greet\r\n",
            200,
            r#"{"jsonrpc":"2.0","id":1,"result":"#,
        ),
        ("Mcp-Name: panics\r\n", 400, mismatch),
        ("", 400, mismatch),
    ] {
        let headers =
            format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: prompts/get\r\n{name}");
        let reply = client.post(&headers, &body).await;
        assert_eq!(reply.status, status, "{name}: {reply:?}");
        assert!(reply.body.starts_with(beginning), "{name}: {reply:?}");
    }
}
