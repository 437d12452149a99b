//! The extension `dev.plainly/resources`: the metadata that it adds, the choice of formats, and a
//! server without it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::protocol::peer::Peer;
use plainly::protocol::types::{
    Meta, RawJson, Representation, Resource, ResourceContents, ResourceTemplate, ServerCapabilities,
};
use plainly::server::{Source, SourceRequest};
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Client, Failure, Revision, Server};
use serde_json::{Value, json};

const URI: &str = "p://a.html";

/// A page, as HTML and as Markdown.
#[derive(Clone, Debug)]
struct Pages;

impl Store for Pages {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("p://")
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::new(vec![self.metadata(URI).await?], None))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        if uri != URI {
            return Err(StoreError::NotFound);
        }
        let formats = ["text/html", "text/markdown"].map(Representation::new);
        let mut meta = Meta::new();
        Representation::list(&formats, &mut meta);
        let page = Resource::new(URI, "a.html").mime_type("text/html").size(8);
        Ok(page.is_collection(false).meta(meta))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let page = self.metadata(uri).await?;
        let text = page.clone().mime_type("text/markdown");
        Ok(vec![
            ResourceContents::new(page, "<b>a</b>"),
            ResourceContents::new(text, "**a**"),
        ])
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("p://{name}", "page")]
    }
}

fn server(is_extended: bool) -> Server {
    let builder = Server::builder("pages", "1").store(Pages);
    builder.resource_extensions(is_extended).build().unwrap()
}

/// Reads the page with these members of `_meta`, and returns the texts.
async fn texts(client: &mut plainly_peer::Client, meta: Value) -> Vec<String> {
    let mut answer = client
        .ask("resources/read", json!({"uri": URI, "_meta": meta}))
        .await;
    let contents = answer["result"]["contents"].take();
    let contents: Vec<Value> = serde_json::from_value(contents).unwrap();
    let texts = contents.iter().map(|one| one["text"].as_str().unwrap());
    texts.map(str::to_owned).collect()
}

/// Returns the capabilities of a client that supports the extension, as clients of this revision
/// declare them.
fn knowing(revision: Revision) -> Value {
    let is_older = revision.traits().sessions;
    let place = if is_older {
        "experimental"
    } else {
        "extensions"
    };
    json!({place: {"dev.plainly/resources": {}}})
}

#[tokio::test]
async fn each_resource_has_its_capabilities() {
    let own = json!({"list": false, "subscribe": false});
    for revision in Revision::ALL {
        let knowing = knowing(revision);
        for mut client in plainly_peer::Client::both(&server(true), revision, knowing).await {
            let listed = client.ask("resources/list", json!({})).await;
            let listed = &listed["result"]["resources"][0];
            let described = client.ask("resources/metadata", json!({"uri": URI})).await;
            let described = &described["result"]["resource"];
            let read = client.ask("resources/read", json!({"uri": URI})).await;
            for one in [listed, described, &read["result"]["contents"][1]] {
                assert_eq!(one["capabilities"], own, "{revision}: {one}");
                assert_eq!(one["isCollection"], false, "{revision}: {one}");
            }
            let templates = client.ask("resources/templates/list", json!({})).await;
            let template = &templates["result"]["resourceTemplates"][0];
            let any = json!({"list": true, "subscribe": false});
            assert_eq!(template["capabilities"], any, "{revision}: {template}");
        }
    }
}

#[tokio::test]
async fn older_clients_have_what_they_strip_in_meta_too() {
    for revision in Revision::ALL {
        let is_older = revision.traits().sessions;
        let knowing = knowing(revision);
        for mut client in plainly_peer::Client::both(&server(true), revision, knowing).await {
            let listed = client.ask("resources/list", json!({})).await;
            let copy = &listed["result"]["resources"][0]["_meta"]["dev.plainly/resource"];
            let expected = json!({"size": 8, "isCollection": false});
            assert_eq!(
                copy,
                if is_older { &expected } else { &Value::Null },
                "{revision}"
            );
            let read = client.ask("resources/read", json!({"uri": URI})).await;
            let copy = &read["result"]["contents"][1]["_meta"]["dev.plainly/resource"];
            let expected = json!({"name": "a.html", "size": 5, "isCollection": false});
            assert_eq!(
                copy,
                if is_older { &expected } else { &Value::Null },
                "{revision}"
            );
        }
        let client = Client::in_memory(&server(true)).revision(revision);
        let client = client.connect().await.unwrap();
        let read = client.read(URI).await.unwrap();
        let meta = read.contents[0].meta.as_ref().unwrap();
        assert!(meta.get("dev.plainly/resource").is_none(), "{meta:?}");
    }
}

