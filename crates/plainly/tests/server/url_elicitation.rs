//! A handler that requires the user to visit a URL first: the report in each revision, in raw
//! lines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use plainly::errors::{ProtocolError, Revision, UrlElicitation};
use plainly::server::{Resource, Server, Tool};
use plainly_peer::Client;
use serde_json::{Value, json};

const URL: &str = "https://mcp.example.com/connect";
const WORDS: &str =
    "The user must visit https://mcp.example.com/connect first: Sign in to the archive";

async fn sign_in() -> Result<String, ProtocolError> {
    let visit = UrlElicitation::new("sign-in", URL, "Sign in to the archive");
    Err(ProtocolError::url_elicitation_required([visit]))
}

/// Connects a client with these capabilities.
async fn open(revision: Revision, capabilities: Value) -> Client {
    let server = Server::builder("archive", "1")
        .tool(Tool::new("sign-in", sign_in))
        .resource(Resource::new("archive://all", sign_in))
        .build()
        .unwrap();
    Client::stream(&server, revision, capabilities).await
}

/// Returns the replies of a tool and of a resource.
async fn both(client: &mut Client) -> [Value; 2] {
    let tool = client.call("sign-in").await;
    let resource = json!({"uri": "archive://all"});
    [tool, client.ask("resources/read", resource).await]
}

fn able() -> Value {
    json!({ "elicitation": { "url": {} } })
}

#[tokio::test]
async fn the_newest_revision_is_asked_in_a_result() {
    let mut client = open(Revision::V2026_07_28, able()).await;
    for reply in both(&mut client).await {
        let result = &reply["result"];
        assert_eq!(result["resultType"], "input_required", "{reply}");
        assert_eq!(
            result["inputRequests"],
            json!({"sign-in": {
                "method": "elicitation/create",
                "params": { "mode": "url", "url": URL, "message": "Sign in to the archive" },
            }})
        );
        let members: Vec<_> = result.as_object().unwrap().keys().collect();
        assert_eq!(members, ["_meta", "inputRequests", "resultType"]);
    }
}

#[tokio::test]
async fn who_declined_is_not_asked_again() {
    let mut client = open(Revision::V2026_07_28, able()).await;
    for (action, is_asked) in [("accept", true), ("decline", false), ("cancel", false)] {
        let answers = json!({
            "sign-in": { "action": action },
            "other": { "content": 1 },
            "unlike an answer": { "action": 1 },
            "even less": [],
        });
        let params = json!({ "name": "sign-in", "inputResponses": answers });
        let tool = client.ask("tools/call", params).await;
        let params = json!({ "uri": "archive://all", "inputResponses": answers });
        let resource = client.ask("resources/read", params).await;
        if is_asked {
            assert_eq!(tool["result"]["resultType"], "input_required", "{tool}");
            let expected = "input_required";
            assert_eq!(resource["result"]["resultType"], expected, "{resource}");
            continue;
        }
        let words =
            "The user declined to visit https://mcp.example.com/connect: Sign in to the archive";
        assert_eq!(tool["result"]["isError"], true, "{tool}");
        assert_eq!(tool["result"]["content"][0]["text"], words);
        assert_eq!(resource["error"]["code"], -32603, "{resource}");
        assert_eq!(resource["error"]["message"], words);
    }
}

#[tokio::test]
async fn who_did_not_declare_it_in_the_newest_revision_is_told_what_to_declare() {
    for capabilities in [
        json!({}),
        json!({"elicitation": {}}),
        json!({"elicitation": {"form": {}}}),
    ] {
        let mut client = open(Revision::V2026_07_28, capabilities).await;
        for reply in both(&mut client).await {
            assert_eq!(reply["error"]["code"], -32021, "{reply}");
            let data = json!({ "requiredCapabilities": able() });
            assert_eq!(reply["error"]["data"], data);
        }
    }
}

#[tokio::test]
async fn the_revision_that_has_an_error_for_it_gets_that() {
    let mut client = open(Revision::V2025_11_25, able()).await;
    for reply in both(&mut client).await {
        assert_eq!(reply["error"]["code"], -32042, "{reply}");
        assert_eq!(
            reply["error"]["data"],
            json!({"elicitations": [{
                "mode": "url", "elicitationId": "sign-in", "url": URL, "message": "Sign in to the archive",
            }]})
        );
    }
}

#[tokio::test]
async fn where_nothing_else_can_be_said_the_url_is_in_words() {
    let undeclared = (Revision::V2025_11_25, json!({"elicitation": {}}));
    let older = [
        Revision::V2025_06_18,
        Revision::V2025_03_26,
        Revision::V2024_11_05,
    ];
    let older = older.map(|revision| (revision, able()));
    for (revision, capabilities) in older.into_iter().chain([undeclared]) {
        let mut client = open(revision, capabilities).await;
        let [tool, resource] = both(&mut client).await;
        let content = json!([{ "type": "text", "text": WORDS }]);
        assert_eq!(tool["result"]["isError"], true, "{revision}: {tool}");
        assert_eq!(tool["result"]["content"], content);
        assert_eq!(resource["error"]["code"], -32603, "{revision}: {resource}");
        assert_eq!(resource["error"]["message"], WORDS);
        let visits = json!([{
            "mode": "url", "elicitationId": "sign-in", "url": URL, "message": "Sign in to the archive",
        }]);
        assert_eq!(
            resource["error"]["data"],
            json!({ "elicitations": visits }),
            "{revision}"
        );
    }
}
