//! The example of the weather, as clients of every revision see it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::protocol::shape::Feature;
use plainly::protocol::types::CallToolResult;
use plainly::{Client, Revision};
use serde_json::{Value, json};

#[path = "../../examples/weather.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

async fn connect(revision: Revision) -> Client {
    let client = Client::in_memory(&example::server().unwrap());
    client.revision(revision).connect().await.unwrap()
}

async fn call(client: &Client, arguments: Value) -> CallToolResult {
    client.call_tool("weather", arguments).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().unwrap()
}

fn structured(result: &CallToolResult) -> Option<Value> {
    let structured = result.structured_content.as_ref()?;
    Some(structured.decode().unwrap())
}

#[tokio::test]
async fn the_model_reads_what_the_host_reads_as_fields() {
    let expected = json!({
        "place": "Perth", "day": 1, "temperature": 30.5, "unit": "celsius", "sky": "clear",
    });
    for revision in Revision::ALL {
        let client = connect(revision).await;
        let result = call(&client, json!({"place": "Perth", "day": 1})).await;
        assert!(!result.is_tool_error());
        let found = serde_json::from_str::<Value>(text(&result)).unwrap();
        assert_eq!(found, expected);
        let has_fields = Feature::StructuredContent.is_in(revision);
        assert_eq!(structured(&result), has_fields.then(|| expected.clone()));

        let tool = client.tools().await.unwrap().remove(0);
        assert_eq!(tool.output_schema.is_some(), has_fields);
    }
}

#[tokio::test]
async fn a_place_that_is_unknown_comes_with_those_that_are_known() {
    for revision in Revision::ALL {
        let client = connect(revision).await;
        let result = call(&client, json!({"place": "Atlantis"})).await;
        assert!(result.is_tool_error());
        let expected = "Known places: Lima, Oslo, Perth";
        assert!(text(&result).contains(expected), "{}", text(&result));
    }
}

#[tokio::test]
async fn each_argument_that_is_wrong_is_named() {
    for revision in Revision::ALL {
        let client = connect(revision).await;
        let result = call(&client, json!({"place": 7, "day": 9, "unit": "kelvin"})).await;
        assert!(result.is_tool_error());
        for named in ["place", "day", "unit"] {
            assert!(text(&result).contains(named), "{named}: {}", text(&result));
        }
    }
}
