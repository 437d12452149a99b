//! Stores of resources. A store decides which resources are missing, forbidden or too large; the
//! server reports it to the peer in its dialect.

mod boxed;
mod budget;
mod caller;
mod complete;
mod error;
mod part;
mod places;
mod query;
mod range;
mod stores;
mod viewer;
mod wanted;
mod watch;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use plainly_protocol::types::{CacheHint, Resource, ResourceContents, ResourceTemplate};

pub(crate) use self::boxed::{DynStore, EndlessListing};
pub use self::budget::{Budget, BudgetPart};
pub use self::caller::StoreCaller;
pub use self::complete::Typed;
pub use self::error::StoreError;
pub(crate) use self::part::no_pages;
pub use self::part::{LineIndexes, PartContent, PartQuery, read_part};
pub use self::places::{StorePlace, StorePlaces};
pub use self::query::{ListQuery, Page};
pub use self::range::{ByteRange, RangeQuery, Ranged};
pub use self::stores::Stores;
pub(crate) use self::stores::{Position, shorter};
pub use self::viewer::Viewer;
pub(crate) use self::wanted::ContentFacts;
pub use self::wanted::{Formats, Wanted};
pub use self::watch::{Change, Watch};
pub use self::write::{
    ChangeQuery, RemoveQuery, Removed, RenameQuery, When, Writable, WriteError, WriteQuery, Written,
};
use crate::changes::SubscribedResources;
pub use plainly_protocol::part::{PageRange, PartPosition, PartUnit};

/// A source of resources, such as a directory, a database or a bucket.
///
/// URIs are opaque strings outside of the store. Every resource that it returns has `isCollection`
/// set.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store",
    label = "not a source of resources",
    note = "a store has the methods `serves`, `list`, `metadata` and `read`"
)]
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// Whether this store could serve `uri`, whether or not the resource exists. This should be a
    /// cheap check of the URI's beginning.
    fn serves(&self, uri: &str) -> bool;

    /// One page of resources: the children of the collection `parent`, or all resources if there is
    /// no parent, with each collection before its contents.
    ///
    /// Unless the store [refuses](Self::can_suggest), the server also lists the collection in which
    /// a resource was not found, to suggest one with a similar name.
    ///
    /// `after` is the [`Page::next`] of the previous page. Any process that serves the same
    /// resources can continue the listing.
    fn list(&self, query: ListQuery<'_>) -> impl Future<Output = Result<Page, StoreError>> + Send;

    /// The metadata of the resource, without its content.
    fn metadata(&self, uri: &str) -> impl Future<Output = Result<Resource, StoreError>> + Send;

    /// The content. For a collection the content is its children, possibly not all of them, and
    /// their size never causes a failure.
    fn read(
        &self,
        uri: &str,
    ) -> impl Future<Output = Result<Vec<ResourceContents>, StoreError>> + Send;

    /// The content in the wanted formats, the store's own format first if it is among them. By
    /// default the result of [`read`](Self::read), from which the server removes the other formats.
    ///
    /// If pages are wanted, the result is their text, with its [position](PartPosition) in `_meta`.
    /// A store without pages need not check for that. The metadata shows which resources have
    /// single pages, by [`has_pages`](plainly_protocol::types::Representation::has_pages) of a
    /// format.
    fn read_as(
        &self,
        uri: &str,
        wanted: &Wanted,
    ) -> impl Future<Output = Result<Vec<ResourceContents>, StoreError>> + Send {
        let _ = wanted;
        self.read(uri)
    }

    /// Some bytes of the resource in its own format. By default cut out of the result of
    /// [`read`](Self::read). A store of large resources should read only these bytes, so that
    /// clients can read parts of resources of any size.
    fn read_range(
        &self,
        query: RangeQuery<'_>,
    ) -> impl Future<Output = Result<Ranged, StoreError>> + Send {
        range::of_whole(self, query)
    }

    /// The collections and single resources where tools start. Together they contain all resources.
    /// Empty if a store has no such resources.
    fn roots(&self) -> Vec<String> {
        Vec::new()
    }

    /// Templates (RFC 6570) for the URIs of this store, for clients whose users fill them in.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Values of a template's variable that begin with the typed text, at most [`Typed::limit`]. By
    /// default those of listed resources.
    fn complete(
        &self,
        typed: Typed<'_>,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send {
        complete::by_listing(self, typed)
    }

    /// The spelling of `uri` in listings and changes; `None` if `uri` can't name any resource here.
    /// It depends only on the text, and is the same for all views.
    ///
    /// By default each URI has one spelling. A store that accepts others does so in all its
    /// methods, and answers in the spelling of its listings. Clients get contents and notifications
    /// under the URI that they requested.
    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        Some(Cow::Borrowed(uri))
    }

    /// The store as this caller sees it; `None` for the store itself, which is the default.
    ///
    /// A server requests the view for each request, so it should be fast, and answers the request
    /// only from it. Results of a view are never cached for other clients. A client that listens
    /// gets the changes that its own view reports.
    fn view(&self, viewer: &Viewer) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = viewer;
        None
    }

    /// Reports changes, from the call until the watch is dropped; `None` if this store can't.
    ///
    /// A server calls it once when it is built, to check whether the store can report changes, and
    /// drops the watch unused. Later it calls it whenever a client subscribes to resources and none
    /// was subscribed before. So the call itself should be fast, while the watch may use the
    /// resources that watching needs. A store that must poll for changes should poll only the
    /// `subscribed` resources, which may include resources of others.
    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        drop(subscribed);
        None
    }

    /// Whether the server may list resources to suggest one with a similar name if none was found.
    /// Any client can request resources that do not exist, so a store whose listings cost money or
    /// a query should return `false`: then the server neither lists nor suggests resources.
    fn can_suggest(&self) -> bool {
        true
    }

    /// The budget of memory for contents that are read, searched or changed. By default all stores
    /// of the process share one. A store of large contents takes their size from it before it reads
    /// them.
    fn budget(&self) -> Budget {
        Budget::default()
    }

    /// The time that clients may cache results, and whether they may share them.
    fn cache_hint(&self) -> CacheHint {
        CacheHint::default()
    }
}

/// A shared store is a store too.
// A method that is not forwarded would silently use the default of the trait.
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

    fn read_as(
        &self,
        uri: &str,
        wanted: &Wanted,
    ) -> impl Future<Output = Result<Vec<ResourceContents>, StoreError>> + Send {
        S::read_as(self, uri, wanted)
    }

    fn read_range(
        &self,
        query: RangeQuery<'_>,
    ) -> impl Future<Output = Result<Ranged, StoreError>> + Send {
        S::read_range(self, query)
    }

    fn roots(&self) -> Vec<String> {
        S::roots(self)
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        S::templates(self)
    }

    fn complete(
        &self,
        typed: Typed<'_>,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send {
        S::complete(self, typed)
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        S::spelling(self, uri)
    }

    fn view(&self, viewer: &Viewer) -> Option<Self> {
        S::view(self, viewer).map(Self::new)
    }

    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        S::watch(self, subscribed)
    }

    fn can_suggest(&self) -> bool {
        S::can_suggest(self)
    }

    fn budget(&self) -> Budget {
        S::budget(self)
    }

    fn cache_hint(&self) -> CacheHint {
        S::cache_hint(self)
    }
}
