//! Tags: texts that change when the content of a resource does. A client that has the content sends
//! its tag with the request, and gets [`not_modified`](ResourceContents::not_modified) if the
//! resource still has that tag.

use super::{Meta, Resource, ResourceContents};

/// The key in the `_meta` of `resources/read` for the tag of the client's content.
pub const IF_NONE_MATCH: &str = "dev.plainly/ifNoneMatch";

/// The key of the tag in the `_meta` of a resource and of its contents.
const ETAG: &str = "dev.plainly/etag";

/// The key in the `_meta` of contents that confirm the client's content as current.
const NOT_MODIFIED: &str = "dev.plainly/notModified";

impl Resource {
    /// Sets the tag, a text that changes when the content does. The tag of contents must be the one
    /// that the resource had before it was read, because a later tag could belong to other content.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        let meta = self.meta.get_or_insert_default();
        meta.insert(ETAG.to_owned(), tag.into().into());
        self
    }

    /// The tag, if there is one.
    pub fn own_tag(&self) -> Option<&str> {
        self.meta.as_ref().and_then(tag_in)
    }

    /// Removes the tag.
    pub fn remove_tag(&mut self) {
        self.meta.as_mut().and_then(|meta| meta.remove(ETAG));
        self.meta.take_if(|meta| meta.is_empty());
    }
}

impl ResourceContents {
    /// Contents that confirm the client's content of this resource as current.
    pub fn not_modified(resource: Resource) -> Self {
        let mut content = Self::new(resource, String::new());
        let meta = content.meta.get_or_insert_default();
        meta.insert(NOT_MODIFIED.to_owned(), true.into());
        content
    }

    /// Whether these contents confirm the client's content as current.
    pub fn is_not_modified(&self) -> bool {
        self.meta.as_ref().is_some_and(is_not_modified_in)
    }
}

/// Whether this is the `_meta` of contents that confirm the client's content as current.
pub fn is_not_modified_in(meta: &Meta) -> bool {
    meta.get(NOT_MODIFIED).is_some_and(|value| *value == true)
}

/// The tag in the `_meta` of a resource or of its contents, if there is one.
pub fn tag_in(meta: &Meta) -> Option<&str> {
    meta.get(ETAG)?.as_str()
}
