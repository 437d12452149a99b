//! Lines of a text that is in another encoding than UTF-8. A store decodes a text only as a whole,
//! so its lines are cut from the whole text.

use bytes::Bytes;
use plainly_protocol::part::Part;
use plainly_protocol::types::{Body, Resource, ResourceContents, TEXT_ENCODING};
use serde_json::Value;

use crate::store::{
    ListQuery, Page, PartContent, PartQuery, RangeQuery, Ranged, Store, StoreError, read_part,
};

/// The lines, and the encoding from which they were decoded; `None` if the resource at `uri` is not
/// decoded, or too large for that.
pub(super) async fn lines(
    store: &impl Store,
    uri: &str,
    part: Part,
) -> Option<(PartContent, Value)> {
    let content = store.read(uri).await.ok()?.into_iter().next()?;
    let encoding = content.meta?.remove(TEXT_ENCODING)?;
    let Body::Text(text) = content.body else {
        return None;
    };
    let part = if let Part::Tail(count) = part {
        let first = (text.lines().count() as u64).saturating_sub(count);
        Part::Lines { first, last: None }
    } else {
        part
    };
    let content = read_part(&Decoded(text.into()), PartQuery::new(uri, part)).await;
    Some((content.ok()?, encoding))
}

/// A decoded text, as a store of its bytes.
#[derive(Debug)]
struct Decoded(Bytes);

impl Store for Decoded {
    fn serves(&self, _: &str) -> bool {
        true
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, _: &str) -> Result<Resource, StoreError> {
        Err(StoreError::NotFound)
    }

    async fn read(&self, _: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Err(StoreError::NotFound)
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        query.range.of(&self.0)
    }
}
