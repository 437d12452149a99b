//! The rules for servers: the schemas of their tools, the capabilities that they declared, and the
//! reports about a server that breaks them.

use std::time::Duration;

use plainly::client::{Builder, Client, LocalError, Over};
use plainly_peer::{Peer, assert_local, message};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use super::peer::{legacy_with, modern, pair};

type Half = Builder<Over<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>>;

/// Connects to a modern server with these capabilities.
async fn connected(build: impl FnOnce(Half) -> Half, capabilities: Value) -> (Client, Peer) {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(
        build(builder).connect(),
        peer.answer_with("server/discover", message::discovered(capabilities))
    );
    (client.expect("the peer is modern"), peer)
}

fn listing() -> Value {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema});
    json!({"tools": [tool]})
}

fn output(structured: &Value) -> Value {
    json!({"content": [], "structuredContent": structured})
}

#[tokio::test]
async fn the_output_of_a_tool_that_was_listed_is_held_against_its_schema() {
    let (client, mut peer) = modern().await;
    let wrong = output(&json!({"a": "b", "c": 1}));
    // The schema of an unlisted tool is unknown, and the client does not list tools to find it.
    let (called, ()) = tokio::join!(
        client.call_tool("t", ()),
        peer.answer_with("tools/call", wrong.clone())
    );
    called.unwrap();
    let (tools, ()) = tokio::join!(client.tools(), peer.answer_with("tools/list", listing()));
    assert_eq!(tools.unwrap().len(), 1);
    for (result, mistakes) in [
        (output(&json!({"a": 3.0})), None),
        (json!({"content": [], "isError": true}), None),
        (
            json!({"content": [], "isError": true, "structuredContent": {"success": false}}),
            None,
        ),
        (wrong, Some("/a")),
        (output(&json!({})), Some("\"a\"")),
        (
            json!({"content": [{"type": "text", "text": "hi"}]}),
            Some("there is no structured output"),
        ),
    ] {
        let (called, ()) = tokio::join!(
            client.call_tool("t", ()),
            peer.answer_with("tools/call", result.clone())
        );
        let Some(place) = mistakes else {
            called.unwrap();
            continue;
        };
        let error = called.unwrap_err();
        let Some(LocalError::InvalidOutput {
            mistakes,
            result: kept,
            ..
        }) = error.local()
        else {
            panic!("{error}");
        };
        assert_eq!(mistakes.len(), 1, "{mistakes:?}");
        assert!(mistakes[0].to_string().contains(place), "{mistakes:?}");
        assert_eq!(
            kept.content.len(),
            result["content"].as_array().unwrap().len()
        );
        assert!(error.to_string().contains("tool `t`") && !error.is_retryable());
    }
}

#[tokio::test]
async fn a_client_may_take_output_as_it_comes() {
    let (client, mut peer) = connected(Builder::unchecked_output, json!({"tools": {}})).await;
    let (tools, ()) = tokio::join!(client.tools(), peer.answer_with("tools/list", listing()));
    tools.unwrap();
    let (called, ()) = tokio::join!(
        client.call_tool("t", ()),
        peer.answer_with("tools/call", output(&json!({"a": "b"})))
    );
    called.unwrap();
}

#[tokio::test]
async fn what_a_server_did_not_declare_is_not_asked_of_it() {
    let (client, mut peer) = connected(|builder| builder, json!({"tools": {}})).await;
    let read = client.read("a:b").await.unwrap_err();
    assert_eq!(
        read.to_string(),
        "the server has no resources: it did not declare the capability that `resources/read` needs"
    );
    assert!(read.is_method_not_found() && !read.is_retryable());
    assert_local!(
        read,
        LocalError::NotDeclared {
            capability: "resources",
            ..
        }
    );
    let prompts = client.prompts().await.unwrap_err();
    assert_local!(
        prompts,
        LocalError::NotDeclared {
            capability: "prompts",
            ..
        }
    );
    let metadata = client.metadata("a:b").await.unwrap_err();
    assert_local!(metadata, LocalError::NotDeclared { .. });
    // The failed calls sent no request: the first one to arrive is this one.
    let (tools, ()) = tokio::join!(client.tools(), peer.answer("tools/list"));
    tools.unwrap();
}

