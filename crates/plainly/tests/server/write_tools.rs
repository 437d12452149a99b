//! The tools that change a store.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod asking;
mod concurrently;
mod memory;

use plainly::protocol::types::{CallToolResult, Content, ListToolsParams};
use plainly::store::Store as _;
use plainly::store::tools::{Confirm, WriteTools};
use plainly::{Client, Server};
use plainly_peer::table::cases;
use serde_json::{Value, json};

use self::memory::Memory;
use crate::calling::{call, text};

fn server(memory: &Memory, confirm: Confirm) -> Server {
    let tools = WriteTools::new(memory.clone())
        .confirm(confirm)
        .max_bytes(1_000);
    Server::builder("notes", "1")
        .tools(tools.build())
        .build()
        .unwrap()
}

async fn connect(memory: &Memory) -> Client {
    let server = server(memory, Confirm::Destructive);
    let (reader, writer) = plainly_peer::served(&server);
    Client::over(reader, writer).connect().await.unwrap()
}

fn output(result: &CallToolResult) -> Value {
    result
        .structured_content
        .as_ref()
        .unwrap()
        .decode()
        .unwrap()
}

#[tokio::test]
async fn each_change_answers_with_the_resource_as_it_is_now() {
    let memory = Memory::with(&[]);
    let client = connect(&memory).await;
    for (tool, arguments, expected, told) in
        cases::<(&str, Value, Value, &str)>(include_str!("write_tools.txt"), "changes")
    {
        let result = call(&client, tool, arguments).await;
        assert_eq!(result.is_error, None, "{tool}: {result:?}");
        assert_eq!(text(&result), told, "{tool}");
        assert_eq!(output(&result), expected, "{tool}");
        let link = result.content.last().unwrap();
        let uri = expected["uri"].as_str().unwrap();
        match (tool, link) {
            ("delete_resource", _) => {}
            (_, Content::ResourceLink(link)) => assert_eq!(link.uri, uri),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_refusal_says_what_to_do_next() {
    let memory = Memory::with(&[
        ("mem:///d/a", "one\ntwo\none\n"),
        ("mem:///d/sealed", "x"),
        ("mem:///d/full/b", "x"),
    ]);
    let client = connect(&memory).await;
    for (tool, arguments, expected) in
        cases::<(&str, Value, &str)>(include_str!("write_tools.txt"), "refusals")
    {
        let result = call(&client, tool, arguments).await;
        assert!(result.is_tool_error(), "{tool}: {result:?}");
        assert_eq!(text(&result), expected, "{tool}");
    }
    assert_eq!(memory.text("mem:///d/a").unwrap(), "one\ntwo\none\n");
    assert_eq!(memory.text("mem:///d/b"), None);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_written_but_not_edited() {
    let memory = Memory::with(&[]);
    let client = connect(&memory).await;
    let uri = "mem:///d/picture";
    let bytes = json!({"uri": uri, "base64": "iVBORwA="});
    let written = call(&client, "write_resource", bytes).await;
    assert_eq!(
        output(&written),
        json!({"uri": uri, "size": 5, "tag": "v1"})
    );
    let edits = json!([{"old": "P", "new": "Q"}]);
    let edited = call(
        &client,
        "edit_resource",
        json!({"uri": uri, "edits": edits}),
    )
    .await;
    assert_eq!(
        text(&edited),
        "mem:///d/picture is not text in UTF-8. To make it UTF-8, write the whole text. In place of a document or picture, write a new resource."
    );
    let written = call(&client, "write_resource", json!({"uri": uri, "text": "P"})).await;
    assert_eq!(
        text(&written),
        "mem:///d/picture is a document, picture or the like, which text would destroy. Write the text as a new resource."
    );
    for other_encoding in ["//5oAA==", "Y2Fm6Q=="] {
        let bytes = json!({"uri": uri, "base64": other_encoding});
        call(&client, "write_resource", bytes).await;
        let more = json!({"uri": uri, "text": "P", "append": true});
        let written = call(&client, "write_resource", more).await;
        assert_eq!(
            text(&written),
            "mem:///d/picture is not text in UTF-8, so none can be appended to it. Write the whole text, which is UTF-8 then, or a new resource."
        );
    }
    let new = json!({"uri": "mem:///d/New.DOCX", "text": "# New"});
    let written = call(&client, "write_resource", new).await;
    assert!(text(&written).starts_with("mem:///d/New.DOCX has the name of a document"));
    assert!(memory.metadata("mem:///d/New.DOCX").await.is_err());
}

#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let memory = Memory::with(&[("mem:///d/a", "one\r\ntwo\r\n")]);
    let client = connect(&memory).await;
    let edits = json!([{"old": "one\ntwo", "new": "1\n2"}]);
    let mut arguments = json!({"uri": "mem:///d/a", "edits": edits, "dry_run": true});
    let dry = call(&client, "edit_resource", arguments.clone()).await;
    assert_eq!(memory.text("mem:///d/a").unwrap(), "one\r\ntwo\r\n");
    arguments["dry_run"] = json!(false);
    let real = call(&client, "edit_resource", arguments).await;
    assert_eq!(memory.text("mem:///d/a").unwrap(), "1\r\n2\r\n");
    let diff = "--- mem:///d/a\n+++ mem:///d/a\n@@ -1,2 +1,2 @@\n-one\n-two\n+1\n+2\n";
    assert_eq!(output(&dry)["diff"], diff);
    assert_eq!(output(&real)["diff"], diff);
    assert_eq!(
        (&output(&dry)["tag"], &output(&real)["tag"]),
        (&json!("v1"), &json!("v2"))
    );
}

#[tokio::test]
async fn a_caller_makes_so_many_changes_a_minute() {
    let memory = Memory::with(&[]);
    let client = connect(&memory).await;
    let more = || json!({"uri": "mem:///d/log", "text": ".", "append": true});
    for _ in 0..1_000 {
        let result = call(&client, "write_resource", more()).await;
        assert_eq!(result.is_error, None, "{result:?}");
    }
    let edits = json!([{"old": "a", "new": "b"}]);
    let trial = json!({"uri": "mem:///d/log", "edits": edits, "dry_run": true});
    for (tool, arguments) in [("write_resource", more()), ("edit_resource", trial)] {
        let refused = call(&client, tool, arguments).await;
        assert!(
            text(&refused).starts_with("Rate limit exceeded for writes."),
            "{refused:?}"
        );
    }
    assert_eq!(memory.text("mem:///d/log").unwrap().len(), 1_000);
}

/// The definitions are short, because hosts put them into the context of their models.
#[tokio::test]
async fn the_definitions_are_short() {
    let client = connect(&Memory::with(&[])).await;
    let tools = client.list_tools(&ListToolsParams::new()).await.unwrap();
    let size = serde_json::to_string(&tools).unwrap().len();
    assert!(size <= 5_000, "{size} bytes");
}
