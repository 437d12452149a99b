//! A fixed resource: one URI, one handler.

use std::fmt;

use plainly_protocol::types::{self, CacheHint, Representation};

use super::reading::{ReadFuture, ReadHandler, reader};
use crate::extract::{ExtractAll, Needs, ResourceCall, ResourceChannel};
use crate::failure::Failure;
use crate::features::catalogue::{Definition, Item};
use crate::features::declared::declare;
use crate::features::error::{BuildError, check_needs};
use crate::features::setters::setters;
use crate::handler::Handler;
use crate::limits::Limits;
use crate::reply::ResourceReply;
use crate::state::States;

/// The default MIME type of a collection.
const DIRECTORY: &str = "inode/directory";

/// A resource with a fixed URI and a handler that returns its content.
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
pub struct Resource {
    definition: types::Resource,
    cache_hint: CacheHint,
    needs: Needs,
    read: ReadHandler,
}

impl Resource {
    /// A resource at `uri`, served by `handler`. Its name is the URI unless you set a better one
    /// with [`name`](Self::name).
    ///
    /// It is listed and has metadata even if the handler fails, because neither may cost as much as
    /// reading. If the resource may disappear, add and remove it
    /// [at run time](crate::ServerBuilder::dynamic_resources).
    pub fn new<F, A, By>(uri: impl Into<String>, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<ResourceChannel>,
        F::Output: ResourceReply<By>,
        F::Future: Send + 'static,
    {
        let uri = uri.into();
        Self::described(types::Resource::new(uri.clone(), uri), handler)
    }

    /// A resource with this definition, served by `handler`.
    pub(in crate::features) fn described<F, A, By>(
        mut definition: types::Resource,
        handler: F,
    ) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<ResourceChannel>,
        F::Output: ResourceReply<By>,
        F::Future: Send + 'static,
    {
        let mut needs = Needs::default();
        A::needs_of_all(&mut needs);
        definition.is_collection = Some(false);
        declare(&mut definition.meta, F::Output::problems());
        Self {
            definition,
            cache_hint: CacheHint::default(),
            needs,
            read: reader(handler),
        }
    }

    setters! {
        name = "Its name, for programs.",
        title,
        description = "A description of its content.",
        mime_type = "The MIME type of its content.",
        icons,
        annotations,
        meta,
        cache_hint = "How long clients may cache its content, and whether they may share it. By default not at all.",
    }

    /// Lists the formats that reading returns in the metadata, the preferred one first. That one is
    /// also the MIME type, unless you set another.
    ///
    /// ```
    /// use plainly::server::{Resource, reply::Text};
    ///
    /// async fn report() -> Vec<Text> {
    ///     vec![Text::new("<h1>Report</h1>", "text/html"), Text::plain("Report")]
    /// }
    ///
    /// let resource = Resource::new("app://report", report).formats(["text/html", "text/plain"]);
    /// ```
    #[must_use]
    pub fn formats<M: Into<String>>(mut self, mime_types: impl IntoIterator<Item = M>) -> Self {
        let formats: Vec<_> = mime_types.into_iter().map(Representation::new).collect();
        if let Some(preferred) = formats.first() {
            let mime_type = &mut self.definition.mime_type;
            mime_type.get_or_insert_with(|| preferred.mime_type.clone());
        }
        Representation::list(&formats, self.definition.meta.get_or_insert_default());
        self
    }

    /// Makes the resource a collection. Its handler then returns the children: contents with their
    /// own URIs, or none if the collection is empty. Clients that list the collection also get
    /// these children, page by page. The default MIME type is `inode/directory`.
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

    pub(in crate::features) fn uri(&self) -> &str {
        &self.definition.uri
    }

    pub(in crate::features) fn needs(&self) -> &Needs {
        &self.needs
    }

    pub(super) fn definition(&self) -> types::Resource {
        self.definition.clone()
    }

    pub(super) fn hint(&self) -> CacheHint {
        self.cache_hint
    }

    pub(super) fn is_collection(&self) -> bool {
        self.definition.is_collection == Some(true)
    }

    pub(super) fn read(&self, call: &ResourceCall<'_>) -> Result<ReadFuture, Failure> {
        (self.read)(self.definition.clone(), call)
    }
}

impl Definition for Resource {
    type Served = Self;

    const DYNAMIC_OPTION: &'static str = "dynamic_resources()";

    fn subject(&self) -> String {
        format!("resource {}", self.uri())
    }

    fn check(
        self,
        states: &States,
        _limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Option<Self> {
        let subject = self.subject();
        let before = errors.len();
        check_needs(&subject, &self.needs, states, errors);
        errors.extend(misspelt(self.uri()).map(|why| BuildError::new(&subject, why)));
        if !self.needs.vars.is_empty() {
            let problem = "takes Vars, which only a resource template has";
            errors.push(BuildError::new(&subject, problem));
        }
        (errors.len() == before).then_some(self)
    }
}

/// The reason why the text is not a URI (RFC 3986); `None` if it is one.
fn misspelt(uri: &str) -> Option<String> {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|it: char| it.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
    };
    if !scheme.is_some_and(is_scheme) {
        return Some("needs a URI that starts with a scheme, such as note://1".to_owned());
    }
    let is_other = |it: char| it.is_control() || it == ' ' || "\"<>\\^`{|}".contains(it);
    let other = uri.chars().find(|it| is_other(*it))?;
    Some(format!("has {other:?} in its URI: percent-encode it"))
}

impl Item for Resource {
    fn name(&self) -> &str {
        self.uri()
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}