#[tokio::test]
async fn a_server_is_asked_all_the_same_if_it_declares_nothing_or_the_client_wants_so() {
    let wanting = connected(Builder::undeclared_capabilities, json!({"tools": {}})).await;
    let silent = connected(|builder| builder, json!({})).await;
    let old = legacy_with(json!({})).await;
    for (client, mut peer) in [wanting, silent, old] {
        let (prompts, ()) = tokio::join!(client.prompts(), peer.answer("prompts/list"));
        prompts.unwrap();
    }
}

#[tokio::test]
async fn an_entry_that_can_not_be_read_is_left_out_of_its_listing() {
    let (client, mut peer) = modern().await;
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let page = json!({"tools": [tool("a"), {"name": "b"}, tool("c")], "nextCursor": "2"});
    let (tools, ()) = tokio::join!(client.tools(), async {
        peer.answer_with("tools/list", page).await;
        peer.answer_with("tools/list", json!({"tools": [[], tool("d")]}))
            .await;
    });
    let names: Vec<_> = tools.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["a", "c", "d"]);
    let page = json!({"resources": [{"uri": "a:b"}, {"uri": "a:c", "name": "c"}]});
    let (resources, ()) = tokio::join!(
        client.resources(None),
        peer.answer_with("resources/list", page)
    );
    assert_eq!(resources.unwrap()[0].uri, "a:c");
    for broken in [
        json!({"tools": {}}),
        json!({"tools": [], "nextCursor": 7}),
        json!({}),
    ] {
        let (tools, ()) = tokio::join!(client.tools(), peer.answer_with("tools/list", broken));
        assert_local!(tools.unwrap_err(), LocalError::InvalidResponse { .. });
    }
}

#[tokio::test]
async fn no_contents_are_a_collection_only_where_the_server_knows_collections() {
    let collections = json!({"dev.plainly/resources": {"directoryRead": true}});
    for (capabilities, ambiguous) in [
        (json!({"resources": {}}), true),
        (json!({"resources": {}, "extensions": {"other": {}}}), true),
        (json!({"resources": {}, "extensions": collections}), false),
    ] {
        let (client, mut peer) = connected(|builder| builder, capabilities).await;
        let (read, ()) = tokio::join!(
            client.read("a:b"),
            peer.answer_with("resources/read", json!({"contents": []}))
        );
        let read = read.unwrap();
        assert_eq!(read.is_ambiguous(), ambiguous);
        assert_eq!(read.is_collection(), !ambiguous);
    }
}

#[tokio::test(start_paused = true)]
async fn what_came_instead_of_a_reply_is_told() {
    for (line, told) in [
        (
            r#"{"jsonrpc":"2.0","id":"x","result":{"tools":[]}}"#,
            "; the server sent a reply with the id \"x\", which no open request has, instead",
        ),
        (
            "<!DOCTYPE html>",
            "; the server sent \"<!DOCTYPE html>\", which is not a message, instead",
        ),
        ("", ""),
    ] {
        let (client, mut peer) = modern().await;
        let client = client.with_timeout(Duration::from_secs(3));
        let (tools, ()) = tokio::join!(client.tools(), async {
            peer.request("tools/list").await;
            if !line.is_empty() {
                peer.say(line).await;
            }
        });
        let error = tools.unwrap_err();
        assert!(error.is_timeout());
        assert_eq!(
            error.to_string(),
            format!("no reply to `tools/list` within 3s{told}")
        );
        peer.request("notifications/cancelled").await;
        // The line is not reported again after a reply.
        let (tools, ()) = tokio::join!(client.tools(), peer.answer("tools/list"));
        tools.unwrap();
        let (tools, _) = tokio::join!(client.tools(), peer.request("tools/list"));
        assert_eq!(
            tools.unwrap_err().to_string(),
            "no reply to `tools/list` within 3s"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_banner_before_silence_is_told_when_connecting_fails() {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(
        builder.connect_timeout(Duration::from_secs(3)).connect(),
        async {
            peer.request("server/discover").await;
            peer.say("Welcome!").await;
        }
    );
    let error = client.unwrap_err().to_string();
    assert!(
        error.ends_with("\"Welcome!\", which is not a message, instead"),
        "{error}"
    );
}
