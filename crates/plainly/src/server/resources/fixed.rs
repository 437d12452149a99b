//! A resource of its own: one URI, one handler.

use std::fmt;

use plainly_protocol::types::{Annotations, Icon, Resource};

use super::reading::{Read, Reading, reader};
use crate::server::extract::{ExtractAll, Needs, ResourceCall, ResourceChannel};
use crate::server::failure::Failure;
use crate::server::handler::Handler;
use crate::server::reply::ResourceReply;

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

    pub(in crate::server) fn needs(&self) -> &Needs {
        &self.needs
    }

    pub(super) fn read(&self, call: &ResourceCall<'_>) -> Result<Reading, Failure> {
        (self.read)(self.definition.clone(), call)
    }
}

impl fmt::Debug for StaticResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}
