//! Changes in a store.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::{BoxStream, Stream, StreamExt as _};

/// A change in a store.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The content or the metadata of the resource at this URI has changed, or the resource no
    /// longer exists.
    Resource(String),
    /// The resource and everything inside it, which means all URIs that start with this one and a
    /// slash (which may be the last character of this one). They were added or removed, or changes
    /// to them were missed.
    Tree(String),
    /// The list of resources has changed. Subscribers of individual resources are not notified of
    /// this: if changes were missed, also report the [`Tree`](Self::Tree) of every root.
    Listing,
}

/// The changes in a store, from the call of [`Store::watch`](super::Store::watch) on. Dropping it
/// ends the watch.
pub struct Watch(BoxStream<'static, Change>);

impl Watch {
    /// A watch that reports these changes. When the stream ends, there is nothing more to report.
    pub fn new(changes: impl Stream<Item = Change> + Send + 'static) -> Self {
        Self(changes.boxed())
    }
}

impl Stream for Watch {
    type Item = Change;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Change>> {
        self.0.poll_next_unpin(context)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}
