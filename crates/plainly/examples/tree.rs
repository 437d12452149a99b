//! A store written by hand: notes in folders, in memory, as resources and as tools, over standard
//! input and output.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use plainly::Server;
use plainly::protocol::types::{Resource, ResourceContents};
use plainly::server::BuildErrors;
use plainly::store::tools::StoreTools;
use plainly::store::{ListQuery, Page, Store, StoreError};

/// Notes in folders, by their URIs. A folder has no text. The URI of a note consists of its
/// folder's URI, a slash and its name.
#[derive(Clone, Debug)]
struct Tree(Arc<BTreeMap<&'static str, Option<&'static str>>>);

impl Tree {
    fn text(&self, uri: &str) -> Result<Option<&'static str>, StoreError> {
        self.0.get(uri).copied().ok_or(StoreError::NotFound)
    }
}

fn describe(uri: &str, text: Option<&str>) -> Resource {
    let name = uri.rsplit('/').next().unwrap_or(uri);
    let resource = Resource::new(uri, name).is_collection(text.is_none());
    match text {
        Some(text) => resource.mime_type("text/markdown").size(text.len() as u64),
        None => resource.mime_type("inode/directory"),
    }
}

fn is_child(uri: &str, parent: &str) -> bool {
    let name = uri
        .strip_prefix(parent)
        .and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| !name.contains('/'))
}

impl Store for Tree {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("note:")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        if let Some(parent) = query.parent
            && self.text(parent)?.is_some()
        {
            return Err(StoreError::NotACollection);
        }
        let after = query.after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut found = self
            .0
            .range::<str, _>((after, Bound::Unbounded))
            .filter(|(uri, _)| query.parent.is_none_or(|parent| is_child(uri, parent)))
            .map(|(uri, text)| describe(uri, *text));
        let page: Vec<Resource> = found.by_ref().take(query.limit).collect();
        let next = found.next().and(page.last()).map(|last| last.uri.clone());
        Ok(Page::new(page, next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        Ok(describe(uri, self.text(uri)?))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        if let Some(text) = self.text(uri)? {
            return Ok(vec![ResourceContents::new(describe(uri, Some(text)), text)]);
        }
        let children = self.0.iter().filter(|(child, _)| is_child(child, uri));
        let notes = children.filter_map(|(uri, text)| {
            text.map(|text| ResourceContents::new(describe(uri, Some(text)), text))
        });
        Ok(notes.take(100).collect())
    }
}

/// Returns two notes at home, and one at the office.
pub(crate) fn tree() -> impl Store + Clone {
    Tree(Arc::new(BTreeMap::from([
        ("note://home", None),
        ("note://home/garden", Some("Water the tomatoes.")),
        ("note://home/recipes", None),
        (
            "note://home/recipes/bread",
            Some("Flour, water, salt, *time*."),
        ),
        ("note://office", None),
        ("note://office/drafts", Some("Say less.")),
    ])))
}

/// Builds the server, which is the same for every client.
pub(crate) fn server() -> Result<Server, BuildErrors> {
    let (tree, roots) = (tree(), ["note://home", "note://office"]);
    Server::builder("tree", "1.0.0")
        .tools(StoreTools::new(tree.clone()).roots(roots).build())
        .store(tree)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Ok(server()?.serve_stdio().await?)
}
