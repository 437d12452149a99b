//! Where resources come from. A store decides once what is missing, forbidden or too large; the server says it to the
//! peer in its dialect.

#[cfg(feature = "tools")]
pub mod tools;

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

pub use futures_util::stream::BoxStream;
use plainly_errors::{InvalidParams, ProtocolError, Unavailable};
use plainly_protocol::types::{CacheHint, Resource, ResourceContents};

/// A source of resources: a directory, a database, a bucket.
///
/// URIs are opaque strings outside of the store. Every resource that it gives out has `isCollection` set.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store",
    label = "not a source of resources",
    note = "a store has the methods `serves`, `list`, `metadata` and `read`"
)]
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// Whether `uri` is one that this store could serve, whether or not it exists: a cheap look at its beginning.
    fn serves(&self, uri: &str) -> bool;

    /// One page of resources: the children of the collection `parent`, or without it everything, collections before
    /// what is in them.
    ///
    /// `after` is the [`Page::next`] of the page before; any process that serves the same things can continue it.
    fn list(&self, query: ListQuery<'_>) -> impl Future<Output = Result<Page, StoreError>> + Send;

    /// What is known of the resource, without its content.
    fn metadata(&self, uri: &str) -> impl Future<Output = Result<Resource, StoreError>> + Send;

    /// The content. Of a collection: its children, possibly not all of them, and never a failure for their size.
    fn read(
        &self,
        uri: &str,
    ) -> impl Future<Output = Result<Vec<ResourceContents>, StoreError>> + Send;

    /// Tells what changes, from the call on until the stream is dropped; `None`: this store can't tell.
    ///
    /// A server calls it once when it is built, to learn whether the store can tell, and drops the stream unused; then
    /// whenever somebody is subscribed to resources and nobody was before. So the call itself should be quick, and the
    /// stream may cost what watching costs. One that ends has nothing more to tell to those who are subscribed by then.
    fn watch(&self) -> Option<BoxStream<'static, Change>> {
        None
    }

    /// How long clients may keep what they got, and whether they may share it.
    fn cache_hint(&self) -> CacheHint {
        CacheHint::default()
    }
}

/// A store that is shared is one too.
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

    fn cache_hint(&self) -> CacheHint {
        S::cache_hint(self)
    }
}

/// A change in a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The content or the metadata of the resource at this URI is another, or it is no longer there.
    Resource(String),
    /// The same of this resource and of all inside of it, which are those whose URIs begin with this one and a slash: they
    /// came, went, or changes of them were missed.
    Tree(String),
    /// There are other resources than before. Nobody who wants to know of single resources is told this: where changes were
    /// missed, tell the [`Tree`](Self::Tree) of every root too.
    Listing,
}

/// What to list.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ListQuery<'a> {
    /// The collection whose direct children are asked for; `None`: everything.
    pub parent: Option<&'a str>,
    /// Where to go on, as a page before said.
    pub after: Option<&'a str>,
    /// The most entries to return.
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

    /// What comes after the position `after`.
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
    /// Where the next page goes on; `None`: there is none. Plain text: the server makes an opaque cursor of it.
    pub next: Option<String>,
}

impl Page {
    /// A page and where to go on after it.
    pub fn new(resources: Vec<Resource>, next: Option<String>) -> Self {
        Self { resources, next }
    }
}

/// Why a store has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such resource for this caller: absent, forbidden, outside, or nothing that can be read. These look
    /// the same, so that nobody learns what exists behind a forbidden name.
    #[error("resource not found")]
    NotFound,
    /// The text is not a URI that the store could ever have given out.
    #[error("invalid URI: {why}")]
    InvalidUri {
        /// What is wrong with it.
        why: &'static str,
    },
    /// Children were asked for, and the resource is not a collection.
    #[error("not a collection")]
    NotACollection,
    /// The position was not given out by this store for this listing.
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
    /// As much is being read as there is room for: it can be tried again.
    #[error("too much is being read at once")]
    Overloaded,
    /// The store itself failed; the peer learns no more than that.
    #[error("the store failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// What the peer that asked for `uri` is told.
    pub fn into_protocol_error(self, uri: &str) -> ProtocolError {
        match self {
            Self::NotFound => ProtocolError::resource_not_found(uri),
            Self::InvalidUri { why } => ProtocolError::from(InvalidParams::InvalidUri {
                uri: uri.to_owned(),
            })
            .with_message(format!("Invalid URI: {uri}: {why}")),
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
