//! The resources of a server, served as one: fixed ones with a handler each, those of templates, and those of stores.

mod checking;
mod children;
mod contents;
mod listing;
mod meant;
mod reading;
mod resource;
mod stored;
mod template;
mod templates;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use plainly_errors::mistake::quoted;
use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::{
    CacheHint, ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesResult,
    ReadResourceResult, ResourceMetadataResult,
};
use plainly_protocol::uri_template::Values;

pub(super) use self::checking::check_templates;
pub(super) use self::children::Children;
pub(super) use self::listing::listing_failed;
pub use self::resource::Resource;
pub(super) use self::stored::EndlessListing;
pub(crate) use self::stored::{ErasedStore, erase};
pub use self::template::ResourceTemplate;
use self::templates::{ServedTemplate, Templates};
use super::catalogue::Catalogue;
use super::completion::Completers;
use super::cursor::CursorsOf;
use crate::answer::{Answer, AnswerFuture};
use crate::extract::ResourceCall;
use crate::failure::Failure;
use crate::limits::Limits;
use crate::mistakes;
use crate::store::Change;

/// The resources of a server. The fixed ones come first, then the templates, then the stores, each in the order in which
/// they were added: in this order they are listed, and the first that serves a URI answers for it.
#[derive(Debug)]
pub(crate) struct Resources {
    fixed: Catalogue<Resource>,
    templates: Templates,
    stores: Vec<Box<dyn ErasedStore>>,
    /// Whether every client may see a listing: layers may hide it from some.
    is_open: bool,
}

/// A page of resources, and how long clients may cache it.
pub(super) type ListedResources = (ListResourcesResult, CacheHint);

