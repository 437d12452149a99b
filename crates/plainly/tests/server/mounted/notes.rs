//! The example, as clients of every revision see it.

use plainly::client::{Client, LocalError};
use plainly::protocol::types::{CallToolResult, Content};
use plainly::server::Principal;
use plainly::{ProtocolError, Revision};
use plainly_peer::assert_local;
use serde_json::json;

use super::{example, listening};

async fn client(url: &str, token: &str, revision: Revision) -> Client {
    let client = Client::http(format!("{url}/mcp")).revision(revision);
    let client = client.header("Authorization", format!("Bearer {token}"));
    client.connect().await.unwrap()
}

async fn add(client: &Client, text: &str) -> CallToolResult {
    let added = client.call_tool("add-note", json!({"text": text})).await;
    added.unwrap()
}

async fn mine(client: &Client) -> String {
    let read = client.read("notes://mine").await.unwrap();
    String::from_utf8(read.contents[0].body.as_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn each_person_has_notes_of_their_own() {
    for revision in Revision::ALL {
        let url = listening(example::application().unwrap()).await;
        let alice = client(&url, "alice-secret", revision).await;
        let bob = client(&url, "bob-secret", revision).await;
        let added = add(&alice, "Buy bread").await;
        assert_eq!(added.content, [Content::text("You have 1 notes")]);
        add(&alice, "Bake a cake").await;
        add(&bob, "Call Alice").await;
        assert_eq!(mine(&alice).await, "Buy bread\nBake a cake");
        assert_eq!(mine(&bob).await, "Call Alice");
    }
}

#[tokio::test]
async fn guests_only_read_over_every_transport() {
    for revision in Revision::ALL {
        let url = listening(example::application().unwrap()).await;
        let over_http = client(&url, "guest-secret", revision).await;
        let server = example::server(example::Notes::default()).unwrap();
        let nearby = Client::in_memory(&server).revision(revision);
        let nearby = nearby.extension(Principal::new("guest"));
        for guest in [over_http, nearby.connect().await.unwrap()] {
            let refused = add(&guest, "I was here").await;
            assert!(refused.is_tool_error());
            let sentence = "Access denied for operation: add-note. Guests only read.";
            assert_eq!(refused.content, [Content::text(sentence)]);
            assert_eq!(mine(&guest).await, "");
        }
    }
}

#[tokio::test]
async fn who_is_nobody_is_told_to_log_in() {
    let server = example::server(example::Notes::default()).unwrap();
    for revision in Revision::ALL {
        let nobody = Client::in_memory(&server).revision(revision);
        let nobody = nobody.connect().await.unwrap();
        let error = nobody.read("notes://mine").await.unwrap_err();
        let problem = error.protocol().and_then(ProtocolError::problem).unwrap();
        let sentence = "Access denied for operation: notes. Log in first.";
        assert_eq!(problem.message(), sentence);
    }
}

#[tokio::test]
async fn without_a_token_nobody_comes_in() {
    let url = listening(example::application().unwrap()).await;
    let refused = Client::http(format!("{url}/mcp")).connect().await;
    let error = refused.unwrap_err();
    assert_local!(error, LocalError::HttpStatus { status: 401, .. });
}
