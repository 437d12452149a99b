//! The resources of a server, served together: fixed ones with a handler each, those of templates,
//! and those of stores.

mod checking;
mod children;
mod contents;
mod decoded;
mod extended;
mod listing;
mod meant;
mod part;
mod reading;
mod resource;
mod stored;
mod template;
mod templates;

use std::borrow::Cow;
use std::slice;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_errors::mistake::quoted;
use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::part::Part;
use plainly_protocol::types::{
    CacheHint, ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesResult,
    ReadResourceResult, ResourceMetadataResult,
};
use plainly_protocol::uri_template::Values;

pub(super) use self::checking::{check_stores, check_templates};
pub(super) use self::children::Children;
pub(super) use self::listing::listing_failed;
pub use self::resource::Resource;
pub use self::template::ResourceTemplate;
use self::templates::{ServedTemplate, Templates};
use super::catalogue::Catalogue;
use super::cursor::CursorsOf;
use crate::answer::{Answer, AnswerFuture};
use crate::extract::{CompletionCall, ResourceCall};
use crate::failure::Failure;
use crate::limits::Limits;
use crate::mistakes;
use crate::request::Scope;
use crate::store::{DynStore, Store as _, Stores, Viewer, Wanted};

/// The resources of a server. The fixed ones come first, then the templates, then the stores, each
/// in the order in which they were added. They are listed in this order, and the first provider of
/// a URI answers for it.
#[derive(Debug)]
pub(crate) struct Resources {
    fixed: Catalogue<Resource>,
    templates: Templates,
    stores: Stores,
    settings: ResourceSettings,
}

/// The options of a request to read a resource.
#[derive(Debug)]
pub(super) struct ReadOptions {
    /// The tag of the content that the client has.
    pub(super) known: Option<String>,
    /// The formats that the client requests, if it names any.
    pub(super) accepted: Option<Vec<String>>,
}

/// The settings for the resources of a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceSettings {
    /// Whether every client may see a listing. Layers may hide it from some.
    pub(super) is_open: bool,
    /// Whether the program reports all changes.
    pub(super) announces_all: bool,
    /// Whether the extension `dev.plainly/resources` is in use.
    pub(super) is_extended: bool,
}

/// A page of resources, and the time that clients may cache it.
pub(super) type ListedResources = (ListResourcesResult, CacheHint);

/// The resource, template or store that answers for a URI.
enum Provider<'a> {
    Fixed(Arc<Resource>),
    /// A template, with the values of its variables in the URI.
    Template(&'a ServedTemplate, Values),
    /// A store as the caller sees it, and the requested part of the resource at this URI.
    Store(Arc<dyn DynStore>, Option<(String, Part)>),
}

impl Resources {
    pub(super) fn new(
        fixed: Catalogue<Resource>,
        templates: Vec<ServedTemplate>,
        stores: Stores,
        settings: ResourceSettings,
    ) -> Self {
        Self {
            fixed,
            templates: Templates::new(templates),
            stores,
            settings,
        }
    }

    /// The resources with their own handler, which may be added and removed.
    pub(crate) fn fixed(&self) -> &Catalogue<Resource> {
        &self.fixed
    }

    /// Whether there are resources, or may be later.
    pub(crate) fn is_served(&self) -> bool {
        self.fixed.is_served() || self.templates.iter().len() > 0 || !self.stores.is_empty()
    }

    /// Whether the extension `dev.plainly/resources` is in use.
    pub(crate) fn is_extended(&self) -> bool {
        self.settings.is_extended
    }

    /// The stores, which come after everything else.
    pub(crate) fn stores(&self) -> &Stores {
        &self.stores
    }

    /// Whether any template has a completer for a variable.
    pub(crate) fn can_complete(&self) -> bool {
        let mut templates = self.templates.iter();
        templates.any(|template| template.completers().can_complete())
            || !self.stores.templates().is_empty()
    }

