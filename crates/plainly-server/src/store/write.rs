//! Stores whose resources can be changed.

use std::borrow::Cow;
use std::error::Error;
use std::future::{Future, ready};
use std::sync::Arc;

use bytes::Bytes;

use super::{Store, StoreError};

/// A store whose resources can be changed. Each change is made completely or not at all, and is on
/// the disk, or in other durable storage, when the future completes. A future that is dropped
/// earlier may or may not have changed the resource.
///
/// A [view](Store::view) of the store decides what its caller may change, as it decides what its
/// caller sees.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store that can be written to",
    note = "a writable store has the methods `write` and `remove`"
)]
pub trait Writable: Store {
    /// Writes the content of a resource, and creates the resource if it is absent.
    fn write(
        &self,
        query: WriteQuery<'_>,
    ) -> impl Future<Output = Result<Written, WriteError>> + Send;

    /// Removes a resource.
    fn remove(
        &self,
        query: RemoveQuery<'_>,
    ) -> impl Future<Output = Result<Removed, WriteError>> + Send;

    /// Creates a collection and its parents. An existing collection is not an error. By default a
    /// store does not support this.
    fn create_collection(&self, uri: &str) -> impl Future<Output = Result<(), WriteError>> + Send {
        let _ = uri;
        ready(Err(WriteError::Unsupported {
            what: "create collections".into(),
        }))
    }

    /// Changes the URI of a resource. No resource may exist at the new URI. By default a store does
    /// not support this.
    fn rename(
        &self,
        query: RenameQuery<'_>,
    ) -> impl Future<Output = Result<Written, WriteError>> + Send {
        let _ = query;
        ready(Err(WriteError::Unsupported {
            what: "rename resources".into(),
        }))
    }

    /// Checks whether a change could be made, without making it, before a user is asked to approve
    /// it. Fails as the change would, as far as that is known. By default nothing is known.
    fn check_change(
        &self,
        change: ChangeQuery<'_>,
    ) -> impl Future<Output = Result<(), WriteError>> + Send {
        let _ = change;
        ready(Ok(()))
    }
}

/// A request to change a resource.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_enums, reason = "the methods of `Writable`")]
pub enum ChangeQuery<'a> {
    /// Writes the content of a resource.
    Write(WriteQuery<'a>),
    /// Removes a resource.
    Remove(RemoveQuery<'a>),
    /// Creates the collection at this URI.
    CreateCollection(&'a str),
    /// Changes the URI of a resource.
    Rename(RenameQuery<'a>),
}

/// The state that a resource must have for a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "as in HTTP: no condition, If-None-Match: *, If-Match"
)]
pub enum When<'a> {
    /// Any state.
    #[default]
    Always,
    /// The resource is absent; otherwise the change fails with [`WriteError::Exists`].
    Absent,
    /// The content has this [tag](super::Ranged::tag); otherwise the change fails with
    /// [`WriteError::Changed`].
    Tag(&'a str),
}

/// A request to write the content of a resource.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteQuery<'a> {
    /// The resource.
    pub uri: &'a str,
    /// The bytes.
    pub bytes: Bytes,
    /// Whether to append the bytes to the present content instead of replacing it.
    pub append: bool,
    /// The condition.
    pub when: When<'a>,
    /// Whether content that can't be recovered may be lost; otherwise the change fails with
    /// [`WriteError::Permanent`].
    pub permanent: bool,
}

impl<'a> WriteQuery<'a> {
    /// Replaces the content with these bytes, in any state.
    pub fn new(uri: &'a str, bytes: impl Into<Bytes>) -> Self {
        Self {
            uri,
            bytes: bytes.into(),
            append: false,
            when: When::Always,
            permanent: false,
        }
    }

    /// Appends the bytes to the present content.
    #[must_use]
    pub fn append(mut self) -> Self {
        self.append = true;
        self
    }

    /// Sets the condition.
    #[must_use]
    pub fn when(mut self, when: When<'a>) -> Self {
        self.when = when;
        self
    }

    /// Sets whether content that can't be recovered may be lost.
    #[must_use]
    pub fn permanent(mut self, permanent: bool) -> Self {
        self.permanent = permanent;
        self
    }
}

/// A request to remove a resource.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RemoveQuery<'a> {
    /// The resource.
    pub uri: &'a str,
    /// Whether a collection is removed with everything in it; otherwise a collection that is not
    /// empty causes [`WriteError::NotEmpty`].
    pub recursive: bool,
    /// The condition.
    pub when: When<'a>,
    /// Whether content that can't be recovered may be lost; otherwise the change fails with
    /// [`WriteError::Permanent`].
    pub permanent: bool,
}

impl<'a> RemoveQuery<'a> {
    /// Removes a resource in any state, or an empty collection.
    pub fn new(uri: &'a str) -> Self {
        Self {
            uri,
            recursive: false,
            when: When::Always,
            permanent: false,
        }
    }

