//! The meaning and the text of a server's error, which depend on the called method and repeat the
//! server's words.

use plainly::client::{Client, Error, LocalError};
use plainly::errors::{Certainty, Code};
use plainly_peer::table;
use serde_json::{Value, json};

use super::peer::{discovered, modern, pair};

type Question = fn(&Error) -> bool;

const QUESTIONS: [(&str, Question); 13] = [
    ("resource", Error::is_resource_not_found),
    ("tool", Error::is_tool_not_found),
    ("prompt", Error::is_prompt_not_found),
    ("method", Error::is_method_not_found),
    ("params", Error::is_invalid_params),
    ("request", Error::is_invalid_request),
    ("internal", Error::is_internal),
    ("unavailable", Error::is_unavailable),
    ("forbidden", Error::is_forbidden),
    ("capability", Error::is_missing_capability),
    ("version", Error::is_unsupported_version),
    ("visit", Error::is_url_elicitation_required),
    ("retry", Error::is_retryable),
];

pub(crate) async fn call(client: &Client, method: &str) -> Error {
    let failed = match method {
        "resources/read" => client.read("a:b").await.map(drop),
        "tools/call" => client.call_tool("t", ()).await.map(drop),
        "tools/list" => client.tools().await.map(drop),
        "prompts/get" => client.prompt("p", ()).await.map(drop),
        other => panic!("{other}"),
    };
    failed.expect_err("it is refused")
}

/// Returns the error of a call that is answered with this `error`.
async fn answered(
    client: &Client,
    peer: &mut plainly_peer::Peer,
    method: &str,
    error: &str,
) -> Error {
    let (failed, ()) = tokio::join!(call(client, method), async {
        let request = peer.request(method).await;
        let id = &request["id"];
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        peer.say(&line).await;
    });
    failed
}

#[tokio::test]
async fn an_error_is_what_it_means_in_answer_to_the_method_and_says_what_it_asks_for() {
    let (client, mut peer) = modern().await;
    for (method, error, expected, words) in
        table::cases::<(&str, &str, &str, &str)>(include_str!("meanings.txt"), "answers")
    {
        let error = answered(&client, &mut peer, method, error).await;
        let holds = QUESTIONS.iter().filter(|(_, holds)| holds(&error));
        let mut holds: Vec<_> = holds.map(|(name, _)| *name).collect();
        if error.certainty() == Certainty::Likely {
            holds.push("likely");
        }
        assert_eq!(holds.join(" "), expected, "{method} {error:?}");
        assert_eq!(error.to_string(), words, "{method}");
        assert!(error.protocol().is_some() && error.http_status().is_none());
    }
}

#[tokio::test]
async fn a_strict_client_goes_by_the_specification_alone() {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(
        builder.recognise(Certainty::Certain).connect(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    let client = client.unwrap();
    let bare = r#"{"code":-32602,"message":"Resource a:b not found"}"#;
    let error = answered(&client, &mut peer, "resources/read", bare).await;
    assert!(!error.is_resource_not_found() && error.is_invalid_params());
    assert_eq!(error.certainty(), Certainty::Certain);
    let old = r#"{"code":-32002,"message":"No"}"#;
    let error = answered(&client, &mut peer, "resources/read", old).await;
    assert!(error.is_resource_not_found());
}

#[tokio::test]
async fn a_handshake_that_is_refused_misses_no_resource() {
    for error in [
        json!({"code": -32602, "message": "No", "data": {"uri": "a:b"}}),
        json!({"code": -32002, "message": "No", "data": {"uri": "a:b"}}),
    ] {
        let (builder, mut peer) = pair();
        let (client, ()) = tokio::join!(builder.connect(), async {
            for method in ["server/discover", "initialize"] {
                let request = peer.request(method).await;
                peer.send(plainly_peer::message::error(&request, error.clone()))
                    .await;
            }
        });
        let refused = client.unwrap_err();
        assert!(!refused.is_resource_not_found(), "{refused:?}");
        let code = refused.protocol().unwrap().received().unwrap().code;
        assert_eq!(code, Code::new(error["code"].as_i64().unwrap()));
    }
}

#[tokio::test]
async fn an_error_that_is_none_keeps_its_words() {
    let (client, mut peer) = modern().await;
    for (error, words) in
        table::cases::<(&str, &str)>(include_str!("meanings.txt"), "irregular errors")
    {
        let irregular = answered(&client, &mut peer, "tools/list", error).await;
        let expected = format!("irregular error in answer to `tools/list`: {words}");
        assert_eq!(irregular.to_string(), expected);
        plainly_peer::told(&irregular);
        let Some(LocalError::IrregularError {
            error: whole,
            mistakes,
            ..
        }) = irregular.local()
        else {
            panic!("{irregular:?}");
        };
        assert!(!irregular.is_retryable() && !mistakes.is_empty());
        assert_eq!(whole.get(), error);
    }
    let long = Value::from("x".repeat(10_000)).to_string();
    let irregular = answered(&client, &mut peer, "tools/list", &long).await;
    assert!(irregular.to_string().len() < 600);
}

#[tokio::test]
async fn an_error_can_be_kept_and_given_to_several() {
    let (client, mut peer) = modern().await;
    let error = answered(&client, &mut peer, "tools/list", r#""boom""#).await;
    let copy = error.clone();
    assert_eq!(copy.to_string(), error.to_string());
    drop(error);
    assert!(copy.local().is_some());
}
