//! Schemas that an author wrote, which arguments and results are validated against.

use plainly::Revision;
use plainly::protocol::types::{CallToolResult, Content, RawJson};
use plainly::server::extract::Args;
use plainly::server::reply::Json;
use plainly::server::{Server, Tool};
use plainly_peer::table::cases;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use plainly_peer::Peer;
use plainly_peer::message::modern;

use super::support::{call, client, reply_to, told};

async fn any(Args(all): Args<Map<String, Value>>) -> String {
    Value::Object(all).to_string()
}

fn server(tools: impl IntoIterator<Item = Tool>) -> Server {
    Server::builder("test", "1").tools(tools).build().unwrap()
}

fn problem(tool: Tool) -> String {
    let built = Server::builder("test", "1").tool(tool).build();
    built.unwrap_err().to_string()
}

/// A schema in an unusual order, with unusual forms of numbers.
const CONTACT: &str = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object", "$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"},"age":{"maximum":1.50e2}},"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}"##;

#[tokio::test]
async fn a_schema_by_hand_is_listed_byte_for_byte() {
    let server = server([Tool::new("contact", any).input_schema(CONTACT)]);
    for revision in Revision::ALL {
        let (mut peer, _) = client(&server, revision).await;
        peer.start("tools/list", json!({})).await;
        let line = peer.peer().line().await.unwrap();
        assert!(
            line.contains(&format!("\"inputSchema\":{CONTACT}")),
            "{revision}: {line}"
        );
    }
    let pretty = "{\n  \"type\": \"object\",\r\n  \"title\": \"a\\nb\"\n}";
    let server = self::server([Tool::new("pretty", any).input_schema(pretty)]);
    let mut peer = client(&server, Revision::LATEST).await.0;
    peer.peer().send(&modern(1, "tools/list", json!({}))).await;
    let line = peer.peer().line().await.unwrap();
    assert!(
        line.contains(r#""inputSchema":{  "type": "object",  "title": "a\nb"}"#),
        "{line}"
    );
}

#[tokio::test]
async fn arguments_are_held_against_a_schema_by_hand() {
    let server = server([Tool::new("contact", any).input_schema(CONTACT)]);
    let mut peer = Peer::connect(&server);
    for (arguments, failures) in
        cases::<(Value, Option<&str>)>(include_str!("schemas.txt"), "arguments and failures")
    {
        let reply = peer.ask(&call("contact", &arguments)).await;
        match failures {
            None => assert_eq!(told(&reply), (&*arguments.to_string(), false)),
            Some(failures) => {
                let text = format!("Invalid arguments for tool contact: {failures}");
                assert_eq!(told(&reply), (&*text, true));
            }
        }
    }
}

#[tokio::test]
async fn a_schema_by_hand_may_be_narrower_than_the_type_of_the_arguments() {
    #[derive(Deserialize, JsonSchema)]
    struct Wide {
        count: i64,
    }
    async fn wide(Args(Wide { count }): Args<Wide>) -> String {
        count.to_string()
    }
    let narrow = r#"{"type":"object","properties":{"count":{"enum":[1,2]}},"required":["count"]}"#;
    let none = r#"{"type":"object"}"#;
    let server = server([
        Tool::new("narrow", wide).input_schema(narrow),
        Tool::new("none", async || "none").input_schema(none),
    ]);
    let mut peer = Peer::connect(&server);
    let reply = peer.ask(&call("narrow", &json!({"count": 3}))).await;
    assert_eq!(
        told(&reply),
        (
            "Invalid arguments for tool narrow: /count: 3 is not one of 1, 2",
            true
        )
    );
    let reply = peer.ask(&call("narrow", &json!({"count": 2}))).await;
    assert_eq!(told(&reply), ("2", false));
    let reply = peer.ask(&call("none", &json!({"whatever": 1}))).await;
    assert_eq!(told(&reply), ("none", false));
}

#[test]
fn a_schema_that_cannot_be_served_is_told_when_the_server_is_built() {
    let deep = format!(
        "{}{}{}",
        r#"{"type":"object","a":"#,
        "[".repeat(60),
        "]".repeat(60)
    ) + "}";
    let doubling = r##"{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"properties":{"x":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}}}"##;
    for (schema, why) in [
        (
            "",
            "that is not JSON: EOF while parsing a value at line 1 column 0",
        ),
        ("[]", "that is invalid: [] is not a schema"),
        ("true", "whose type is not \"object\""),
        (r#"{"type":"array"}"#, "whose type is not \"object\""),
        (
            r#"{"type":["object","null"]}"#,
            "whose type is not \"object\"",
        ),
        (
            r#"{"type":"object","properties":{"a":{"type":"text"}}}"#,
            "that is invalid: /properties/a/type: \"text\" is not one or more of array, boolean, integer, null, number, object, string",
        ),
        (
            r#"{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}"#,
            "that is invalid: it refers to \"https://example.com/a.json\", which is not in it: nothing is ever fetched",
        ),
        (
            r#"{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}"#,
            "that is invalid: it refers to \"file:///etc/passwd\", which is not in it: nothing is ever fetched",
        ),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}"##,
            "that is invalid: it refers to \"#/$defs/a\", which is not in it",
        ),
        (
            &deep,
            "that is invalid: it is nested more than 48 levels deep",
        ),
        (
            doubling,
            "that is invalid: it takes exponential time, or is nested without bounds",
        ),
    ] {
        let told = problem(Tool::new("t", any).input_schema(schema));
        assert_eq!(
            told,
            format!("the server can't be built: tool t has an input schema {why}")
        );
    }
    let told = problem(Tool::new("t", async || CallToolResult::new([])).output_schema("{"));
    assert!(
        told.contains("tool t has an output schema that is not JSON"),
        "{told}"
    );
}

