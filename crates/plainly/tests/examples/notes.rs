//! The example of the notes server, as clients of every revision see it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::protocol::types::Content;
use plainly::{Client, Revision};
use serde_json::json;

#[path = "../../examples/notes.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

async fn connect(revision: Revision) -> Client {
    let (reader, writer) = plainly_peer::served(&example::server().unwrap());
    let client = Client::over(reader, writer).revision(revision);
    client.connect().await.unwrap()
}

async fn call(client: &Client, id: &str) -> (bool, Vec<Content>) {
    let result = client.call_tool("read-note", json!({"id": id})).await;
    let result = result.unwrap();
    (result.is_tool_error(), result.content)
}

#[tokio::test]
async fn the_model_reads_a_note_or_which_there_are() {
    for revision in Revision::ALL {
        let client = connect(revision).await;
        let expected = (false, vec![Content::text("Read tools.md first.")]);
        assert_eq!(call(&client, "welcome").await, expected);
        let hint = r#"No note with id "drafts". Known ids: welcome"#;
        let expected = (true, vec![Content::text(hint)]);
        assert_eq!(call(&client, "drafts").await, expected);
    }
}

#[tokio::test]
async fn the_host_reads_a_note_or_learns_what_is_wrong_by_type() {
    for revision in Revision::ALL {
        let client = connect(revision).await;
        let listed = client.resources(None).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].uri, "note://welcome");

        let read = client.read("note://welcome").await.unwrap();
        assert_eq!(read.contents[0].body.as_bytes(), b"Read tools.md first.");

        let missing = client.read("note://drafts").await.unwrap_err();
        assert!(missing.is_resource_not_found(), "{missing}");

        let invalid = client.read("note://42").await.unwrap_err();
        assert!(invalid.is_invalid_params(), "{invalid}");
        assert!(!invalid.is_resource_not_found(), "{invalid}");
        let why = "Note ids are lowercase letters, got \"42\"";
        assert_eq!(invalid.protocol().unwrap().message(), why);
    }
}