/// A source that forwards everything to another server.
struct Upstream(Client);

impl Source for Upstream {
    fn capabilities(&self, _: &Peer) -> ServerCapabilities {
        self.0.capabilities().clone()
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        let answer = self.0.forward(request.method(), request.params()).await;
        answer.map_err(|error| error.protocol().unwrap().clone().into())
    }
}

/// Builds a server in front of another one, whose client uses this revision.
async fn gateway(server: &Server, revision: Revision) -> Server {
    let upstream = Client::in_memory(server).revision(revision);
    let upstream = Upstream(upstream.connect().await.unwrap());
    let gateway = Server::builder("gateway", "1").source(upstream);
    gateway.build().unwrap()
}

#[tokio::test]
async fn only_clients_that_know_of_formats_get_others_than_the_own() {
    let server = server(true);
    formats_are_for_who_knows(&server).await;
    for revision in [Revision::V2026_07_28, Revision::V2025_06_18] {
        formats_are_for_who_knows(&gateway(&server, revision).await).await;
    }
}

async fn formats_are_for_who_knows(server: &Server) {
    let (html, markdown) = ("<b>a</b>", "**a**");
    let others = json!({"extensions": {"a.b/c": {}}, "experimental": {"d": {}}});
    for revision in Revision::ALL {
        for (declared, all) in [
            (json!({}), &[html][..]),
            (others.clone(), &[html]),
            (knowing(revision), &[html, markdown]),
        ] {
            let clients = plainly_peer::Client::both(server, revision, declared.clone());
            for mut client in clients.await {
                let read = client.ask("resources/read", json!({"uri": URI})).await;
                let meta = &read["result"]["contents"][0]["_meta"];
                let formats = meta["dev.plainly/representations"].as_array();
                assert_eq!(formats.map(Vec::len), Some(2), "{revision} {read}");
                for (accepted, expected) in [
                    (json!(null), all),
                    (json!("text/markdown"), all),
                    (json!(["text/markdown"]), &[markdown]),
                    (json!(["text/HTML"]), &[html]),
                    (json!(["text/html", "text/markdown"]), &[html, markdown]),
                    (json!(["image/png"]), &[html]),
                    (json!([]), &[html]),
                ] {
                    let texts = texts(&mut client, json!({"dev.plainly/accept": accepted})).await;
                    assert_eq!(texts, expected, "{revision} {declared} {accepted}");
                }
            }
        }
        let client = Client::in_memory(server).revision(revision);
        let client = client.connect().await.unwrap();
        let read = client.read(URI).await.unwrap();
        assert_eq!(read.representations().count(), 2, "{revision}");
    }
}

#[tokio::test]
async fn a_server_without_the_extension_adds_nothing() {
    for revision in Revision::ALL {
        for mut client in plainly_peer::Client::both(&server(false), revision, json!({})).await {
            let listed = client.ask("resources/list", json!({})).await;
            let expected = json!({
                "uri": URI, "name": "a.html", "mimeType": "text/html", "size": 8, "isCollection": false
            });
            assert_eq!(
                listed["result"]["resources"],
                json!([expected]),
                "{revision}"
            );
            let accept = json!({"dev.plainly/accept": ["text/markdown"]});
            assert_eq!(texts(&mut client, accept).await, ["<b>a</b>"], "{revision}");
            let part = json!({"uri": "p://a.html#line=0,1"});
            let part = client.ask("resources/read", part).await;
            assert_eq!(part["error"]["code"], -32602, "{revision}");
            let templates = client.ask("resources/templates/list", json!({})).await;
            let expected = json!([{"uriTemplate": "p://{name}", "name": "page"}]);
            assert_eq!(
                templates["result"]["resourceTemplates"], expected,
                "{revision}"
            );
        }
        let client = Client::in_memory(&server(false)).revision(revision);
        let client = client.connect().await.unwrap();
        assert!(
            client
                .capabilities()
                .extension("dev.plainly/resources")
                .is_none()
        );
    }
}
