//! The results of handlers and stores with little metadata, or with wrong metadata.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use plainly::errors::{Dialect, Revision};
use plainly::limits::Limits;
use plainly::protocol::types::{self, Representation, ResourceContents};
use plainly::server::ServerBuilder;
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Blob, Client, ProtocolError, Resource, Server, Text};
use serde_json::{Value, json};

async fn connect(builder: ServerBuilder, revision: Revision) -> Client {
    let server = builder.build().unwrap();
    let (reader, writer) = plainly_peer::served(&server);
    Client::over(reader, writer)
        .revision(revision)
        .connect()
        .await
        .unwrap()
}

async fn style() -> Vec<Text> {
    vec![
        Text::new("a { color: red }", "text/css"),
        Text::markdown("Links are **red**."),
    ]
}

#[tokio::test]
async fn several_texts_are_the_formats_of_a_resource_and_each_says_so() {
    for revision in Revision::ALL {
        let style = Resource::new("style://links", style).name("links");
        let client = connect(Server::builder("styles", "1").resource(style), revision).await;
        let read = client.read("style://links").await.unwrap();
        assert_eq!(read.text(), Some("a { color: red }"), "{revision}");
        let markdown = read.representation("text/markdown").unwrap();
        assert_eq!(markdown.body.as_text(), Some("Links are **red**."));
        assert_eq!(read.children().count(), 0);
        let formats = [
            Representation::new("text/css").size(16),
            Representation::new("text/markdown").size(18),
        ];
        for content in read.representations() {
            assert_eq!(content.name.as_deref(), Some("links"));
            let meta = content.meta.as_ref().unwrap();
            assert_eq!(Representation::listed(meta), formats);
        }
    }
}

/// Returns two formats of one resource with impossible sizes and names.
async fn careless() -> Vec<ResourceContents> {
    let content = |name: &str, size, text: &str| {
        let resource = types::Resource::new("style://links", name).size(size);
        ResourceContents::new(resource.mime_type(format!("text/{name}")), text)
    };
    vec![content("a", 5, "three"), content("b", 999, "four")]
}

#[tokio::test]
async fn formats_have_the_size_of_their_own_and_one_name() {
    let style = Resource::new("style://links", careless).formats(["text/a", "text/b"]);
    let builder = Server::builder("styles", "1").resource(style);
    let client = connect(builder, Revision::LATEST).await;
    let metadata = client.metadata("style://links").await.unwrap().resource;
    assert_eq!(metadata.mime_type.as_deref(), Some("text/a"));
    let listed = Representation::listed(metadata.meta.as_ref().unwrap());
    let promised = ["text/a", "text/b"].map(Representation::new);
    assert_eq!(listed, promised);
    let read = client.read("style://links").await.unwrap();
    let told = read.contents.iter();
    let told: Vec<_> = told.map(|it| (it.name.as_deref(), it.size)).collect();
    assert_eq!(told, [(Some("a"), Some(5)), (Some("a"), Some(4))]);
    let there = Representation::listed(read.contents[0].meta.as_ref().unwrap());
    let there: Vec<_> = there.iter().map(|format| format.size).collect();
    assert_eq!(there, [Some(5), Some(4)]);
}

#[tokio::test]
async fn contents_arrive_as_they_are_however_large_and_wherever_they_stand() {
    let large = "A \"line\" of C:\\files\n".repeat(5_000);
    let small = String::from("Links are **red**.");
    for texts in [
        [large.clone(), small.clone()],
        [small, large.clone()],
        [large.clone(), large.clone() + "more"],
    ] {
        let [css, markdown] = texts.clone();
        let both = move || {
            let both = vec![
                Text::new(css.clone(), "text/css"),
                Text::markdown(markdown.clone()),
            ];
            async move { both }
        };
        let style = Resource::new("style://links", both);
        let client = connect(
            Server::builder("styles", "1").resource(style),
            Revision::LATEST,
        );
        let read = client.await.read("style://links").await.unwrap();
        let bodies = read.representations().map(|content| content.body.as_text());
        assert!(bodies.eq(texts.iter().map(|text| Some(text.as_str()))));
    }
    let bytes = large.into_bytes();
    let blob = bytes.clone();
    let blob = move || {
        let blob = Blob::new(blob.clone(), "image/png");
        async move { blob }
    };
    let image = Resource::new("image://links", blob);
    let client = connect(
        Server::builder("images", "1").resource(image),
        Revision::LATEST,
    );
    let read = client.await.read("image://links").await.unwrap();
    let bodies = read
        .representations()
        .map(|content| content.body.as_bytes());
    assert!(bodies.eq([&bytes[..]]));
}

