//! The scopes that a token must have.

use plainly::protocol::method::Method;
use plainly::server::auth::ResourceServerBuilder;
use plainly_peer::message;
use serde_json::{Value, json};

use super::issuer::Issuer;
use super::support::{Guarded, bearer, call, capable, challenge};

async fn guarded(issuer: &Issuer) -> Guarded {
    Guarded::with(|auth| {
        auth.issuer(&issuer.url)
            .require(["read"])
            .tool("delete", ["write", "delete"])
            .method(Method::ReadResource, ["resources"])
            .scopes_for(|request, caller| match request.subject {
                Some("greeting") if caller.subject() == Some("alice") => vec!["greet".to_owned()],
                _ => Vec::new(),
            })
    })
    .await
}

fn token(issuer: &Issuer, scope: &str) -> String {
    bearer(&issuer.token(json!({"scope": scope})))
}

#[tokio::test]
async fn a_request_is_refused_with_all_the_scopes_that_it_needs() {
    let issuer = Issuer::start().await;
    let guarded = guarded(&issuer).await;
    let read = capable("resources/read", json!({"uri": "app://greeting"}));
    let prompt = capable("prompts/get", json!({"name": "greeting"}));
    for (name, scope, message, needed) in [
        ("a tool for all", "read", call("who"), None),
        ("nothing", "", call("who"), Some("read")),
        ("another word", "reader read-all", call("who"), Some("read")),
        (
            "a tool without its scopes",
            "read",
            call("delete"),
            Some("read write delete"),
        ),
        (
            "a tool with one of them",
            "read write",
            call("delete"),
            Some("read write delete"),
        ),
        (
            "a tool with all of them",
            "delete write read",
            call("delete"),
            None,
        ),
        (
            "a method without its scope",
            "read",
            read.clone(),
            Some("read resources"),
        ),
        ("a method with its scope", "read resources", read, None),
        ("by the rule", "read", prompt.clone(), Some("read greet")),
        ("allowed by the rule", "read greet", prompt, None),
    ] {
        let before = guarded.ran.count();
        let mut response = guarded.post(&token(&issuer, scope), &message).await;
        let Some(needed) = needed else {
            assert_eq!(response.status, 200, "{name}");
            continue;
        };
        assert_eq!(response.status, 403, "{name}");
        let said = challenge(&response);
        assert!(
            said.ends_with(&format!(r#"scope="{needed}", error="insufficient_scope""#)),
            "{name}: {said}"
        );
        let reply = response.json().await;
        assert_eq!(
            reply["error"]["data"]["refusal"], "insufficient_scope",
            "{name}: {reply}"
        );
        assert_eq!(guarded.ran.count(), before, "{name}");
    }
}

/// Checks that a rule of any kind makes the server read the method and the name in a request.
#[tokio::test]
async fn a_rule_of_any_kind_is_enough_to_look_at_what_is_asked() {
    type Configure = fn(ResourceServerBuilder) -> ResourceServerBuilder;
    let issuer = Issuer::start().await;
    let cases: [(&str, Configure, u16); 4] = [
        ("none", |auth| auth, 200),
        ("a tool", |auth| auth.tool("delete", ["write"]), 403),
        (
            "a method",
            |auth| auth.method(Method::CallTool, ["write"]),
            403,
        ),
        (
            "a rule",
            |auth| auth.scopes_for(|_, _| vec!["write".to_owned()]),
            403,
        ),
    ];
    for (name, configure, status) in cases {
        let guarded = Guarded::with(|auth| configure(auth.issuer(&issuer.url))).await;
        let response = guarded.post(&token(&issuer, "read"), &call("delete")).await;
        assert_eq!(response.status, status, "{name}");
    }
}

/// A call needs the scopes in every session, with an escaped name, in a batch, and over SSE.
#[tokio::test]
async fn there_is_no_way_around_the_scopes_of_a_tool() {
    let issuer = Issuer::start().await;
    let guarded = guarded(&issuer).await;
    let narrow = token(&issuer, "read");
    let delete = message::request(1, "tools/call", json!({"name": "delete", "arguments": {}}));
    for revision in &message::LEGACY[1..] {
        let opened = guarded.post(&narrow, &message::initialize(revision)).await;
        let session = format!("{narrow}Mcp-Session-Id: {}\r\n", opened.session());
        let escaped = delete.to_string().replace("\"delete\"", "\"\\u0064elete\"");
        let batch = json!([message::request(2, "ping", json!({})), delete]);
        for body in [delete.to_string(), escaped, batch.to_string()] {
            let refused = guarded.site.send("POST /mcp", &session, &body).await;
            assert_eq!(refused.status, 403, "{revision}: {body}");
        }
    }
    let mut stream = guarded
        .site
        .send("GET /sse", &token(&issuer, "read write delete"), "")
        .await;
    let endpoint = stream.event().await.unwrap().data;
    let put = async |who: &str, body: &Value| {
        guarded
            .site
            .send(&format!("POST {endpoint}"), who, body)
            .await
    };
    assert_eq!(
        put(&narrow, &message::initialize(message::LEGACY[0]))
            .await
            .status,
        202
    );
    // This token lacks the scopes that the stream was opened with.
    let refused = put(&narrow, &delete).await;
    assert_eq!(refused.status, 403);
    assert!(challenge(&refused).contains("insufficient_scope"));
    assert_eq!(guarded.ran.count(), 0);
}

#[tokio::test]
async fn streams_and_their_ends_need_what_every_request_needs() {
    let issuer = Issuer::start().await;
    let guarded = guarded(&issuer).await;
    let narrow = token(&issuer, "other");
    for line in [
        "GET /mcp",
        "DELETE /mcp",
        "GET /sse",
        "POST /sse?sessionId=1",
    ] {
        let refused = guarded.site.send(line, &narrow, "").await;
        assert_eq!(refused.status, 403, "{line}");
        assert!(challenge(&refused).contains(r#"scope="read""#), "{line}");
    }
}
