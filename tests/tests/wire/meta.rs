//! The server reports mistakes in `_meta` like all others, and never repeats a peer's text raw.

use plainly::errors::Revision;
use plainly_peer::message;
use plainly_peer::table::cases;
use serde_json::{Value, json};

use crate::mistakes::{FILE, clients, told};

#[tokio::test]
async fn an_introduction_that_is_wrong_is_told_from_one_that_is_missing() {
    for (meta, keys, message) in cases::<(Value, Option<Vec<&str>>, &str)>(FILE, "introductions") {
        let [_, client] = clients(Revision::V2026_07_28).await;
        let request = message::request(1, "resources/read", json!({"_meta": meta}));
        let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\n";
        let reply = client.post_with(headers, &request).await.message().await;
        let error = &reply["error"];
        assert_eq!(error["code"], -32602, "{meta}: {reply}");
        assert_eq!(error["message"], format!("Invalid params: {message}"));
        let kind = if keys.is_some() {
            "missing_meta"
        } else {
            "malformed"
        };
        assert_eq!(error["data"]["kind"], kind, "{reply}");
        assert_eq!(
            error["data"].get("keys"),
            keys.map(|keys| json!(keys)).as_ref()
        );
        assert!(!told(&error["data"]["problems"]).is_empty());
    }
}

/// Checks that the reply reports these mistakes in the parameters, or is a result if there are
/// none.
fn check_malformed(reply: &Value, mistakes: &[&str]) {
    if mistakes.is_empty() {
        assert!(reply["result"].is_object(), "{reply}");
        return;
    }
    let error = &reply["error"];
    let message = format!("Invalid params: {}", mistakes.join("; "));
    assert_eq!(error["code"], -32602, "{reply}");
    assert_eq!(error["message"], message);
    assert_eq!(told(&error["data"]["problems"]), mistakes);
}

#[tokio::test]
async fn a_malformed_progress_token_is_refused_and_not_dropped() {
    for (meta, mistakes) in cases::<(Value, Vec<&str>)>(FILE, "`_meta` of a tools/list") {
        for revision in Revision::ALL {
            for mut client in clients(revision).await {
                let mut request = client.request("tools/list", json!({}));
                for (key, value) in meta.as_object().unwrap() {
                    request["params"]["_meta"][key] = value.clone();
                }
                check_malformed(&client.exchange(&request).await, &mistakes);
            }
        }
    }
}

#[tokio::test]
async fn a_meta_that_is_no_object_is_refused_on_every_revision() {
    for revision in Revision::ALL.into_iter().filter(|it| it.traits().sessions) {
        for mut client in clients(revision).await {
            for (meta, mistakes) in [
                (json!(5), &[r#"/_meta: 5 is not of type "object""#][..]),
                (json!([]), &[r#"/_meta: [] is not of type "object""#]),
                (json!(null), &[]),
            ] {
                let mut request = client.request("tools/list", json!({}));
                request["params"]["_meta"] = meta;
                check_malformed(&client.exchange(&request).await, mistakes);
            }
        }
    }
}

#[tokio::test]
async fn what_a_peer_wrote_can_not_command_a_terminal() {
    let evil = "\u{1b}[31m\r\n\u{9b}2J\u{202e}";
    let object = json!({evil: evil});
    let argument = json!({"name": evil, "value": evil});
    for (method, params) in [
        (evil, json!({})),
        ("tools/call", json!({"name": evil})),
        (
            "tools/call",
            json!({"name": "count", "arguments": {"count": evil, "size": evil}}),
        ),
        (
            "tools/call",
            json!({"name": "count", "arguments": {"count": 3, "at": object}}),
        ),
        ("tools/call", json!({"name": [object]})),
        ("prompts/get", json!({"name": evil})),
        (
            "prompts/get",
            json!({"name": "greet", "arguments": {"tone": evil, "loud": evil}}),
        ),
        ("resources/read", json!({"uri": evil})),
        (
            "resources/read",
            json!({"uri": format!("note://1?lines={evil}")}),
        ),
        ("resources/list", json!({"cursor": evil})),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": argument}),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/resource", "uri": evil}, "argument": argument}),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": evil}, "argument": argument}),
        ),
    ] {
        for mut client in clients(Revision::V2025_11_25).await {
            let reply = client.ask(method, params.clone()).await;
            let text = match reply["error"].is_null() {
                true => &reply["result"]["content"][0]["text"],
                false => &reply["error"]["message"],
            };
            let text = text.as_str().unwrap_or_else(|| panic!("{reply}"));
            let is_command = |character: char| character.is_control() || character == '\u{202e}';
            assert!(!text.contains(is_command), "{text:?}");
        }
    }
}
