//! The example of a store written by hand, as clients of every revision see it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::limits::Limits;
use plainly::protocol::types::Content;
use plainly::store::check;
use plainly::{Client, Revision, Server};
use serde_json::json;

#[path = "../../examples/tree.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

async fn connect(server: &Server, revision: Revision) -> Client {
    let (reader, writer) = plainly_peer::served(server);
    let client = Client::over(reader, writer).revision(revision);
    client.connect().await.unwrap()
}

async fn listed(client: &Client, parent: Option<&str>) -> Vec<String> {
    let resources = client.resources(parent).await.unwrap();
    resources.into_iter().map(|resource| resource.uri).collect()
}

#[tokio::test]
async fn it_keeps_the_rules_of_stores() {
    let report = check(&example::tree()).await;
    assert!(report.is_ok(), "{report}");
}

#[tokio::test]
async fn everything_is_listed_whatever_fits_on_a_page() {
    for page_entries in 1..=7 {
        let mut limits = Limits::default();
        limits.page_entries = page_entries;
        let server = Server::builder("tree", "1.0.0").limits(limits);
        let server = server.store(example::tree()).build().unwrap();
        let client = connect(&server, Revision::LATEST).await;
        assert_eq!(
            listed(&client, None).await,
            [
                "note://home",
                "note://home/garden",
                "note://home/recipes",
                "note://home/recipes/bread",
                "note://office",
                "note://office/drafts",
            ]
        );
        let expected = ["note://home/garden", "note://home/recipes"];
        assert_eq!(listed(&client, Some("note://home")).await, expected);
    }
}

#[tokio::test]
async fn a_note_is_read_and_a_folder_gives_its_notes() {
    let server = example::server().unwrap();
    for revision in Revision::ALL {
        let client = connect(&server, revision).await;
        let note = client.read("note://home/garden").await.unwrap();
        let primary = note.primary().unwrap();
        assert_eq!(primary.body.as_text(), Some("Water the tomatoes."));
        assert_eq!(primary.name.as_deref(), Some("garden"));
        assert_eq!(note.children().count(), 0);

        let folder = client.read("note://home").await.unwrap();
        assert!(folder.primary().is_none());
        let children: Vec<_> = folder.children().map(|child| &*child.uri).collect();
        assert_eq!(children, ["note://home/garden"]);

        let metadata = client.metadata("note://home").await.unwrap();
        assert_eq!(metadata.resource.is_collection, Some(true));
    }
}

#[tokio::test]
async fn what_is_not_there_and_what_is_no_folder_are_told_apart() {
    let server = example::server().unwrap();
    for revision in Revision::ALL {
        let client = connect(&server, revision).await;
        for missing in ["note://hom", "note://home/", "note://", "other://home"] {
            let error = client.read(missing).await.unwrap_err();
            assert!(error.is_resource_not_found(), "{missing}: {error}");
            let error = client.resources(Some(missing)).await.unwrap_err();
            assert!(error.is_resource_not_found(), "{missing}: {error}");
        }
        let error = client.resources(Some("note://home/garden")).await;
        let error = error.unwrap_err();
        assert!(error.is_invalid_params(), "{error}");
        assert!(!error.is_resource_not_found(), "{error}");
    }
}

#[tokio::test]
async fn the_model_reads_it_by_tools() {
    let client = connect(&example::server().unwrap(), Revision::LATEST).await;
    let drawn = client.call_tool("tree", json!({})).await.unwrap();
    assert_eq!(
        drawn.content,
        [Content::text(
            "note://home/\n  garden\n  recipes/\n    bread\nnote://office/\n  drafts"
        )]
    );
}
