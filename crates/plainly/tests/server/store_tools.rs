//! The tools over a store that is no directory: it has URIs of its own, and no collection that
//! contains everything.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io;

use plainly::protocol::types::{Content, Resource, ResourceContents};
use plainly::store::tools::StoreTools;
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Client, Server};
use plainly_peer::table::cases;
use serde_json::{Value, json};

use crate::calling::{call, text};

/// A store of numbered notes in one notebook.
#[derive(Debug)]
struct Notebook;

const NOTES: [(&str, &str); 3] = [
    ("note://book/1", "one"),
    ("note://book/2", "two"),
    ("note://book/12", "twelve"),
];

fn note((uri, text): (&str, &str)) -> Resource {
    Resource::new(uri, uri.rsplit('/').next().unwrap())
        .size(text.len() as u64)
        .is_collection(false)
}

/// Returns a resource with the largest possible size, as of a sparse file.
fn vast() -> Resource {
    Resource::new("note://vast/1", "1")
        .size(u64::MAX)
        .is_collection(false)
}

fn book() -> Resource {
    Resource::new("note://book", "book").is_collection(true)
}

impl Store for Notebook {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("note://")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let notes = NOTES.into_iter().map(note);
        let all: Vec<Resource> = match query.parent {
            None => std::iter::once(book()).chain(notes).collect(),
            Some("note://book") => notes.collect(),
            Some("note://vast") => vec![vast(), vast()],
            Some(uri) if uri.ends_with("/1") => return Err(StoreError::NotACollection),
            Some(_) => return Err(StoreError::NotFound),
        };
        let start = match query.after {
            None => 0,
            Some(after) => {
                1 + all
                    .iter()
                    .position(|one| one.uri == after)
                    .ok_or(StoreError::InvalidCursor)?
            }
        };
        let end = all.len().min(start + query.limit);
        let next = (end < all.len()).then(|| all[end - 1].uri.clone());
        Ok(Page::new(all[start..end].to_vec(), next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        if uri == "note://book" {
            return Ok(book());
        }
        if uri.ends_with("broken") {
            return Err(StoreError::Failed(
                io::Error::other("the-secret-of-the-disk").into(),
            ));
        }
        let found = NOTES.into_iter().find(|(known, _)| *known == uri);
        found.map(note).ok_or(StoreError::NotFound)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let resource = self.metadata(uri).await?;
        let (_, text) = NOTES.into_iter().find(|(known, _)| *known == uri).unwrap();
        let picture = ResourceContents::new(resource.clone(), vec![0]);
        Ok(vec![picture, ResourceContents::new(resource, text)])
    }
}

async fn connect(tools: StoreTools<Notebook>) -> Client {
    let server = Server::builder("notes", "1")
        .tools(tools.build())
        .build()
        .unwrap();
    let (reader, writer) = plainly_peer::served(&server);
    Client::over(reader, writer).connect().await.unwrap()
}

#[tokio::test]
async fn a_store_without_roots_is_listed_and_drawn_whole() {
    let client = connect(StoreTools::new(Notebook)).await;
    let listed = call(&client, "list_resources", json!({"limit": 2})).await;
    let all = "URIs begin with note://\nbook  (directory)\nbook/1  (3 bytes)\n1 directory, 1 file, 3 bytes\nThere is more: call again with after=note://book/1";
    assert_eq!(text(&listed), all);
    let tree = call(&client, "tree", json!({})).await;
    let expected = "note://book/\nnote://book/1\nnote://book/2\nnote://book/12";
    assert_eq!(text(&tree), expected);
    let below = call(
        &client,
        "tree",
        json!({"uri": "note://book", "exclude": ["1*"]}),
    )
    .await;
    assert_eq!(text(&below), "note://book/\n  2");
}

#[tokio::test]
async fn roots_are_where_a_tree_begins() {
    let client = connect(StoreTools::new(Notebook).roots(["note://book"])).await;
    let listed = call(&client, "list_resources", json!({})).await;
    let expected = "URIs begin with note://\nbook  (directory)\n1 directory, 0 files, 0 bytes";
    assert_eq!(text(&listed), expected);
    let tree = call(&client, "tree", json!({})).await;
    assert_eq!(text(&tree), "note://book/\n  1\n  2\n  12");
}

#[tokio::test]
async fn a_root_that_can_not_be_shown_does_not_hide_the_others() {
    let roots = [
        "note://broken",
        "note://book",
        "note://vast",
        "note://book/1",
    ];
    let client = connect(StoreTools::new(Notebook).roots(roots)).await;
    let tree = call(&client, "tree", json!({"depth": 1})).await;
    let lines: Vec<&str> = text(&tree).lines().collect();
    let broken = "note://broken: The resource could not be read.";
    assert_eq!(lines[0], broken);
    assert_eq!(lines[1..5], ["note://book/", "  1", "  2", "  12"]);
    assert!(
        lines[5].starts_with("note://vast: The resource 'note://vast'"),
        "{}",
        lines[5]
    );
    assert_eq!(lines[6], "note://book/1");
    let shown: Value = tree.structured_content.unwrap().decode().unwrap();
    let errors = shown["entries"].as_array().unwrap().iter();
    let errors: Vec<bool> = errors.map(|entry| entry["error"].is_string()).collect();
    assert_eq!(errors, [true, false, false, false, false, true, false]);

    let client = connect(StoreTools::new(Notebook).roots(["note://broken", "note://none"])).await;
    let tree = call(&client, "tree", json!({})).await;
    assert_eq!(tree.is_error, Some(true));
    let told = text(&tree);
    assert!(
        told.contains("could not be read") && told.contains("note://none"),
        "{told}"
    );
}

#[tokio::test]
async fn of_several_representations_the_text_is_read() {
    let client = connect(StoreTools::new(Notebook)).await;
    let read = call(&client, "read_resource", json!({"uri": "note://book/2"})).await;
    assert_eq!(read.content, [Content::text("two")]);
}

#[tokio::test]
async fn refusals_say_what_to_try_and_nothing_of_the_inside() {
    let client = connect(StoreTools::new(Notebook)).await;
    for (tool, uri, expected) in
        cases::<(&str, &str, &str)>(include_str!("store_tools.txt"), "refusals")
    {
        let failed = call(&client, tool, json!({"uri": uri})).await;
        assert!(failed.is_tool_error());
        assert_eq!(text(&failed), expected);
        assert!(!format!("{failed:?}").contains("the-secret-of-the-disk"));
    }
}

#[tokio::test]
async fn sizes_that_no_number_can_sum_up_are_listed() {
    let client = connect(StoreTools::new(Notebook)).await;
    let listed = call(&client, "list_resources", json!({"uri": "note://vast"})).await;
    let expected = "0 directories, 2 files, 18446744073709551615 bytes";
    assert!(text(&listed).ends_with(expected), "{}", text(&listed));
}
