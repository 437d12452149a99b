//! Handlers that return their questions themselves.

use plainly::Revision;
use plainly_peer::Client;
use plainly_peer::message::text;
use serde_json::json;

use super::clients::{able, call};
use super::fixture::server;

#[tokio::test]
async fn questions_go_out_and_come_back_as_they_are() {
    for mut client in Client::both(&server(), Revision::V2026_07_28, able()).await {
        let (asked, reply) = call(&mut client, "bare").await;
        assert_eq!(asked.len(), 1);
        let expected = json!({"action": "accept", "content": {"name": "Ada"}});
        assert_eq!(text(&reply), expected.to_string());
    }
    let mut client = Client::stream(&server(), Revision::V2026_07_28, able()).await;
    let reply = client.call("bare").await;
    assert_eq!(reply["result"]["requestState"], "round 1");
    for (state, expected) in [
        ("round 1", "no answer"),
        ("mine", "a state of somebody's: mine"),
    ] {
        let params = json!({"name": "bare", "requestState": state});
        assert_eq!(text(&client.ask("tools/call", params).await), expected);
    }
    for params in [json!({"requestState": 1}), json!({"inputResponses": 12345})] {
        let mut params = params;
        params["name"] = json!("bare");
        let reply = client.ask("tools/call", params).await;
        assert!(
            reply["result"]["isError"] == true || reply["error"]["code"] == -32602,
            "{reply}"
        );
    }
}

#[tokio::test]
async fn nobody_is_asked_what_they_did_not_declare() {
    for mut client in Client::both(&server(), Revision::V2026_07_28, json!({})).await {
        let (_, reply) = call(&mut client, "bare").await;
        assert_eq!(reply["error"]["code"], -32021, "{reply}");
        let required = json!({"elicitation": {"form": {}}});
        assert_eq!(reply["error"]["data"]["requiredCapabilities"], required);
    }
}

#[tokio::test]
async fn an_older_client_is_told_that_it_can_not_be_asked() {
    for mut client in Client::both(&server(), Revision::V2025_11_25, able()).await {
        let (_, reply) = call(&mut client, "bare").await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        assert_eq!(text(&reply), "the client must be asked first");
    }
}
