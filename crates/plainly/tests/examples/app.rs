//! The example of a page, as hosts of every revision see its declaration.

use plainly::protocol::types::Body;
use plainly::server::App;
use plainly::{Client, Revision, Server, Tool};
use plainly_peer::message;
use serde_json::{Value, json};

#[path = "../../examples/app.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

const PAGE: &str = "ui://forecast/chart";
const MIME_TYPE: &str = "text/html;profile=mcp-app";

#[tokio::test]
async fn a_host_finds_the_page_of_a_tool() {
    let csp = json!({"connectDomains": [], "resourceDomains": []});
    for revision in Revision::ALL {
        let client = Client::in_memory(&example::server().unwrap());
        let client = client.revision(revision).connect().await.unwrap();
        let tool = client.tools().await.unwrap().remove(0);
        let meta = json!(tool.meta);
        assert_eq!(meta["ui"], json!({"resourceUri": PAGE}), "{revision}");
        assert_eq!(meta["ui/resourceUri"], PAGE, "{revision}");

        let listed = client.resources(None).await.unwrap().remove(0);
        assert_eq!(listed.uri, PAGE);
        assert_eq!(listed.mime_type.as_deref(), Some(MIME_TYPE));
        assert_eq!(json!(listed.meta)["ui"]["csp"], csp, "{revision}");

        let content = client.read(PAGE).await.unwrap().contents.remove(0);
        assert_eq!(content.mime_type.as_deref(), Some(MIME_TYPE));
        assert_eq!(json!(content.meta)["ui"]["csp"], csp, "{revision}");
        let html = include_str!("../../examples/app.html");
        assert_eq!(content.body, Body::from(html));
    }
}

/// Checks the page as a client without this library reads it.
#[tokio::test]
async fn the_page_is_on_the_wire_as_the_extension_says() {
    let page = App::new("ui://a", "<!doctype html>")
        .connect_domains(["https://api.example.com"])
        .resource_domains(["https://cdn.example.com"])
        .prefers_border(false);
    let server = Server::builder("test", "1")
        .app(page)
        .app(App::new("ui://b", ""))
        .tool(Tool::new("a", async || "a").app("ui://a"))
        .build()
        .unwrap();
    let ui = json!({
        "csp": {
            "connectDomains": ["https://api.example.com"],
            "resourceDomains": ["https://cdn.example.com"],
        },
        "prefersBorder": false,
    });
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        for mut client in plainly_peer::Client::both(&server, revision, json!({})).await {
            let read = client.ask("resources/read", json!({"uri": "ui://a"})).await;
            let content = &read["result"]["contents"][0];
            assert_eq!(content["mimeType"], MIME_TYPE, "{revision}");
            assert_eq!(content["_meta"]["ui"], ui, "{revision}");
            assert_eq!(content["text"], "<!doctype html>");
            let listed = client.ask("resources/list", json!({})).await;
            assert_eq!(listed["result"]["resources"][0]["_meta"]["ui"], ui);
            let listed = client.ask("tools/list", json!({})).await;
            let expected = json!({"ui": {"resourceUri": "ui://a"}, "ui/resourceUri": "ui://a"});
            assert_eq!(listed["result"]["tools"][0]["_meta"], expected);
            assert_eq!(message::text(&client.call("a").await), "a");
        }
    }
    let client = Client::in_memory(&server).connect().await.unwrap();
    let declared: Option<&Value> = client
        .capabilities()
        .extension("io.modelcontextprotocol/ui");
    assert_eq!(declared, Some(&json!({"mimeTypes": [MIME_TYPE]})));
}

#[test]
fn a_page_that_no_host_would_show_is_a_build_error() {
    let tool = Tool::new("a", async || "a").app("https://example.com/a");
    let error = Server::builder("test", "1").tool(tool).build().unwrap_err();
    let expected = "names the page \"https://example.com/a\": begin its URI with ui://";
    assert!(error.to_string().contains(expected), "{error}");
}
