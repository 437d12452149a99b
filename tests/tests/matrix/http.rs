//! HTTP beyond the cells: the older transport, and arguments that are repeated in headers.

use plainly::client::Client;
use plainly::errors::{Era, Revision};
use plainly::protocol::types::Content;
use plainly::server::extract::Args;
use plainly::server::{Server, Tool};
use plainly::transport::http::HttpServer;
use serde_json::{Map, Value, json};

use crate::server::{World, builder};

async fn connect(server: &Server, revision: Revision, path: &str) -> Client {
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}{path}", listener.local_addr());
    let service = server.http().sse_endpoint("/sse");
    tokio::spawn(listener.serve(service, std::future::pending()));
    let builder = Client::http(url).revision(revision);
    builder.connect().await.unwrap()
}

#[tokio::test]
async fn every_revision_with_a_handshake_works_over_http_with_sse() {
    let server = builder(&World::new()).build().unwrap();
    let all = Revision::ALL.into_iter();
    for revision in all.filter(|revision| revision.era() == Era::Legacy) {
        let client = connect(&server, revision, "/sse").await;
        assert_eq!(client.revision(), revision);
        client.ping().await.unwrap();
        let called = client.call_tool("greet", json!({"name": "Ada"})).await;
        assert!(!called.unwrap().is_tool_error());
        let read = client.read("app://motd").await.unwrap();
        assert_eq!(read.contents[0].body.as_bytes(), b"Be kind.");
        let missing = client.read("app://nope").await.unwrap_err();
        assert!(missing.is_resource_not_found());
        client.close().await;
        assert!(client.ping().await.unwrap_err().is_closed());
    }
}

#[tokio::test]
async fn arguments_that_a_router_sees_reach_the_tool() {
    let schema = r#"{"type":"object","properties":{
        "text":{"type":["string"],"description":"not mirrored"},
        "region":{"type":"string","x-mcp-header":"Region"},
        "limit":{"type":"integer","x-mcp-header":"Limit"},
        "options":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry-Run"}}}}}"#;
    let echo = |Args(all): Args<Map<String, Value>>| async { Value::Object(all).to_string() };
    let tool = Tool::new("query", echo).input_schema(schema);
    let server = Server::builder("test", "1").tool(tool).build().unwrap();
    let cases = [
        json!({"text": "ä", "region": "eu", "limit": 7, "options": {"dry": false}}),
        json!({"region": "Größe \r\n ", "limit": -9_007_199_254_740_991_i64}),
        json!({"region": "", "limit": 42.0, "options": {}}),
        json!({"region": "=?base64?SGk=?=", "options": {"dry": true}}),
        json!({"text": "alone"}),
    ];
    for revision in Revision::ALL {
        for is_listed in [false, true] {
            for arguments in &cases {
                let client = connect(&server, revision, "/mcp").await;
                if is_listed {
                    assert_eq!(client.tools().await.unwrap().len(), 1);
                }
                let called = client.call_tool("query", arguments).await.unwrap();
                assert!(!called.is_tool_error(), "{arguments}");
                let Content::Text(said) = &called.content[0] else {
                    panic!("no text");
                };
                let said: Value = serde_json::from_str(&said.text).unwrap();
                assert_eq!(&said, arguments);
            }
        }
    }
}