/// A store in which each page leads back to itself.
#[derive(Debug)]
struct Circle;

impl Store for Circle {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("circle:")
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        let around = types::Resource::new("circle:1", "1").is_collection(false);
        Ok(Page::new(vec![around], Some("circle:1".to_owned())))
    }

    async fn metadata(&self, _: &str) -> Result<types::Resource, StoreError> {
        Err(StoreError::NotFound)
    }

    async fn read(&self, _: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Err(StoreError::NotFound)
    }
}

#[tokio::test]
async fn a_listing_that_leads_back_to_itself_is_an_error() {
    let mut limits = Limits::default();
    limits.page_entries = 1;
    let builder = Server::builder("circles", "1")
        .limits(limits)
        .store(Arc::new(Circle));
    let client = connect(builder, Revision::LATEST).await;
    let error = client.resources(None).await.unwrap_err();
    assert!(error.is_internal(), "{error}");
}

#[tokio::test]
async fn a_page_has_at_least_one_entry() {
    let mut limits = Limits::default();
    limits.page_entries = 0;
    let builder = Server::builder("styles", "1").limits(limits);
    let builder = builder
        .resource(Resource::new("style://a", style))
        .resource(Resource::new("style://b", style));
    let client = connect(builder, Revision::LATEST).await;
    assert_eq!(client.resources(None).await.unwrap().len(), 2);
}

fn wire(error: &ProtocolError, revision: Revision) -> Value {
    json!(Dialect::default().encode(error, revision))
}

#[test]
fn what_a_store_fails_with_is_written_the_same_on_every_revision() {
    let uri = "note://home/garden";
    let refused = |message: &str, data| json!({ "code": -32602, "message": message, "data": data });
    let failures = [
        (
            StoreError::NotFound,
            refused(
                "Resource not found: note://home/garden",
                json!({ "uri": uri }),
            ),
        ),
        (
            StoreError::InvalidUri {
                why: "a note has no extension".into(),
            },
            refused(
                "Invalid URI: note://home/garden: a note has no extension",
                json!({
                    "kind": "invalid_uri",
                    "uri": uri,
                }),
            ),
        ),
        (
            StoreError::NotACollection,
            refused(
                "Not a collection: note://home/garden",
                json!({ "kind": "not_a_collection", "uri": uri }),
            ),
        ),
        (
            StoreError::InvalidCursor,
            refused(
                "Invalid cursor: start again without one",
                json!({ "kind": "invalid_cursor" }),
            ),
        ),
        (
            StoreError::TooLarge {
                size: 2048,
                limit: 1024,
            },
            refused(
                "Resource too large: note://home/garden has 2048 bytes, the limit is 1024",
                json!({ "kind": "resource_too_large", "uri": uri, "size": 2048, "limit": 1024 }),
            ),
        ),
        (
            StoreError::Failed("/srv/notes.db: disk on fire".into()),
            json!({ "code": -32603, "message": "The resource could not be read" }),
        ),
    ];
    for (failure, expected) in failures {
        let error = failure.into_protocol_error(uri);
        for revision in Revision::ALL {
            assert_eq!(wire(&error, revision), expected, "{revision}");
        }
    }
}

#[tokio::test]
async fn contents_that_break_the_rules_are_not_sent() {
    let content = |uri: &str| ResourceContents::new(types::Resource::new(uri, "a"), "a");
    let broken = [
        vec![],
        vec![content("note://b")],
        vec![content("note://a"), content("note://a")],
    ];
    for contents in broken {
        let read = move || {
            let contents = contents.clone();
            async move { contents }
        };
        let builder = Server::builder("notes", "1").resource(Resource::new("note://a", read));
        let client = connect(builder, Revision::LATEST).await;
        let error = client.read("note://a").await.unwrap_err();
        let expected = json!({ "code": -32603, "message": "The resource could not be read" });
        let error = error.protocol().unwrap();
        assert_eq!(wire(error, Revision::LATEST), expected);
    }
}
