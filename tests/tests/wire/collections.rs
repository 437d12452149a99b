//! Listing the children of a collection by both methods, for a store's collection and for one with
//! a handler.

use plainly::limits::Limits;
use plainly::protocol::types::{self, ResourceContents};
use plainly::server::{Resource, ServerBuilder};
use plainly_directory::DirectoryStore;
use plainly_peer::table::cases;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::Fixture;
use crate::sender::{Sender, request};
use crate::stream::Stream;

const METHODS: [&str; 2] = ["resources/list", "resources/directory/read"];

/// A directory `docs` of five files, with nested and empty subdirectories.
fn directory() -> (TempDir, DirectoryStore) {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().join("docs");
    for name in ["sub/inner", "empty"] {
        std::fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in ["a.md", "b.md", "c.md", "sub/d.md", "z.md"] {
        std::fs::write(root.join(name), name).unwrap();
    }
    (around, DirectoryStore::new(root).unwrap())
}

/// The collection's own contents, and then seven children, the fourth in two formats.
async fn styles() -> Vec<ResourceContents> {
    let content = |uri: String, mime_type: &str| {
        let described = types::Resource::new(&uri, &uri).is_collection(false);
        ResourceContents::new(described.mime_type(mime_type), "x")
    };
    let mut contents = vec![content("style://".to_owned(), "text/plain")];
    contents.extend((0..7).map(|number| content(format!("style://{number}"), "text/css")));
    contents.insert(5, content("style://3".to_owned(), "text/plain"));
    contents
}

fn with_collections(builder: ServerBuilder) -> ServerBuilder {
    builder
        .resource(
            Resource::new("style://", styles)
                .name("styles")
                .collection(),
        )
        .resource(
            Resource::new("none://", || async { Vec::<ResourceContents>::new() }).collection(),
        )
        .resource(Resource::new("style://3", || async { "x" }))
}

fn fixture(store: DirectoryStore) -> Fixture {
    let mut limits = Limits::default();
    limits.page_entries = 3;
    Fixture::build(|builder| with_collections(builder.limits(limits)).store(store))
}

async fn ask(stream: &mut Stream, method: &str, params: Value) -> Value {
    let params = params.to_string();
    let members = &params[1..params.len() - 1];
    let reply = stream.ask(&request("1", method, members)).await;
    serde_json::from_str(&reply).unwrap()
}

/// Returns all children, and checks that no page has more than three.
async fn children(stream: &mut Stream, method: &str, uri: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut params = json!({"uri": uri});
    loop {
        let reply = ask(stream, method, params.clone()).await;
        let page = reply["result"]["resources"].as_array();
        let page = page.unwrap_or_else(|| panic!("{method} {uri}: {reply}"));
        assert!(page.len() <= 3, "{reply}");
        all.extend(page.iter().cloned());
        let cursor = &reply["result"]["nextCursor"];
        if cursor.is_null() {
            return all;
        }
        params["cursor"] = cursor.clone();
    }
}

#[tokio::test]
async fn both_methods_list_the_same_children() {
    let (_around, store) = directory();
    let fixture = fixture(store);
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        for (uri, expected) in [
            ("file:///docs", "a.md b.md c.md empty sub z.md"),
            ("file:///docs/sub", "d.md inner"),
            ("file:///docs/empty", ""),
            ("style://", "0 1 2 3 4 5 6"),
            ("none://", ""),
        ] {
            for method in METHODS {
                let children = children(&mut stream, method, uri).await;
                let last = |child: &Value| {
                    let uri = child["uri"].as_str().unwrap();
                    uri.rsplit('/').next().unwrap().to_owned()
                };
                let names: Vec<String> = children.iter().map(last).collect();
                assert_eq!(names.join(" "), expected, "{method} {uri}");
                for child in &children {
                    assert!(child["isCollection"].is_boolean(), "{child}");
                    assert!(
                        child["name"].is_string() && child["mimeType"].is_string(),
                        "{child}"
                    );
                    let is_directory = child["mimeType"] == "inode/directory";
                    assert_eq!(child["isCollection"], is_directory, "{child}");
                    assert_eq!(child.get("text"), None);
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_collection_has_no_children() {
    let (_around, store) = directory();
    let fixture = fixture(store);
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for method in METHODS {
        for (uri, data) in cases::<(&str, Value)>(include_str!("collections.txt"), "no collections")
        {
            let reply = ask(&mut stream, method, json!({"uri": uri})).await;
            assert_eq!(reply["error"]["code"], -32602, "{method} {uri}: {reply}");
            assert_eq!(reply["error"]["data"], data, "{method} {uri}");
        }
    }
    let reply = ask(&mut stream, METHODS[1], json!({})).await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
}

#[tokio::test]
async fn a_collection_with_a_handler_says_so_everywhere() {
    let (_around, store) = directory();
    let fixture = fixture(store);
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let metadata = ask(
        &mut stream,
        "resources/metadata",
        json!({"uri": "style://"}),
    )
    .await;
    let expected = json!({
        "uri": "style://", "name": "styles", "mimeType": "inode/directory", "isCollection": true,
        "capabilities": {"list": true, "subscribe": false}
    });
    assert_eq!(metadata["result"]["resource"], expected);
    let read = ask(&mut stream, "resources/read", json!({"uri": "style://"})).await;
    let contents = read["result"]["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 9);
    let read = ask(&mut stream, "resources/read", json!({"uri": "none://"})).await;
    assert_eq!(read["result"]["contents"], json!([]));
}
