//! The rules of single resources.

use std::collections::HashSet;

use plainly_protocol::types::{Resource, ResourceContents};
use plainly_server::store::{ByteRange, ListQuery, RangeQuery, Store, StoreError};

use super::{Check, Rule};

/// The maximum number of collections whose children are listed.
const COLLECTIONS: usize = 20;

impl<S: Store> Check<'_, S> {
    /// Checks listed resources one by one.
    pub(super) async fn resources(&mut self, listed: &[Resource]) {
        let mut collections = 0;
        for resource in listed {
            let uri = &*resource.uri;
            self.agreeing(resource).await;
            match resource.is_collection {
                None => self.broken(Rule::IsCollection, uri, "it does not"),
                Some(false) => self.leaf(resource).await,
                Some(true) if collections < COLLECTIONS => {
                    collections += 1;
                    self.collection(uri).await;
                }
                Some(true) => {}
            }
        }
    }

    async fn agreeing(&mut self, listed: &Resource) {
        let uri = &*listed.uri;
        match self.spelling(uri) {
            Some(spelled) if spelled == uri => {}
            spelled => self.broken(Rule::Spelling, uri, format!("it is spelled {spelled:?}")),
        }
        let facts = |one: &Resource| {
            let name = one.name.clone();
            (one.uri.clone(), name, one.is_collection, one.size)
        };
        match self.metadata(uri).await {
            Some(Ok(found)) if facts(&found) == facts(listed) => {}
            Some(Ok(found)) => {
                let why = format!("{:?}, and listed {:?}", facts(&found), facts(listed));
                self.broken(Rule::MetadataAgrees, uri, why);
            }
            Some(Err(error)) => self.broken(Rule::MetadataAgrees, uri, error.to_string()),
            None => {}
        }
    }

    /// Checks a resource that is not a collection.
    async fn leaf(&mut self, resource: &Resource) {
        let uri = &*resource.uri;
        match self.read(uri).await {
            Some(Ok(contents)) => match fault(resource, &contents) {
                Some(why) => self.broken(Rule::Contents, uri, why),
                None => self.ranges(uri, contents[0].body.as_bytes()).await,
            },
            // A store may reject reading a resource that it lists.
            Some(Err(StoreError::NotFound | StoreError::InvalidUri { .. })) => {
                self.broken(Rule::MetadataAgrees, uri, "it is listed, and not found");
            }
            Some(Err(_)) | None => {}
        }
        match self.list(ListQuery::new(10).parent(uri)).await {
            Some(Err(StoreError::NotACollection)) | None => {}
            Some(Err(error)) => self.broken(Rule::NotACollection, uri, error.to_string()),
            Some(Ok(_)) => self.broken(Rule::NotACollection, uri, "it has a listing"),
        }
    }

    /// Checks the ranges of a resource with this content.
    async fn ranges(&mut self, uri: &str, whole: &[u8]) {
        let size = whole.len() as u64;
        let most = (size / 3).max(1);
        let (mut joined, mut tags) = (Vec::new(), HashSet::new());
        while (joined.len() as u64) < size {
            let first = joined.len() as u64;
            let query = RangeQuery::new(uri, ByteRange::From { first, most });
            match self.caught(uri, self.store.read_range(query)).await {
                // The bytes of text in another encoding differ from the content.
                Some(Ok(ranged)) if ranged.size != size => return,
                Some(Ok(ranged)) if !ranged.bytes.is_empty() && ranged.first == first => {
                    joined.extend_from_slice(&ranged.bytes);
                    tags.insert(ranged.tag);
                }
                Some(Ok(_)) => {
                    return self.broken(Rule::Ranges, uri, format!("none begins at {first}"));
                }
                Some(Err(error)) => return self.broken(Rule::Ranges, uri, error.to_string()),
                None => return,
            }
        }
        if joined != whole || tags.len() > 1 {
            self.broken(Rule::Ranges, uri, "they are another content");
        }
        let (first, most) = (size + 1, 1);
        let query = RangeQuery::new(uri, ByteRange::From { first, most });
        let outside = self.caught(uri, self.store.read_range(query)).await;
        if !matches!(outside, Some(Err(StoreError::NoSuchPart { .. })) | None) {
            self.broken(Rule::Ranges, uri, "one begins after the end");
        }
    }

    async fn collection(&mut self, uri: &str) {
        for child in self.pages(Some(uri)).await {
            if !self.store.serves(&child.uri) {
                self.broken(Rule::ListedIsServed, &child.uri, format!("it is in {uri}"));
            }
        }
        if let Some(Err(error)) = self.read(uri).await {
            let why = format!("a collection can't be read: {error}");
            self.broken(Rule::Contents, uri, why);
        }
    }
}

/// The fault in the contents of a resource that is not a collection.
fn fault(resource: &Resource, contents: &[ResourceContents]) -> Option<String> {
    if contents.is_empty() {
        return Some("it has no contents".to_owned());
    }
    let other = contents.iter().find(|one| one.uri != resource.uri);
    if let Some(other) = other {
        return Some(format!("it has contents of {}", other.uri));
    }
    let mut formats = HashSet::new();
    if !contents.iter().all(|one| formats.insert(&one.mime_type)) {
        return Some("two of its contents have one format".to_owned());
    }
    let size = resource.size?;
    let sizes = contents.iter().map(|one| one.body.as_bytes().len() as u64);
    let has_size = sizes.clone().any(|one| one == size);
    (!has_size).then(|| {
        format!(
            "it has {:?} bytes instead of {size}",
            sizes.collect::<Vec<_>>()
        )
    })
}
