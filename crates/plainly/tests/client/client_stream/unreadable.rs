//! Replies that can't be decoded: the error names the fault and its position, and quotes the reply.

use plainly::client::{Error, LocalError};
use plainly::protocol::types::ElicitResult;
use plainly_peer::{table, told};
use serde_json::{Value, json};

use super::meanings::call;
use super::peer::modern;

const BYTES: usize = 200_000;

#[tokio::test]
async fn what_is_wrong_with_a_result_is_said_and_what_it_says_is_kept() {
    let (client, mut peer) = modern().await;
    for (method, result, expected) in
        table::cases::<(&str, Value, &str)>(include_str!("unreadable.txt"), "results")
    {
        let (error, ()) = tokio::join!(
            call(&client, method),
            peer.answer_with(method, result.clone())
        );
        let expected = format!("invalid reply to `{method}`: {expected}");
        assert_eq!(told(&error), expected);
        let Some(LocalError::InvalidResponse {
            mistakes,
            result: whole,
            ..
        }) = error.local()
        else {
            panic!("{error:?}");
        };
        let Some(whole) = whole else {
            assert!(mistakes.is_empty(), "{error}");
            continue;
        };
        assert!(!mistakes.is_empty(), "{error}");
        assert_eq!(whole.decode::<Value>().unwrap(), result);
    }
}

#[tokio::test]
async fn a_handshake_that_can_not_be_read_says_so_too() {
    let (builder, mut peer) = super::peer::pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.refuse("server/discover", -32601, None).await;
        peer.answer_with("initialize", json!({"protocolVersion": 5}))
            .await;
    });
    assert_eq!(
        told(&client.unwrap_err()),
        "invalid reply to `initialize`: \"capabilities\" is a required property; \"serverInfo\" is a required property; \
         /protocolVersion: 5 is not of type \"string\""
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_with_the_first_answer_is_told_where_there_is_no_second() {
    let (builder, mut peer) = super::peer::pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.answer_with(
            "server/discover",
            json!({"supportedVersions": "2026-07-28"}),
        )
        .await;
        peer.request("initialize").await;
    });
    assert_eq!(
        told(&client.unwrap_err()),
        "invalid reply to `server/discover`: \"capabilities\" is a required property; \
         /supportedVersions: \"2026-07-28\" is not of type \"array\""
    );
}

#[tokio::test]
async fn nothing_that_a_server_says_is_shown_at_any_length() {
    let (client, mut peer) = modern().await;
    let long = "x".repeat(BYTES);
    let url = json!({"mode": "url", "elicitationId": "1", "url": format!("https://a.example/{long}"), "message": "m"});
    let capability: Value = [(long.clone(), json!({}))].into_iter().collect();
    let errors = [
        json!({"code": -32000, "message": long}),
        json!({"code": -32000, "message": "", "data": long}),
        json!({"code": -32042, "message": "m", "data": {"elicitations": [url]}}),
        json!({"code": -32021, "message": "m", "data": {"requiredCapabilities": {"experimental": capability}}}),
        json!({"code": -32022, "message": "m", "data": {"supported": [long], "requested": "x"}}),
        json!({"code": long, "message": long}),
        json!({"message": {long.clone(): long}}),
    ];
    for error in errors {
        let (failed, ()) = tokio::join!(call(&client, "tools/call"), async {
            let request = peer.request("tools/call").await;
            peer.send(plainly_peer::message::error(&request, error.clone()))
                .await;
        });
        check_length(&failed);
    }
    let results = [
        json!({"content": long}),
        json!({"isError": "yes", "content": [{"type": "text", "text": long}]}),
        json!({"content": [], "resultType": long}),
    ];
    for result in results {
        let (failed, ()) = tokio::join!(
            call(&client, "tools/call"),
            peer.answer_with("tools/call", result)
        );
        check_length(&failed);
    }
}

/// Checks that an error has a few lines, and that its debug output begins with its text.
fn check_length(error: &Error) {
    let text = error.to_string();
    assert!((20..3_000).contains(&text.len()), "{}", text.len());
    assert!(format!("{error:?}").starts_with(&text), "{text}");
}

#[tokio::test]
async fn a_question_that_can_not_be_read_is_refused_with_what_is_wrong() {
    let (builder, mut peer) = super::peer::pair();
    let builder = builder.on_elicitation(async |_| ElicitResult::decline());
    let (_client, ()) = tokio::join!(builder.connect(), async {
        peer.open_session("2025-11-25", json!({})).await;
    });
    let params = json!({"message": 5, "requestedSchema": {"properties": []}});
    peer.send(
        json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": params}),
    )
    .await;
    let refused = peer.message().await.unwrap();
    assert_eq!(refused["error"]["code"], -32602);
    let problems = json!([
        {"path": "/message", "message": "5 is not of type \"string\""},
        {"path": "/requestedSchema/properties", "message": "[] is not of type \"object\""},
    ]);
    assert_eq!(refused["error"]["data"]["problems"], problems);
}
