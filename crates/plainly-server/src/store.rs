//! Stores of resources. A store decides once what is missing, forbidden or too large; the server
//! reports it to the peer in its dialect.

mod caller;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

pub use futures_util::stream::BoxStream;
use plainly_errors::mistake::printable;
use plainly_errors::{InvalidParams, ProtocolError, Unavailable};
use plainly_protocol::types::{CacheHint, Resource, ResourceContents};

pub use self::caller::StoreCaller;

/// A source of resources: a directory, a database, a bucket.
///
/// URIs are opaque strings outside of the store. Every resource that it gives out has `isCollection` set.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store",
    label = "not a source of resources",
    note = "a store has the methods `serves`, `list`, `metadata` and `read`"
)]
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// Whether this store could serve `uri`, whether or not it exists: a cheap check of its beginning.
    fn serves(&self, uri: &str) -> bool;

    /// One page of resources: the children of the collection `parent`, or without one everything, with each collection
    /// before its contents.
    ///
    /// Unless the store [refuses](Self::can_suggest), the server also lists the collection in which
    /// a resource was not found, to suggest one with a similar name.
    ///
    /// `after` is the [`Page::next`] of the previous page; any process that serves the same resources can continue the
    /// listing.
    fn list(&self, query: ListQuery<'_>) -> impl Future<Output = Result<Page, StoreError>> + Send;

    /// The metadata of the resource, without its content.
    fn metadata(&self, uri: &str) -> impl Future<Output = Result<Resource, StoreError>> + Send;

    /// The content. For a collection: its children, possibly not all of them, and never a failure because of their
    /// size.
    fn read(
        &self,
        uri: &str,
    ) -> impl Future<Output = Result<Vec<ResourceContents>, StoreError>> + Send;

    /// Reports changes, from the call until the stream is dropped; `None` if this store can't.
    ///
    /// A server calls it once when it is built, to find out whether the store can report changes, and drops the stream
    /// unused. After that, it calls it whenever someone subscribes to resources and nobody was subscribed before. So
    /// the call itself should be quick, while the stream may cost what watching costs. When the stream ends, it has
    /// nothing more to report to the current subscribers.
    fn watch(&self) -> Option<BoxStream<'static, Change>> {
        None
    }

    /// Whether the server may list resources to suggest one with a similar name where none was
    /// found. Any client can ask for resources that do not exist, so a store whose listings cost
    /// money or a query should return `false`: then nothing is listed, and nothing suggested.
    fn can_suggest(&self) -> bool {
        true
    }

    /// The time that clients may cache results, and whether they may share them.
    fn cache_hint(&self) -> CacheHint {
        CacheHint::default()
    }
}

/// A store that is shared is one too.
// A method that is not passed on would silently be the default of the trait.
#[deny(clippy::missing_trait_methods)]
impl<S: Store> Store for Arc<S> {
    fn serves(&self, uri: &str) -> bool {
        S::serves(self, uri)
    }

    fn list(&self, query: ListQuery<'_>) -> impl Future<Output = Result<Page, StoreError>> + Send {
        S::list(self, query)
    }

    fn metadata(&self, uri: &str) -> impl Future<Output = Result<Resource, StoreError>> + Send {
        S::metadata(self, uri)
    }

    fn read(
        &self,
        uri: &str,
    ) -> impl Future<Output = Result<Vec<ResourceContents>, StoreError>> + Send {
        S::read(self, uri)
    }

    fn watch(&self) -> Option<BoxStream<'static, Change>> {
        S::watch(self)
    }

    fn can_suggest(&self) -> bool {
        S::can_suggest(self)
    }

    fn cache_hint(&self) -> CacheHint {
        S::cache_hint(self)
    }
}

/// A change in a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The content or the metadata of the resource at this URI has changed, or it no longer exists.
    Resource(String),
    /// The resource and everything inside it, meaning all URIs that start with this one and a
    /// slash, which may be the last character of this one: they were added or removed, or changes
    /// to them were missed.
    Tree(String),
    /// The list of resources has changed. Subscribers to individual resources are not notified of this: if changes were
    /// missed, also report the [`Tree`](Self::Tree) of every root.
    Listing,
}

/// A request for one page of a listing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ListQuery<'a> {
    /// The collection whose direct children are requested; `None` for everything.
    pub parent: Option<&'a str>,
    /// The position to continue from, as returned by a previous page.
    pub after: Option<&'a str>,
    /// The maximum number of entries to return, at least 1.
    pub limit: usize,
}

impl<'a> ListQuery<'a> {
    /// Everything, from the start, at most `limit` entries.
    pub fn new(limit: usize) -> Self {
        Self {
            parent: None,
            after: None,
            limit,
        }
    }

    /// The children of `parent` only.
    #[must_use]
    pub fn parent(mut self, parent: &'a str) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Only what comes after the position `after`.
    #[must_use]
    pub fn after(mut self, after: &'a str) -> Self {
        self.after = Some(after);
        self
    }
}

/// A part of a listing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// The resources, in the store's order.
    pub resources: Vec<Resource>,
    /// The position of the next page; `None` if there is none. Plain text: the server turns it into
    /// an opaque cursor.
    pub next: Option<String>,
}

impl Page {
    /// A page, and where to continue after it.
    pub fn new(resources: Vec<Resource>, next: Option<String>) -> Self {
        Self { resources, next }
    }
}

/// The reason why a store has no answer.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such resource for this caller: absent, forbidden, outside, or unreadable. All look the same, so that
    /// nobody learns what exists behind a forbidden name.
    #[error("resource not found")]
    NotFound,
    /// The text is not a URI that the store could ever have issued.
    #[error("invalid URI: {why}")]
    InvalidUri {
        /// The reason why it is invalid.
        why: Cow<'static, str>,
    },
    /// Children were requested, but the resource is not a collection.
    #[error("not a collection")]
    NotACollection,
    /// The position was not issued by this store for this listing.
    #[error("invalid cursor")]
    InvalidCursor,
    /// The resource is larger than the store reads.
    #[error("{size} bytes are more than the limit of {limit}")]
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// Too much is being read at the moment; the request can be repeated.
    #[error("too much is being read at once")]
    Overloaded,
    /// The store itself failed; the peer learns no more than that.
    #[error("the store failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

plainly_errors::debug_with_causes!(StoreError);

impl StoreError {
    /// The error that the peer gets for its request for `uri`.
    pub fn into_protocol_error(self, uri: &str) -> ProtocolError {
        match self {
            Self::NotFound => ProtocolError::resource_not_found(uri),
            Self::InvalidUri { why } => ProtocolError::from(InvalidParams::InvalidUri {
                uri: uri.to_owned(),
                problems: Vec::new(),
            })
            .with_message(format!("Invalid URI: {}: {why}", printable(uri))),
            Self::NotACollection => InvalidParams::NotACollection {
                uri: uri.to_owned(),
            }
            .into(),
            Self::InvalidCursor => InvalidParams::InvalidCursor.into(),
            Self::TooLarge { size, limit } => InvalidParams::ResourceTooLarge {
                uri: uri.to_owned(),
                size,
                limit,
            }
            .into(),
            Self::Overloaded => Unavailable::Overloaded.into(),
            Self::Failed(source) => {
                ProtocolError::internal("The resource could not be read").with_source(source)
            }
        }
    }
}
