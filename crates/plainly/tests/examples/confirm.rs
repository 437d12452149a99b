//! The example that asks before it deletes, as clients of every revision see it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::client::Client;
use plainly::errors::revision::Forms;
use plainly::errors::{ErrorKind, Revision};
use plainly::protocol::types::ElicitResult;
use plainly::server::Server;
use serde_json::{Map, Value, json};

#[path = "../../examples/confirm.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

/// Returns the revisions in which users can be asked.
fn able() -> impl Iterator<Item = Revision> {
    let all = Revision::ALL.into_iter();
    all.filter(|revision| revision.traits().forms != Forms::None)
}

async fn connect(server: &Server, revision: Revision, answer: ElicitResult) -> Client {
    let client = Client::in_memory(server).revision(revision);
    let answering = client.on_elicitation(move |form| {
        assert_eq!(form.message, "Delete will.md for good?");
        let answer = answer.clone();
        async move { answer }
    });
    answering.connect().await.unwrap()
}

async fn call(client: &Client, tool: &str, arguments: Value) -> (bool, String) {
    let result = client.call_tool(tool, arguments).await.unwrap();
    let text = result.content[0].as_text().unwrap().to_owned();
    (result.is_tool_error(), text)
}

fn accepted(delete: bool) -> ElicitResult {
    let content = Map::from_iter([("delete".to_owned(), json!(delete))]);
    ElicitResult::accept(content.into_iter().collect())
}

#[tokio::test]
async fn who_agrees_has_it_deleted() {
    for revision in able() {
        let server = example::server().unwrap();
        let client = connect(&server, revision, accepted(true)).await;
        let told = call(&client, "delete", json!({"name": "will.md"})).await;
        assert_eq!(told, (false, "will.md is gone.".to_owned()), "{revision}");
        let expected = "draft.md\nletter.md";
        assert_eq!(call(&client, "list", json!({})).await.1, expected);
        let (is_error, told) = call(&client, "delete", json!({"name": "will.md"})).await;
        assert!(
            is_error && told.contains("Known files: draft.md, letter.md"),
            "{told}"
        );
    }
}

#[tokio::test]
async fn who_does_not_keeps_it() {
    for revision in able() {
        for answer in [
            accepted(false),
            ElicitResult::decline(),
            ElicitResult::cancel(),
        ] {
            let server = example::server().unwrap();
            let client = connect(&server, revision, answer).await;
            let told = call(&client, "delete", json!({"name": "will.md"})).await;
            assert_eq!(told, (false, "The user wants to keep will.md.".to_owned()));
            assert!(call(&client, "list", json!({})).await.1.contains("will.md"));
        }
    }
}

#[tokio::test]
async fn without_a_user_who_can_be_asked_nothing_is_deleted() {
    for revision in Revision::ALL {
        let server = example::server().unwrap();
        let client = Client::in_memory(&server).revision(revision);
        let client = client.connect().await.unwrap();
        let refused = client.call_tool("delete", json!({"name": "will.md"})).await;
        let refused = refused.unwrap_err();
        let kind = refused.protocol().unwrap().kind();
        let is_told = matches!(kind, ErrorKind::MissingRequiredClientCapability { .. });
        assert!(is_told, "{revision}: {refused}");
        assert!(call(&client, "list", json!({})).await.1.contains("will.md"));
    }
}
