//! A resource of its own: one URI, one handler.

use std::fmt;

use plainly_protocol::types::{Annotations, CacheHint, Icon, Resource};

use super::reading::{Read, Reading, reader};
use crate::server::extract::{ExtractAll, Needs, ResourceCall, ResourceChannel};
use crate::server::failure::Failure;
use crate::server::features::catalogue::Named;
use crate::server::features::error::BuildError;
use crate::server::features::needs::check_needs;
use crate::server::handler::Handler;
use crate::server::reply::ResourceReply;
use crate::server::state::States;

/// The MIME type of a collection that has no other.
const DIRECTORY: &str = "inode/directory";

/// A resource with a handler that gives its content.
///
/// ```
/// use plainly::server::{Resource, reply::Text};
///
/// async fn motd() -> Text {
///     Text::plain("Be kind.")
/// }
///
/// let resource = Resource::new("app://motd", motd).name("motd").description("The message of the day");
/// ```
pub struct StaticResource {
    pub(super) definition: Resource,
    pub(super) cache_hint: CacheHint,
    needs: Needs,
    read: Read,
}

impl StaticResource {
    /// The resource at `uri`, served by `handler`. Its name is the URI until [`name`](Self::name) gives it a better one.
    pub fn new<F, A, By>(uri: impl Into<String>, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<ResourceChannel>,
        F::Output: ResourceReply<By>,
        F::Future: Send + 'static,
    {
        let uri = uri.into();
        let mut needs = Needs::default();
        A::needs_of_all(&mut needs);
        let definition = Resource::new(uri.clone(), uri).is_collection(false);
        Self {
            definition,
            cache_hint: CacheHint::default(),
            needs,
            read: reader(handler),
        }
    }

    /// Its name, for programs.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.definition.name = name.into();
        self
    }

    /// What it is called in front of people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// What it holds.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// The MIME type of its content.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.definition.mime_type = Some(mime_type.into());
        self
    }

    /// It is a collection, and its handler gives its children: contents with URIs of their own, or none if it is empty.
    /// Whoever lists the collection gets these children too, page by page. Unless it has a MIME type, it is an
    /// `inode/directory`.
    ///
    /// ```
    /// use plainly::protocol::types::{self, ResourceContents};
    /// use plainly::server::Resource;
    ///
    /// async fn styles() -> Vec<ResourceContents> {
    ///     let child = |name: &str| {
    ///         let child = types::Resource::new(format!("style://{name}"), name).is_collection(false);
    ///         ResourceContents::new(child.mime_type("text/css"), "body { color: #222 }")
    ///     };
    ///     ["light", "dark"].map(child).into()
    /// }
    ///
    /// let resource = Resource::new("style://", styles).name("styles").collection();
    /// ```
    #[must_use]
    pub fn collection(mut self) -> Self {
        self.definition.is_collection = Some(true);
        let mime_type = &mut self.definition.mime_type;
        mime_type.get_or_insert_with(|| DIRECTORY.to_owned());
        self
    }

    /// How long clients may keep its content, and whether they may share it. By default not at all.
    #[must_use]
    pub fn cache_hint(mut self, hint: CacheHint) -> Self {
        self.cache_hint = hint;
        self
    }

    /// Hints for hosts.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.definition.annotations = Some(annotations);
        self
    }

    /// Images for it.
    #[must_use]
    pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.definition.icons = Some(icons.into());
        self
    }

    pub(in crate::server) fn uri(&self) -> &str {
        &self.definition.uri
    }

    /// The resource, or what is wrong with it in `errors`.
    pub(in crate::server) fn checked(
        self,
        states: &States,
        errors: &mut Vec<BuildError>,
    ) -> Option<Self> {
        let subject = format!("resource {}", self.uri());
        let before = errors.len();
        check_needs(&subject, &self.needs, states, errors);
        if !self.needs.vars.is_empty() {
            let problem = "takes Vars, which only a resource template has";
            errors.push(BuildError::new(&subject, problem));
        }
        (errors.len() == before).then_some(self)
    }

    pub(in crate::server) fn needs(&self) -> &Needs {
        &self.needs
    }

    pub(super) fn is_collection(&self) -> bool {
        self.definition.is_collection == Some(true)
    }

    pub(super) fn read(&self, call: &ResourceCall<'_>) -> Result<Reading, Failure> {
        (self.read)(self.definition.clone(), call)
    }
}

impl Named for StaticResource {
    fn name(&self) -> &str {
        self.uri()
    }
}

impl fmt::Debug for StaticResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}