    /// Completes a variable of the template with this text.
    pub(super) fn complete(
        &self,
        template: &str,
        variable: &str,
        call: &CompletionCall<'_>,
    ) -> Result<AnswerFuture, ProtocolError> {
        if let Some(own) = self.templates.of_text(template) {
            return own.completers().complete(variable, call);
        }
        let stores = self.stores.all_seen_by(&Viewer::of(call.scope));
        // Clients may know the template as the store defines it, or as it is listed.
        let listed = template.strip_suffix(part::VARIABLE);
        let listed = listed.filter(|_| self.settings.is_extended);
        let whole = listed.unwrap_or(template);
        if let Some(store) = stores.of_template(whole) {
            return match variable {
                part::NAME if listed.is_some() => Ok(part::complete(store, whole, call)),
                _ => stored::complete(store, (whole, template), variable, call),
            };
        }
        let own = self.templates.iter().map(ServedTemplate::text);
        let stored =
            part::templates(&stores, self.settings.is_extended).map(|one| one.uri_template);
        let known: Vec<String> = own.chain(stored).collect();
        let known = known.iter().map(String::as_str).collect();
        Err(mistakes::unknown(
            "/ref/uri",
            template,
            "resource template",
            known,
        ))
    }

    /// Whether any store reports its changes.
    pub(crate) fn can_watch(&self) -> bool {
        self.stores.iter().any(|store| store.facts().can_watch)
    }

    /// Whether clients can be notified of changes of the resource at `uri`, which need not exist:
    /// by its store or, if the program reports `all` changes, by the program.
    pub(crate) fn can_tell(&self, uri: &str, all: bool, viewer: &Viewer) -> bool {
        match self.provider(uri, || viewer.clone()) {
            Ok(Some(Provider::Fixed(_) | Provider::Template(..))) => all,
            Ok(Some(Provider::Store(store, part))) => {
                let resource = part.as_ref().map_or(uri, |(resource, _)| resource);
                (all || store.facts().can_watch) && store.spelling(resource).is_some()
            }
            Ok(None) | Err(_) => false,
        }
    }

    /// Whether clients can be notified of all changes below a collection. They can't if layers may
    /// hide resources, because notifications would reveal their names.
    pub(crate) fn can_tell_below(&self) -> bool {
        self.settings.is_extended && self.settings.is_open
    }

    /// The URI under which changes of the resource at `uri` are reported, if it is another.
    pub(super) fn listed(&self, uri: &str) -> Option<String> {
        if self.fixed.get(uri).is_some() || self.templates.find(uri).is_some() {
            return None;
        }
        let listed = self.stores.spelling(uri);
        listed.filter(|listed| listed != uri).map(Cow::into_owned)
    }

