//! Arguments that a client repeats in headers, as the tool's listing requires. If the server misses
//! a header, the client lists the tools and calls once more.

use super::cases;
use plainly::client::Client;
use plainly::protocol::types::ListToolsParams;
use plainly_peer::{AnsweredRequest, Host};
use serde_json::{Value, json};

use super::server;

/// Returns a tool whose arguments are repeated in headers.
fn tool(header: &str) -> Value {
    let options = json!({"type": "object", "properties": {
        "depth": {"type": "integer", "x-mcp-header": "Depth"},
    }});
    json!({"name": "query", "inputSchema": {"type": "object", "properties": {
        "text": {"type": "string", "x-mcp-header": header},
        "dry": {"type": "boolean", "x-mcp-header": "Dry-Run"},
        "options": options,
        "ratio": {"type": "number"},
        "plain": {"type": "string"},
    }}})
}

async fn list(client: &Client, server: &Host, tools: Value) -> Vec<String> {
    let (listed, ()) = tokio::join!(client.tools(), answer_listing(server, tools));
    let names = listed
        .expect("the listing")
        .into_iter()
        .map(|tool| tool.name);
    names.collect()
}

async fn answer_listing(server: &Host, tools: Value) {
    server
        .answer_with("tools/list", json!({"tools": tools}))
        .await;
}