    /// Sets whether a collection is removed with everything in it.
    #[must_use]
    pub fn recursive(mut self, recursive: bool) -> Self {
        self.recursive = recursive;
        self
    }

    /// Sets the condition.
    #[must_use]
    pub fn when(mut self, when: When<'a>) -> Self {
        self.when = when;
        self
    }

    /// Sets whether content that can't be recovered may be lost.
    #[must_use]
    pub fn permanent(mut self, permanent: bool) -> Self {
        self.permanent = permanent;
        self
    }
}

/// A request to change the URI of a resource.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RenameQuery<'a> {
    /// The present URI.
    pub from: &'a str,
    /// The new URI.
    pub to: &'a str,
    /// The condition on the resource at the present URI.
    pub when: When<'a>,
}

impl<'a> RenameQuery<'a> {
    /// Renames a resource in any state.
    pub fn new(from: &'a str, to: &'a str) -> Self {
        Self {
            from,
            to,
            when: When::Always,
        }
    }

    /// Sets the condition.
    #[must_use]
    pub fn when(mut self, when: When<'a>) -> Self {
        self.when = when;
        self
    }
}

/// A resource after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The URI of the resource, as listings spell it.
    pub uri: String,
    /// The size in bytes; `None` for a collection.
    pub size: Option<u64>,
    /// The tag of the content, if the store has tags.
    pub tag: Option<String>,
    /// Whether there was no resource at this URI before.
    pub is_new: bool,
}

impl Written {
    /// A resource at this URI that existed before.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            size: None,
            tag: None,
            is_new: false,
        }
    }

    /// Sets the size in bytes.
    #[must_use]
    pub fn size(mut self, size: u64) -> Self {
        self.size = Some(size);
        self
    }

    /// Sets the tag of the content.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// Sets whether there was no resource at this URI before.
    #[must_use]
    pub fn is_new(mut self, is_new: bool) -> Self {
        self.is_new = is_new;
        self
    }
}

/// A resource that was removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// The name under which the server's operator can restore it; `None` if it is lost.
    pub restorable: Option<String>,
}

impl Removed {
    /// A resource that is lost.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name under which the server's operator can restore it.
    #[must_use]
    pub fn restorable(mut self, name: impl Into<String>) -> Self {
        self.restorable = Some(name.into());
        self
    }
}

/// The reason why a change did not happen.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The content's tag differs from that of the condition.
    #[error("the resource was changed")]
    Changed {
        /// The present tag.
        tag: Option<String>,
    },
    /// A resource exists at the URI, although the condition was that there is none.
    #[error("the resource exists")]
    Exists,
    /// The collection is not empty.
    #[error("the collection is not empty")]
    NotEmpty,
    /// The present content could not be recovered afterwards, and the caller did not allow that.
    #[error("the present content would be lost: {why}")]
    Permanent {
        /// The reason why the content could not be recovered.
        why: Cow<'static, str>,
    },
    /// The caller may not make this change, or no caller may.
    #[error("{why}")]
    Denied {
        /// The reason.
        why: Cow<'static, str>,
    },
    /// There is no room for the content.
    #[error("{why}")]
    Full {
        /// The limit that was reached.
        why: Cow<'static, str>,
    },
    /// The store does not support such changes.
    #[error("the store can't {what}")]
    Unsupported {
        /// The change, for example "create collections".
        what: Cow<'static, str>,
    },
    /// The change failed, but may have happened nevertheless.
    #[error("the change failed, and may have happened")]
    Unknown(#[source] Box<dyn Error + Send + Sync>),
    /// A failure that is not specific to changes.
    #[error(transparent)]
    Store(#[from] StoreError),
}

plainly_errors::debug_with_causes!(WriteError);

/// A shared store is a store too.
#[deny(clippy::missing_trait_methods)]
impl<S: Writable> Writable for Arc<S> {
    fn write(
        &self,
        query: WriteQuery<'_>,
    ) -> impl Future<Output = Result<Written, WriteError>> + Send {
        S::write(self, query)
    }

    fn remove(
        &self,
        query: RemoveQuery<'_>,
    ) -> impl Future<Output = Result<Removed, WriteError>> + Send {
        S::remove(self, query)
    }

    fn create_collection(&self, uri: &str) -> impl Future<Output = Result<(), WriteError>> + Send {
        S::create_collection(self, uri)
    }

    fn rename(
        &self,
        query: RenameQuery<'_>,
    ) -> impl Future<Output = Result<Written, WriteError>> + Send {
        S::rename(self, query)
    }

    fn check_change(
        &self,
        change: ChangeQuery<'_>,
    ) -> impl Future<Output = Result<(), WriteError>> + Send {
        S::check_change(self, change)
    }
}
