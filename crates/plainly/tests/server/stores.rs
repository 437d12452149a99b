//! Several stores that act as one: on the wire, and behind one set of tools.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::borrow::Cow;

use plainly::limits::Limits;
use plainly::protocol::types::{
    CompleteParams, Reference, Resource, ResourceContents, ResourceTemplate,
};
use plainly::store::tools::StoreTools;
use plainly::store::{Filter, ListQuery, Page, Store, StoreError, Stores, check};
use plainly::{Client, Revision, Server};
use serde_json::json;

/// Texts in one collection, with a template for them. Its URIs ignore case.
#[derive(Clone, Copy, Debug)]
struct Shelf {
    root: &'static str,
    template: &'static str,
    names: &'static [&'static str],
}

const BOOKS: Shelf = Shelf {
    root: "book://shelf",
    template: "book://shelf/{title}",
    names: &["one", "one two", "three"],
};
const NOTES: Shelf = Shelf {
    root: "note://all",
    template: "note://{in}/{+path}",
    names: &["garden", "gate"],
};

impl Shelf {
    fn all(self) -> Vec<Resource> {
        let root = Resource::new(self.root, "root").is_collection(true);
        let names = self.names.iter().map(|name| {
            let uri = format!("{}/{}", self.root, name.replace(' ', "%20"));
            Resource::new(uri, *name).is_collection(false)
        });
        std::iter::once(root).chain(names).collect()
    }
}