/// The resource, template or store that answers for a URI.
enum Provider<'a> {
    Fixed(Arc<Resource>),
    /// With what the variables of the template stand for in the URI.
    Template(&'a ServedTemplate, Values),
    Store(&'a dyn ErasedStore),
}

impl Resources {
    pub(super) fn new(
        fixed: Catalogue<Resource>,
        templates: Vec<ServedTemplate>,
        stores: Vec<Box<dyn ErasedStore>>,
        is_open: bool,
    ) -> Self {
        Self {
            fixed,
            templates: Templates::new(templates),
            stores,
            is_open,
        }
    }

    /// The resources with a handler of their own, which may come and go.
    pub(crate) fn fixed(&self) -> &Catalogue<Resource> {
        &self.fixed
    }

    /// Whether there are any, or may be later.
    pub(crate) fn is_served(&self) -> bool {
        self.fixed.is_served() || self.templates.iter().len() > 0 || !self.stores.is_empty()
    }

    /// Whether anything completes a variable of any template.
    pub(crate) fn can_complete(&self) -> bool {
        let mut templates = self.templates.iter();
        templates.any(|template| template.completers().can_complete())
    }

    /// The variables of the template that reads like this.
    pub(super) fn completers(&self, template: &str) -> Result<&Completers, ProtocolError> {
        let found = self.templates.of_text(template);
        found.map(ServedTemplate::completers).ok_or_else(|| {
            let known = self.templates.iter();
            let known = known.map(|one| &*one.definition().uri_template).collect();
            mistakes::unknown("/ref/uri", template, "resource template", known)
        })
    }

    /// Whether any store reports what changes in it.
    pub(crate) fn can_watch(&self) -> bool {
        self.stores.iter().any(|store| store.can_watch())
    }

    /// The changes from now on in each store that reports them.
    pub(crate) fn watch(&self) -> Vec<BoxStream<'static, Change>> {
        let watchable = self.stores.iter().filter(|store| store.can_watch());
        watchable.filter_map(|store| store.watch()).collect()
    }

    /// Whether clients can hear of changes of the resource at `uri`: from its store or, if the program reports `all`
    /// changes, from the program.
    pub(crate) fn can_tell(&self, uri: &str, all: bool) -> bool {
        match self.provider(uri) {
            Some(Provider::Fixed(_) | Provider::Template(..)) => all,
            Some(Provider::Store(store)) => all || store.can_watch(),
            None => false,
        }
    }

    fn provider(&self, uri: &str) -> Option<Provider<'_>> {
        if let Some(resource) = self.fixed.get(uri) {
            return Some(Provider::Fixed(resource));
        }
        if let Some((template, variables)) = self.templates.find(uri) {
            return Some(Provider::Template(template, variables));
        }
        let store = self.stores.iter().find(|store| store.serves(uri));
        store.map(|store| Provider::Store(&**store))
    }

    /// The provider of `uri`, if there is one; an error if `uri` is too long to look for it.
    fn find(&self, uri: &str, limits: &Limits) -> Result<Option<Provider<'_>>, ProtocolError> {
        check_length(uri, limits)?;
        Ok(self.provider(uri))
    }

    /// The error for `uri`, which has no provider, with what was probably meant among the first resources of each store.
    fn missing(&self, uri: &str) -> BoxFuture<'static, Failure> {
        let uri = uri.to_owned();
        let find = |known: &mut dyn Iterator<Item = &str>| meant::among(&uri, known);
        let mut meant = None;
        let mut stores = Vec::new();
        if self.is_open {
            meant = self.fixed.among_first(meant::LOOKED_AT, find);
            stores.extend(self.stores.iter().map(|store| store.meant(uri.clone())));
        }
        Box::pin(async move {
            for store in stores {
                if meant.is_none() {
                    meant = store.await;
                }
            }
            Failure::of_server(meant::not_found(&uri, meant))
        })
    }

    pub(super) fn read(
        &self,
        call: &ResourceCall<'_>,
        limits: &Limits,
    ) -> Result<AnswerFuture, ProtocolError> {
        let (hint, reading) = match self.find(call.uri, limits)? {
            Some(Provider::Fixed(resource)) => (resource.hint(), resource.read(call)),
            Some(Provider::Template(template, variables)) => {
                (template.cache_hint(), template.read(&call.with(&variables)))
            }
            Some(Provider::Store(store)) => return Ok(self.read_stored(store, call.uri)),
            None => return Ok(Box::pin(self.missing(call.uri).map(Err))),
        };
        Ok(Box::pin(async move {
            // A failure to extract the handler's arguments is reported like one of the handler, hence only here.
            let result = ReadResourceResult::new(reading?.await?);
            Ok(Answer::Contents(result, hint))
        }))
    }

    fn read_stored(&self, store: &dyn ErasedStore, uri: &str) -> AnswerFuture {
        let hint = store.cache_hint();
        let reading = store.read(uri.to_owned(), self.is_open);
        Box::pin(async move {
            let contents = reading.await.map_err(Failure::of_server)?;
            Ok(Answer::Contents(ReadResourceResult::new(contents), hint))
        })
    }

    pub(super) async fn metadata(
        &self,
        call: &ResourceCall<'_>,
        limits: &Limits,
    ) -> Result<ResourceMetadataResult, Failure> {
        let uri = call.uri;
        let metadata = match self.find(uri, limits)? {
            Some(Provider::Fixed(resource)) => resource.definition(),
            Some(Provider::Template(template, variables)) => {
                template.metadata(&call.with(&variables)).await?
            }
            Some(Provider::Store(store)) => {
                let metadata = store.metadata(uri.to_owned(), self.is_open).await;
                metadata.map_err(Failure::of_server)?
            }
            None => return Err(self.missing(uri).await),
        };
        Ok(ResourceMetadataResult::new(metadata))
    }

    pub(super) fn list_templates(
        &self,
        params: &ListResourceTemplatesParams,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListResourceTemplatesResult, ProtocolError> {
        self.templates.list(params, cursors, limit)
    }
}

/// Whether `uri` is within the limit, and so may be looked at.
pub(crate) fn check_length(uri: &str, limits: &Limits) -> Result<(), ProtocolError> {
    if uri.len() <= limits.uri_bytes {
        return Ok(());
    }
    let invalid = ProtocolError::from(InvalidParams::InvalidUri {
        uri: quoted(uri).into_owned(),
        problems: Vec::new(),
    });
    let most = limits.uri_bytes;
    Err(invalid.with_message(format!("Invalid URI: longer than {most} bytes")))
}
