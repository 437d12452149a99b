//! What a resource that is no collection must not say of itself never leaves the server: that it has no content, or
//! another's.

use plainly::protocol::types::{Resource as Described, ResourceContents};
use plainly::server::{Resource, ServerBuilder};
use plainly::store::{ListQuery, Page, Store, StoreError};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::log::Log;
use crate::sender::{Sender, request};
use crate::stream::Stream;

/// Resources whose contents are those of the URIs after the `=`, `+` between them; `dir:` are collections.
#[derive(Debug)]
struct Said;

fn contents(uri: &str) -> Vec<ResourceContents> {
    let (_, said) = uri.split_once('=').unwrap();
    said.split('+')
        .filter(|of| !of.is_empty())
        .map(|of| {
            let of = if of == "self" { uri } else { of };
            ResourceContents::new(Described::new(of, of).is_collection(false), "x")
        })
        .collect()
}

impl Store for Said {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("dir:") || uri.starts_with("file:") || uri.starts_with("any:")
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Described, StoreError> {
        let described = Described::new(uri, uri);
        Ok(match uri.starts_with("any:") {
            true => described,
            false => described.is_collection(uri.starts_with("dir:")),
        })
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Ok(contents(uri))
    }
}

/// Static resources of these URIs.
fn fixed(builder: ServerBuilder) -> ServerBuilder {
    let uris = [
        "app://=",
        "app://=self",
        "app://=self+self",
        "app://=other",
        "app://=self+other",
    ];
    uris.into_iter().fold(builder, |builder, uri| {
        builder.resource(Resource::new(uri, move || async move { contents(uri) }))
    })
}

#[tokio::test]
async fn what_breaks_the_rules_of_contents_is_an_internal_error() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::build(|builder| fixed(builder).store(Said));
    let rows = [
        ("app://=", Err("no contents")),
        ("app://=self", Ok(1)),
        ("app://=self+self", Ok(2)),
        ("app://=other", Err("other")),
        ("app://=self+other", Err("other")),
        ("file:=", Err("no contents")),
        ("file:=self", Ok(1)),
        ("file:=self+file:else", Err("file:else")),
        ("dir:=", Ok(0)),
        ("dir:=file:a+dir:b", Ok(2)),
        // Whoever doesn't say what it is may be either.
        ("any:=", Ok(0)),
        ("any:=file:a", Ok(1)),
    ];
    for sender in [Sender::Modern, Sender::Legacy("2025-06-18")] {
        let mut stream = Stream::open(&fixture.server, sender).await;
        for (uri, expected) in rows {
            let before = log.text().len();
            let sent = request("1", "resources/read", &format!("\"uri\":{}", json!(uri)));
            let reply: Value = serde_json::from_str(&stream.ask(&sent).await).unwrap();
            let log = log.text().split_off(before);
            match expected {
                Ok(count) => {
                    let contents = reply["result"]["contents"].as_array();
                    assert_eq!(contents.map(Vec::len), Some(count), "{uri}: {reply}");
                }
                Err(why) => {
                    assert_eq!(reply["error"]["code"], -32603, "{uri}: {reply}");
                    assert!(!reply.to_string().contains("other"), "{uri}: {reply}");
                    assert!(log.contains(uri) && log.contains(why), "{uri}: {log}");
                }
            }
        }
    }
}
