//! The tags of contents in results of `resources/read`, which are JSON.

use std::borrow::Cow;

use plainly_protocol::types::{Meta, is_not_modified_in, tag_in};
use serde::Deserialize;

#[derive(Deserialize)]
struct ContentTags<'a> {
    #[serde(borrow)]
    contents: Vec<ContentTag<'a>>,
}

#[derive(Deserialize)]
struct ContentTag<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

/// The tag of the content with this URI. The result may have contents of other resources too.
pub(super) fn tag(result: &[u8], uri: &str) -> Option<String> {
    let ContentTags { contents } = serde_json::from_slice(result).ok()?;
    let own = contents.iter().filter(|content| content.uri == uri);
    let mut metas = own.filter_map(|content| content.meta.as_ref());
    metas.find_map(tag_in).map(str::to_owned)
}

/// Whether the server answered that the client's content is still the current one.
pub(crate) fn is_not_modified(result: &[u8]) -> bool {
    let contents = serde_json::from_slice(result).map(|ContentTags { contents }| contents);
    let contents = contents.unwrap_or_default();
    matches!(&*contents, [ContentTag { meta: Some(meta), .. }] if is_not_modified_in(meta))
}