#[tokio::test]
async fn results_are_held_against_an_output_schema_by_hand() {
    async fn made(Args(all): Args<Map<String, Value>>) -> CallToolResult {
        let result = CallToolResult::new([Content::text("made")]);
        match all.get("make") {
            Some(value) => result.structured_content(RawJson::encode(value).unwrap()),
            None => result,
        }
    }
    let schema = r#"{"type": ["array", "null"], "maxItems": 2}"#;
    let server = server([Tool::new("made", made).output_schema(schema)]);
    let mut peer = Peer::connect(&server);
    for made in [json!([1, 2]), json!(null)] {
        let reply = peer.ask(&call("made", &json!({"make": made}))).await;
        assert_eq!(reply["result"]["structuredContent"], made);
        assert!(reply["result"].get("structuredContent").is_some());
    }
    for arguments in [json!({"make": [1, 2, 3]}), json!({"make": {}}), json!({})] {
        let reply = peer.ask(&call("made", &arguments)).await;
        let (text, is_error) = told(&reply);
        assert!(is_error && text.starts_with("Internal error"), "{reply}");
        assert_eq!(reply["result"].get("structuredContent"), None);
    }
}

#[derive(Serialize, JsonSchema)]
struct User {
    id: u8,
}

#[tokio::test]
async fn output_that_is_no_object_goes_where_it_is_known_and_as_text_everywhere() {
    let server = server([
        Tool::new("users", async || Json(vec![User { id: 1 }])),
        Tool::new("count", async || Json(7)),
        Tool::new("nothing", async || Json(None::<User>)),
        Tool::new("user", async || Json(User { id: 2 })),
    ]);
    for revision in Revision::ALL {
        let (mut peer, _) = client(&server, revision).await;
        let reply = reply_to(&mut peer, "tools/list", json!({})).await;
        let listed = reply["result"]["tools"].as_array().unwrap();
        for (tool, name, output) in [
            (&listed[0], "users", json!([{"id": 1}])),
            (&listed[1], "count", json!(7)),
            (&listed[2], "nothing", json!(null)),
            (&listed[3], "user", json!({"id": 2})),
        ] {
            let has = match revision {
                Revision::V2024_11_05 | Revision::V2025_03_26 => false,
                Revision::V2025_06_18 | Revision::V2025_11_25 => output.is_object(),
                Revision::V2026_07_28 => true,
            };
            assert_eq!(tool["name"], name);
            assert_eq!(tool.get("outputSchema").is_some(), has, "{name} {revision}");
            let reply = reply_to(&mut peer, "tools/call", json!({"name": name})).await;
            assert_eq!(told(&reply), (&*output.to_string(), false));
            let structured = reply["result"].get("structuredContent");
            assert_eq!(structured, has.then_some(&output), "{name} {revision}");
        }
    }
}

#[tokio::test]
async fn derived_schemas_have_standard_formats_alone() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Numbers {
        a: u8,
        b: usize,
        c: Option<u64>,
        d: f32,
        e: Vec<i16>,
    }
    async fn numbers(Args(_): Args<Numbers>) -> Json<Vec<u64>> {
        Json(vec![])
    }
    let server = server([Tool::new("numbers", numbers)]);
    let mut peer = Peer::connect(&server);
    peer.send(&modern(1, "tools/list", json!({}))).await;
    let line = peer.line().await.unwrap();
    assert!(
        line.contains("outputSchema") && !line.contains("format"),
        "{line}"
    );
}