impl Store for Shelf {
    fn serves(&self, uri: &str) -> bool {
        uri.to_lowercase().starts_with(self.root)
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        Some(uri.to_lowercase().into())
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let mut all = self.all();
        match query.parent {
            None => {}
            Some(parent) if parent.to_lowercase() == self.root => drop(all.remove(0)),
            Some(_) => return Err(StoreError::NotACollection),
        }
        let start = match query.after {
            None => 0,
            Some(after) => {
                let last = all.iter().position(|one| one.uri == after);
                last.ok_or(StoreError::InvalidCursor)? + 1
            }
        };
        let mut page = all.split_off(start);
        let has_more = page.len() > query.limit;
        page.truncate(query.limit);
        let next = page
            .last()
            .filter(|_| has_more)
            .map(|last| last.uri.clone());
        Ok(Page::new(page, next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let (mut all, listed) = (self.all().into_iter(), uri.to_lowercase());
        let found = all.find(|one| one.uri == listed);
        found.ok_or(StoreError::NotFound)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let resource = self.metadata(uri).await?;
        let text = format!("The text of {uri}.");
        Ok(vec![ResourceContents::new(resource, text)])
    }

    fn roots(&self) -> Vec<String> {
        vec![self.root.to_owned()]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new(self.template, self.root)]
    }
}

fn server(page_entries: usize) -> Server {
    let mut limits = Limits::default();
    limits.page_entries = page_entries;
    let stores = Stores::new().add(BOOKS).add(NOTES);
    Server::builder("library", "1")
        .limits(limits)
        .tools(StoreTools::new(stores.clone()).build())
        .store(stores)
        .build()
        .unwrap()
}

#[tokio::test]
async fn they_are_listed_one_after_the_other_and_read_each_by_its_own_uris() {
    let all: Vec<_> = [BOOKS.all(), NOTES.all()].concat();
    let all: Vec<_> = all.into_iter().map(|resource| resource.uri).collect();
    for page_entries in 1..=8 {
        let client = Client::in_memory(&server(page_entries));
        let client = client.connect().await.unwrap();
        let listed = client.resources(None).await.unwrap();
        let listed: Vec<_> = listed.into_iter().map(|resource| resource.uri).collect();
        assert_eq!(listed, all, "{page_entries}");
    }
    for revision in Revision::ALL {
        let client = Client::in_memory(&server(100)).revision(revision);
        let client = client.connect().await.unwrap();
        let read = client.read("note://all/gate").await.unwrap();
        assert_eq!(read.text(), Some("The text of note://all/gate."));
        let missing = client.read("other://all/gate").await.unwrap_err();
        assert!(missing.is_resource_not_found(), "{missing}");
    }
}

#[tokio::test]
async fn one_set_of_tools_reads_them_all() {
    let client = Client::in_memory(&server(100)).connect().await.unwrap();
    let tree = client.call_tool("tree", json!({})).await.unwrap();
    let tree = json!(tree.content[0])["text"].as_str().unwrap().to_owned();
    let drawn = "book://shelf/\n  one\n  one two\n  three\nnote://all/\n  garden\n  gate";
    assert_eq!(tree, drawn);
    for uri in ["book://shelf/one", "note://all/garden"] {
        let read = client.call_tool("read_resource", json!({"uri": uri}));
        let read = json!(read.await.unwrap().content).to_string();
        assert!(read.contains(&format!("The text of {uri}.")), "{read}");
    }
}

#[tokio::test]
async fn variables_of_their_templates_are_completed_out_of_listings() {
    let client = Client::in_memory(&server(100)).connect().await.unwrap();
    for (template, variable, text, known, expected) in [
        (
            BOOKS.template,
            "title",
            "",
            None,
            vec!["one", "one two", "three"],
        ),
        (BOOKS.template, "title", "one", None, vec!["one", "one two"]),
        (BOOKS.template, "title", "one ", None, vec!["one two"]),
        (BOOKS.template, "title", "four", None, vec![]),
        (NOTES.template, "in", "", None, vec!["all"]),
        (
            NOTES.template,
            "path",
            "ga",
            Some(("in", "all")),
            vec!["garden", "gate"],
        ),
        (NOTES.template, "path", "gar", None, vec!["garden"]),
        (NOTES.template, "path", "ga", Some(("in", "none")), vec![]),
        (BOOKS.template, "part", "ta", None, vec!["tail=200"]),
    ] {
        let own = (variable != "part").then(|| template.to_owned());
        for template in own.into_iter().chain([format!("{template}{{#part}}")]) {
            let mut typed = CompleteParams::new(Reference::resource(template), variable, text);
            if let Some((name, value)) = known {
                typed = typed.arguments([(name.to_owned(), value.to_owned())]);
            }
            let completed = client.complete(&typed).await.unwrap();
            assert_eq!(completed.values, expected, "{variable} {text:?} {known:?}");
        }
    }
    let listed = client.resource_templates().await.unwrap();
    let listed: Vec<_> = listed.iter().map(|one| &*one.uri_template).collect();
    let templates = [BOOKS, NOTES].map(|shelf| format!("{}{{#part}}", shelf.template));
    assert_eq!(listed, templates);
    let unknown = CompleteParams::new(Reference::resource(&*templates[0]), "titel", "");
    let unknown = client.complete(&unknown).await.unwrap_err().to_string();
    assert!(unknown.contains("\"title\""), "{unknown}");
}

#[test]
fn two_stores_with_the_same_root_do_not_build() {
    let server = Server::builder("library", "1").store(BOOKS).store(BOOKS);
    let error = server.build().unwrap_err().to_string();
    assert!(error.contains("book://shelf"), "{error}");
}

/// Metadata use the URI of listings, and contents use the client's URI.
#[tokio::test]
async fn each_spelling_of_a_resource_is_read() {
    let report = check(&BOOKS).await;
    assert!(report.is_ok(), "{report}");
    let client = Client::in_memory(&server(10)).connect().await.unwrap();
    let (asked, listed) = ("BOOK://Shelf/One", "book://shelf/one");
    let text = "The text of BOOK://Shelf/One.";
    let read = client.read(asked).await.unwrap();
    let [content] = &*read.contents else {
        panic!("{read:?}")
    };
    assert_eq!((&*content.uri, content.body.as_text()), (asked, Some(text)));
    assert_eq!(client.metadata(asked).await.unwrap().resource.uri, listed);
    let part = "BOOK://Shelf/One#bytes=0-2";
    let read = client.read(part).await.unwrap();
    let [content] = &*read.contents else {
        panic!("{read:?}")
    };
    assert_eq!((&*content.uri, content.body.as_text()), (part, Some("The")));
    let children = client.resources(Some("BOOK://SHELF")).await.unwrap();
    let children: Vec<_> = children.iter().map(|child| &*child.uri).collect();
    assert_eq!(children[0], listed);
    let tool = json!({"uri": asked});
    let found = client.call_tool("stat_resource", tool).await.unwrap();
    let found: serde_json::Value = found.structured_content.unwrap().decode().unwrap();
    assert_eq!(found["uri"], listed);
}

/// A filter hides a part of the store from every method.
#[tokio::test]
async fn a_filter_hides_what_it_leaves_out() {
    let shelf = Shelf {
        names: &["a.md", "b.md", "b.md.bak", "c d.md", "e.txt"],
        ..BOOKS
    };
    let filter = Filter::new(shelf).only(["*.md"]).unwrap();
    let filter = filter.except(["c d.*"]).unwrap();
    let report = check(&filter).await;
    assert!(report.is_ok(), "{report}");
    let shown = ["book://shelf", "book://shelf/a.md", "book://shelf/b.md"];
    let server = Server::builder("library", "1").store(filter.clone());
    let client = Client::in_memory(&server.build().unwrap());
    let client = client.connect().await.unwrap();
    let listed = client.resources(None).await.unwrap();
    let listed: Vec<_> = listed.iter().map(|resource| &*resource.uri).collect();
    assert_eq!(listed, shown);
    for hidden in ["b.md.bak", "c%20d.md", "e.txt"] {
        let uri = format!("book://shelf/{hidden}");
        let error = client.read(&*uri).await.unwrap_err();
        assert!(error.is_resource_not_found(), "{error}");
        let error = client.metadata(&*uri).await.unwrap_err();
        assert!(error.is_resource_not_found(), "{error}");
        let error = client.resources(Some(&uri)).await.unwrap_err();
        assert!(error.is_resource_not_found(), "{error}");
    }
    let typed = CompleteParams::new(
        Reference::resource("book://shelf/{title}{#part}"),
        "title",
        "",
    );
    let values = client.complete(&typed).await.unwrap().values;
    assert_eq!(values, ["a.md", "b.md"]);
    for hidden in ["E.TXT", "c%20D.md", "B.md.BAK"] {
        let uri = format!("book://shelf/{hidden}");
        assert!(client.read(&*uri).await.is_err(), "{uri}");
        assert!(client.metadata(&*uri).await.is_err(), "{uri}");
        assert!(client.resources(Some(&uri)).await.is_err(), "{uri}");
        assert!(client.read(format!("{uri}#bytes=0-9")).await.is_err());
    }
    let error = Filter::new(BOOKS).only(["[a"]).unwrap_err().to_string();
    assert!(error.contains("unclosed character class"), "{error}");
}
