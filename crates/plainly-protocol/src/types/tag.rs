//! Tags: texts that change when the content of a resource does. A client that has the content asks for it on condition that it
//! has another tag by now, and otherwise gets [`not_modified`](ResourceContents::not_modified) instead.

use super::{Meta, Resource, ResourceContents};

/// The key in the `_meta` of `resources/read` of the tag that the client's content has.
pub const IF_NONE_MATCH: &str = "dev.plainly/ifNoneMatch";

/// The key in the `_meta` of a resource and of its contents.
const ETAG: &str = "dev.plainly/etag";

/// The key in the `_meta` of the content that stands for the one that the client has.
const NOT_MODIFIED: &str = "dev.plainly/notModified";

impl Resource {
    /// Sets the text that changes when the content does. That of a content has to be the tag that the resource had before it
    /// was read: a later one could be that of another content.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        let meta = self.meta.get_or_insert_default();
        meta.insert(ETAG.to_owned(), tag.into().into());
        self
    }

    /// The text that changes when the content does, if there is one.
    pub fn own_tag(&self) -> Option<&str> {
        self.meta.as_ref().and_then(tag_in)
    }

    /// Removes the text that changes when the content does.
    pub fn remove_tag(&mut self) {
        self.meta.as_mut().and_then(|meta| meta.remove(ETAG));
        self.meta.take_if(|meta| meta.is_empty());
    }
}

impl ResourceContents {
    /// Stands for the content of this resource that the client has: it has not changed since.
    pub fn not_modified(resource: Resource) -> Self {
        let mut content = Self::new(resource, String::new());
        let meta = content.meta.get_or_insert_default();
        meta.insert(NOT_MODIFIED.to_owned(), true.into());
        content
    }

    /// Whether it stands for the content that the client has.
    pub fn is_not_modified(&self) -> bool {
        self.meta.as_ref().is_some_and(is_not_modified_in)
    }
}

/// Whether this is the `_meta` of a content that stands for the one that the client has.
pub fn is_not_modified_in(meta: &Meta) -> bool {
    meta.get(NOT_MODIFIED).is_some_and(|value| *value == true)
}

/// The tag in the `_meta` of a resource or of its content, if there is one.
pub fn tag_in(meta: &Meta) -> Option<&str> {
    meta.get(ETAG)?.as_str()
}
