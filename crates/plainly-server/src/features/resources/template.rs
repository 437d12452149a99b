//! Resources whose URIs follow a template: one handler for all of them, and optionally one that
//! describes each and one that lists them.

use std::fmt;

use futures_util::future::BoxFuture;
use plainly_protocol::types::{self, CacheHint, Resource};

use super::reading::{ReadHandler, reader};
use crate::extract::{
    CompletionChannel, ExtractAll, ListingCall, ListingChannel, Needs, ResourceCall,
    ResourceChannel,
};
use crate::failure::Failure;
use crate::features::completion::Completer;
use crate::features::declared::declare;
use crate::features::setters::setters;
use crate::handler::Handler;
use crate::reply::{CompletionReply, ListReply, MetadataReply, ResourceReply};

type MetadataFuture = BoxFuture<'static, Result<Resource, Failure>>;
type MetadataHandler =
    Box<dyn Fn(&ResourceCall<'_>) -> Result<MetadataFuture, Failure> + Send + Sync>;
type ListFuture = BoxFuture<'static, Result<Vec<Resource>, Failure>>;
type ListHandler = Box<dyn Fn(&ListingCall<'_>) -> Result<ListFuture, Failure> + Send + Sync>;

/// Resources whose URIs follow a template (RFC 6570), with a handler that reads any of them. None
/// of them is a collection.
///
/// [`uri_template`](plainly_protocol::uri_template) explains which URIs match. For a URI the server
/// first looks for a [`Resource`](crate::Resource) with that exact URI, then for the first matching
/// template in the order in which they were added, and finally for a store.
///
/// ```
/// use plainly::{ProtocolError, ResourceTemplate, ResourceUri, Text, Vars};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Note {
///     id: u32,
/// }
///
/// async fn note(uri: ResourceUri, Vars(Note { id }): Vars<Note>) -> Result<Text, ProtocolError> {
///     match id {
///         42 => Ok(Text::markdown("Don't panic.")),
///         _ => Err(ProtocolError::resource_not_found(uri)),
///     }
/// }
///
/// let template = ResourceTemplate::new("note://{id}", note).name("note").description("A note by its number");
/// ```
pub struct ResourceTemplate {
    pub(super) definition: types::ResourceTemplate,
    pub(super) cache_hint: CacheHint,
    needs: Needs,
    pub(super) read: ReadHandler,
    pub(super) describe: Option<MetadataHandler>,
    pub(super) list: Option<ListHandler>,
    completers: Vec<(String, Completer)>,
}

impl ResourceTemplate {
    /// Resources whose URIs follow `uri_template`, each read by `handler`. The name is the template
    /// unless you set a better one with [`name`](Self::name).
    pub fn new<F, A, By>(uri_template: impl Into<String>, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<ResourceChannel>,
        F::Output: ResourceReply<By>,
        F::Future: Send + 'static,
    {
        let uri_template = uri_template.into();
        let mut needs = Needs::default();
        A::needs_of_all(&mut needs);
        let mut definition = types::ResourceTemplate::new(uri_template.clone(), uri_template);
        declare(&mut definition.meta, F::Output::problems());
        Self {
            definition,
            cache_hint: CacheHint::default(),
            needs,
            read: reader(handler),
            describe: None,
            list: None,
            completers: Vec::new(),
        }
    }

    setters! {
        name = "Its name, for programs. Its resources inherit it, like everything else declared for the template.",
        title,
        description = "A description of the content of its resources.",
        mime_type = "The MIME type of all its resources.",
        icons,
        annotations,
        cache_hint = "How long clients may cache its resources and their listing, and whether they may share them. By default not at all.",
    }

    /// Describes each resource with `handler`, which has the same parameters as a handler that
    /// reads. It returns a [`types::Resource`](plainly_protocol::types::Resource) with the
    /// requested URI, or `None` if the resource does not exist.
    ///
    /// Without this handler, the server reads a resource to describe it, because only the reading
    /// handler knows whether it exists.
    #[must_use]
    pub fn metadata<F, A, By>(mut self, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<ResourceChannel>,
        F::Output: MetadataReply<By>,
        F::Future: Send + 'static,
    {
        A::needs_of_all(&mut self.needs);
        self.describe = Some(Box::new(move |call| {
            let running = handler.call(A::extract_all(call)?);
            let uri = call.uri.to_owned();
            Ok(Box::pin(async move {
                let described = running.await.into_metadata(&uri);
                described.map_err(|failure| failure.of_resource(&uri))
            }))
        }));
        self
    }

    /// Lists existing resources with `handler`, which may have the parameters
    /// [`State`](crate::extract::State) and [`Context`](crate::extract::Context) and returns a
    /// [`Vec<types::Resource>`](plainly_protocol::types::Resource). The resources become part of
    /// `resources/list`, in the order returned. The handler runs again for each page.
    #[must_use]
    pub fn list<F, A, By>(mut self, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<ListingChannel>,
        F::Output: ListReply<By>,
        F::Future: Send + 'static,
    {
        A::needs_of_all(&mut self.needs);
        self.list = Some(Box::new(move |call| {
            let running = handler.call(A::extract_all(call)?);
            Ok(Box::pin(async move { running.await.into_list() }))
        }));
        self
    }

    /// Completes `variable` with `handler`, while the user types it. The last handler for a
    /// variable is used. An enum needs no handler.
    #[must_use]
    pub fn complete<F, A, By>(mut self, variable: impl Into<String>, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<CompletionChannel>,
        F::Output: CompletionReply<By>,
        F::Future: Send + 'static,
    {
        let completer = Completer::new(handler);
        self.completers.push((variable.into(), completer));
        self
    }

    /// Removes the completers and returns them with their variables.
    pub(in crate::features) fn take_completers(&mut self) -> Vec<(String, Completer)> {
        std::mem::take(&mut self.completers)
    }

    pub(in crate::features) fn uri_template(&self) -> &str {
        &self.definition.uri_template
    }

    /// The requirements of the handlers and of the completers.
    pub(in crate::features) fn all_needs(&self) -> impl Iterator<Item = &Needs> {
        let completers = self.completers.iter();
        completers
            .map(|(_, completer)| completer.needs())
            .chain([&self.needs])
    }

    pub(in crate::features) fn needs(&self) -> &Needs {
        &self.needs
    }
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}