/// Returns the headers that repeat arguments, by the rest of their names.
fn mirrored(call: &AnsweredRequest) -> Value {
    let headers = call.headers.iter();
    headers
        .filter_map(|(name, value)| Some((name.strip_prefix("mcp-param-")?, value.as_str())))
        .map(|(name, value)| (name.to_owned(), Value::from(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Answers that headers are missing or contradict the arguments.
async fn refuse(call: AnsweredRequest) {
    let error = json!({"code": -32020, "message": "Header mismatch"});
    call.error("400 Bad Request", error).await;
}

async fn accept(call: AnsweredRequest) {
    call.result(json!({"content": []})).await;
}

#[tokio::test]
async fn headers_say_what_the_annotated_arguments_say() {
    let (client, server) = server::modern().await;
    let found = list(&client, &server, json!([tool("Text")])).await;
    assert_eq!(found, ["query"]);
    let cases = cases::<(Value, Value)>("headers of arguments");
    for (arguments, headers) in cases {
        let (done, ()) = tokio::join!(client.call_tool("query", arguments.clone()), async {
            let call = server.request("tools/call").await;
            assert_eq!(mirrored(&call), headers, "{arguments}");
            if !arguments.is_null() {
                assert_eq!(call.body["params"]["arguments"], arguments);
            }
            accept(call).await;
        });
        done.unwrap();
    }
}

#[tokio::test]
async fn a_tool_that_was_not_listed_is_called_without() {
    let (client, server) = server::modern().await;
    list(&client, &server, json!([tool("Text")])).await;
    let (done, ()) = tokio::join!(client.call_tool("other", json!({"text": "a"})), async {
        let call = server.request("tools/call").await;
        assert_eq!(mirrored(&call), json!({}));
        accept(call).await;
    });
    done.unwrap();
}

#[tokio::test]
async fn a_tool_is_repeated_as_it_was_listed_last() {
    let (client, server) = server::modern().await;
    let plain = json!({"name": "query", "inputSchema": {"type": "object"}});
    for (tool, headers) in [
        (tool("One"), json!({"one": "a"})),
        (tool("Two"), json!({"two": "a"})),
        (plain, json!({})),
    ] {
        list(&client, &server, json!([tool])).await;
        let (done, ()) = tokio::join!(client.call_tool("query", json!({"text": "a"})), async {
            let call = server.request("tools/call").await;
            assert_eq!(mirrored(&call), headers);
            accept(call).await;
        });
        done.unwrap();
    }
}

#[tokio::test]
async fn a_call_that_misses_headers_is_made_again_once_the_tools_are_listed() {
    let (client, server) = server::modern().await;
    let (done, ()) = tokio::join!(client.call_tool("query", json!({"text": "a"})), async {
        let call = server.request("tools/call").await;
        assert_eq!(mirrored(&call), json!({}));
        refuse(call).await;
        let request = server.request("tools/list").await;
        let page = json!({"tools": [], "nextCursor": "more"});
        request.result(page).await;
        let request = server.request("tools/list").await;
        assert_eq!(request.body["params"]["cursor"], "more");
        request.result(json!({"tools": [tool("Text")]})).await;
        let call = server.request("tools/call").await;
        assert_eq!(mirrored(&call), json!({"text": "a"}));
        accept(call).await;
    });
    done.unwrap();
}

#[tokio::test]
async fn a_call_that_is_refused_for_its_headers_again_fails() {
    let (client, server) = server::modern().await;
    let (done, server) = tokio::join!(client.call_tool("query", json!({"text": "a"})), async {
        refuse(server.request("tools/call").await).await;
        answer_listing(&server, json!([tool("Text")])).await;
        refuse(server.request("tools/call").await).await;
        server
    });
    assert_eq!(
        done.unwrap_err().to_string(),
        "Header mismatch (HeaderMismatch -32020)"
    );
    // The client sends no further call: the next request is this listing.
    list(&client, &server, json!([])).await;
}

#[tokio::test]
async fn where_the_tools_can_not_be_listed_the_refusal_is_told() {
    let (client, server) = server::modern().await;
    let (done, ()) = tokio::join!(client.call_tool("query", json!({"text": "a"})), async {
        refuse(server.request("tools/call").await).await;
        let request = server.request("tools/list").await;
        let error = json!({"code": -32603, "message": "broken"});
        request.error("500 Internal Server Error", error).await;
    });
    assert_eq!(
        done.unwrap_err().to_string(),
        "Header mismatch (HeaderMismatch -32020)"
    );
}

#[tokio::test]
async fn what_is_no_call_of_a_tool_is_not_made_again() {
    let (client, server) = server::modern().await;
    let (done, ()) = tokio::join!(client.prompt("p", ()), async {
        refuse(server.request("prompts/get").await).await;
    });
    assert_eq!(
        done.unwrap_err().to_string(),
        "Header mismatch (HeaderMismatch -32020)"
    );
}

#[tokio::test]
async fn tools_with_invalid_annotations_are_left_out() {
    let (client, server) = server::modern().await;
    let with = |name: &str, properties: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    let of = |kind: &str, header: &str| json!({"type": kind, "x-mcp-header": header});
    let tools = json!([
        with("empty", json!({"a": of("string", "")})),
        with("object", json!({"a": of("object", "A")})),
        with("array", json!({"a": of("array", "A")})),
        with("null", json!({"a": of("null", "A")})),
        with("number", json!({"a": of("number", "A")})),
        with(
            "same",
            json!({"a": of("string", "A"), "b": of("string", "A")})
        ),
        with(
            "case",
            json!({"a": of("string", "A"), "b": of("string", "a")})
        ),
        with("space", json!({"a": of("string", "A B")})),
        with("colon", json!({"a": of("string", "A:B")})),
        with("foreign", json!({"a": of("string", "Ä")})),
        with("control", json!({"a": of("string", "A\u{1}")})),
        with(
            "item",
            json!({"a": {"type": "array", "items": of("string", "A")}})
        ),
        with("valid", json!({"a": of("string", "A")})),
        with("plain", json!({"a": {"type": "string"}})),
    ]);
    let expected = ["valid", "plain"];
    assert_eq!(list(&client, &server, tools.clone()).await, expected);
    let params = ListToolsParams::new();
    let (page, ()) = tokio::join!(client.list_tools(&params), answer_listing(&server, tools));
    assert_eq!(page.unwrap().tools.len(), 2);
}

#[tokio::test]
async fn a_legacy_server_has_no_such_headers() {
    let (client, server) = server::legacy(None).await;
    let invalid = json!({"name": "bad", "inputSchema": {"type": "object", "x-mcp-header": "A"}});
    let names = list(&client, &server, json!([tool("Text"), invalid])).await;
    assert_eq!(names, ["query", "bad"]);
    let (done, ()) = tokio::join!(client.call_tool("query", json!({"text": "a"})), async {
        let call = server.request("tools/call").await;
        assert_eq!(mirrored(&call), json!({}));
        refuse(call).await;
    });
    assert!(done.is_err());
}