    /// The provider of `uri`, if there is one; an error if `uri` names an invalid part.
    fn provider(
        &self,
        uri: &str,
        viewer: impl FnOnce() -> Viewer,
    ) -> Result<Option<Provider<'_>>, ProtocolError> {
        if let Some(resource) = self.fixed.get(uri) {
            return Ok(Some(Provider::Fixed(resource)));
        }
        if let Some((template, variables)) = self.templates.find(uri) {
            return Ok(Some(Provider::Template(template, variables)));
        }
        if self.stores.is_empty() {
            return Ok(None);
        }
        let viewer = viewer();
        let part = match self.settings.is_extended {
            true => part::of(uri),
            false => Ok(None),
        };
        let resource = match &part {
            Ok(Some((resource, _))) => resource,
            Ok(None) | Err(_) => uri,
        };
        let Some(store) = self.stores.seen_by(&viewer, resource) else {
            return Ok(None);
        };
        let part = part?.map(|(resource, part)| (resource.to_owned(), part));
        Ok(Some(Provider::Store(store, part)))
    }

    /// The provider of `uri`, if there is one; an error if `uri` is too long, or names an invalid
    /// part.
    fn find(
        &self,
        uri: &str,
        scope: &Scope,
        limits: &Limits,
    ) -> Result<Option<Provider<'_>>, ProtocolError> {
        check_length(uri, limits)?;
        self.provider(uri, || Viewer::of(scope))
    }

    /// The error for `uri`, which has no provider. It suggests the URI that was probably meant,
    /// from the first resources of each store.
    fn missing(&self, uri: &str, scope: &Scope) -> BoxFuture<'static, Failure> {
        let uri = uri.to_owned();
        let find = |known: &mut dyn Iterator<Item = &str>| meant::among(&uri, known);
        let mut meant = None;
        let mut stores = Stores::new();
        if self.settings.is_open {
            meant = self.fixed.among_first(meant::LOOKED_AT, find);
            stores = self.stores.all_seen_by(&Viewer::of(scope));
        }
        Box::pin(async move {
            for store in stores.iter() {
                if meant.is_none() {
                    meant = stored::meant_by(&**store, &uri, None).await;
                }
            }
            Failure::of_server(meant::not_found(&uri, meant))
        })
    }

    /// Reads a resource. If it is stored and has the tag of the client's content, it is not read.
    pub(super) fn read(
        &self,
        call: &ResourceCall<'_>,
        options: ReadOptions,
        limits: &Limits,
    ) -> Result<AnswerFuture, ProtocolError> {
        let (hint, reading) = match self.find(call.uri, call.scope, limits)? {
            Some(Provider::Fixed(resource)) => (resource.hint(), resource.read(call)),
            Some(Provider::Template(template, variables)) => {
                (template.cache_hint(), template.read(&call.with(&variables)))
            }
            Some(Provider::Store(store, part)) => {
                return Ok(self.read_stored(store, part, options, call));
            }
            None => return Ok(Box::pin(self.missing(call.uri, call.scope).map(Err))),
        };
        let formats = self.formats(call, options.accepted);
        let extended = self.extended(call, None, formats);
        let uri = call.uri.to_owned();
        Ok(Box::pin(async move {
            // A failure to create the handler's parameters is reported like a failure of the
            // handler, so it is returned only here.
            let mut contents = reading?.await?;
            extended.fit(&uri, &mut contents);
            Ok(Answer::Contents(ReadResourceResult::new(contents), hint))
        }))
    }

    fn read_stored(
        &self,
        store: Arc<dyn DynStore>,
        part: Option<(String, Part)>,
        options: ReadOptions,
        call: &ResourceCall<'_>,
    ) -> AnswerFuture {
        let (uri, is_open) = (call.uri.to_owned(), self.settings.is_open);
        let viewer = Viewer::of(call.scope);
        let formats = self.formats(call, options.accepted);
        let wanted = Wanted::new(formats.clone());
        let extended = self.extended(call, Some(&*store), formats);
        let known = options.known.filter(|_| self.settings.is_extended);
        Box::pin(async move {
            let contents = match part {
                // Boxed, so that whole resources need no room for it.
                Some((resource, part)) => {
                    Box::pin(async {
                        let resource = stored::metadata(&*store, &resource, is_open).await?;
                        part::read(&store, resource, part, &uri, &viewer).await
                    })
                    .await
                }
                None => match known {
                    Some(tag) => {
                        Box::pin(stored::read_unless(&*store, &uri, &wanted, &tag, is_open)).await
                    }
                    None => stored::read(&*store, &uri, &wanted, is_open).await,
                },
            };
            let mut contents = contents.map_err(Failure::of_server)?;
            extended.fit(&uri, &mut contents);
            Ok(Answer::Contents(
                ReadResourceResult::new(contents),
                store.cache_hint(),
            ))
        })
    }

    pub(super) async fn metadata(
        &self,
        call: &ResourceCall<'_>,
        limits: &Limits,
    ) -> Result<ResourceMetadataResult, Failure> {
        let uri = call.uri;
        let mut metadata = match self.find(uri, call.scope, limits)? {
            Some(Provider::Fixed(resource)) => resource.definition(),
            Some(Provider::Template(template, variables)) => {
                template.metadata(&call.with(&variables)).await?
            }
            Some(Provider::Store(store, part)) => {
                let resource = part.as_ref().map_or(uri, |(resource, _)| resource);
                let metadata = stored::metadata(&*store, resource, self.settings.is_open).await;
                let metadata = metadata.map_err(Failure::of_server)?;
                match part {
                    Some((_, part)) => {
                        part::described(metadata, part, uri).map_err(Failure::of_server)?
                    }
                    None => metadata,
                }
            }
            None => return Err(self.missing(uri, call.scope).await),
        };
        self.extend_each(slice::from_mut(&mut metadata), call.scope.peer().revision);
        Ok(ResourceMetadataResult::new(metadata))
    }

    pub(super) fn list_templates(
        &self,
        params: &ListResourceTemplatesParams,
        scope: &Scope,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListResourceTemplatesResult, ProtocolError> {
        let stores = self.stores.all_seen_by(&Viewer::of(scope));
        let mut page = self.templates.list(
            part::templates(&stores, self.settings.is_extended),
            params,
            cursors,
            limit,
        )?;
        self.extend_templates(&mut page.resource_templates);
        Ok(page)
    }
}

/// Checks that the length of `uri` is within the limit.
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
