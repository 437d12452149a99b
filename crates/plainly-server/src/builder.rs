//! Builds a server from the author's definitions, and reports all mistakes at once.

mod clustering;
mod observing;

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use plainly_errors::Dialect;
use plainly_protocol::types::{Icon, Implementation, JsonObject};
use tower_layer::Layer;
use tower_service::Service;

use super::audience::ErrorPolicy;
use super::changes::{Changes, Spellings};
use super::discovery::Discovery;
use super::features::{
    App, BuildErrors, Definitions, Features, Prompt, Resource, ResourceTemplate, Tool, UI_EXTENSION,
};
use super::layer::{BoxError, Next, Outcome, Request};
use super::load::Load;
use super::operation::Observer;
use super::outgoing::encode::Encoder;
use super::outgoing::unsent::UnsentReplies;
use super::sessions::Sessions;
use super::sessions::ended::SessionObserver;
use super::source::{Source, SourceList, Sources};
use super::subscriptions::{Announcements, Listeners, Subscriptions};
use super::tasks::{ErasedTasks, TaskStore, Tasks};
use super::{Inner, Server};
use crate::limits::Limits;
use crate::replicas::CountedEngine;
use crate::skills::Skills;
use crate::store::Store;
use plainly_cluster::Records;
use plainly_cluster::erased::ErasedRecords;
use plainly_transport::quota::Quota;
use plainly_transport::seal::Keys;

/// Builds a server. Nothing is checked before [`build`](Self::build), which reports all mistakes at
/// once.
#[derive(Debug)]
pub struct ServerBuilder {
    implementation: Implementation,
    instructions: Option<String>,
    limits: Limits,
    errors: ErrorPolicy,
    keys: Option<Keys>,
    definitions: Definitions,
    changes: Option<Changes>,
    tasks: Option<Arc<dyn ErasedTasks>>,
    records: Option<Arc<dyn ErasedRecords>>,
    engine: Option<Arc<CountedEngine>>,
    sources: SourceList,
    layers: Vec<Wrap>,
    observer: Observer,
    sessions: SessionObserver,
}

/// Wraps a layer around the next stage.
struct Wrap(Box<dyn FnOnce(Next) -> Next + Send + Sync>);

impl fmt::Debug for Wrap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wrap")
    }
}

impl ServerBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            implementation: Implementation::new(name, version),
            instructions: None,
            limits: Limits::default(),
            errors: ErrorPolicy::default(),
            keys: None,
            definitions: Definitions::default(),
            changes: None,
            sources: SourceList::default(),
            layers: Vec::new(),
            observer: Observer::default(),
            sessions: SessionObserver::default(),
            tasks: None,
            records: None,
            engine: None,
        }
    }

    /// Sets the display name.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.implementation = self.implementation.title(title);
        self
    }

    /// Sets a description of the server.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.implementation = self.implementation.description(description);
        self
    }

    /// Sets icons for the server.
    #[must_use]
    pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.implementation = self.implementation.icons(icons);
        self
    }

    /// Sets instructions for the model on how to use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Shares `state` with every handler that has a parameter [`State<S>`](super::extract::State).
    #[must_use]
    pub fn state<S: Any + Clone + Send + Sync>(mut self, state: S) -> Self {
        self.definitions.states.insert(state);
        self
    }

    /// Serves a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.definitions.tools.push(tool);
        self
    }

    /// Serves several tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.definitions.tools.extend(tools);
        self
    }

    /// Serves a prompt.
    #[must_use]
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.definitions.prompts.push(prompt);
        self
    }

    /// Serves a resource.
    #[must_use]
    pub fn resource(mut self, resource: Resource) -> Self {
        self.definitions.resources.push(resource);
        self
    }

    /// Serves the page of an [`App`], and declares that the server has such pages (extension
    /// `io.modelcontextprotocol/ui`).
    #[must_use]
    pub fn app(mut self, app: App) -> Self {
        let extensions = &mut self.definitions.extensions;
        if !extensions.iter().any(|(name, _)| name == UI_EXTENSION) {
            extensions.push((UI_EXTENSION.to_owned(), App::settings()));
        }
        self.resource(app.into())
    }

    /// Serves resources whose URIs follow a template.
    #[must_use]
    pub fn resource_template(mut self, template: ResourceTemplate) -> Self {
        self.definitions.templates.push(template);
        self
    }

    /// Serves all resources of a store.
    #[must_use]
    pub fn store(mut self, store: impl Store) -> Self {
        self.definitions.stores = std::mem::take(&mut self.definitions.stores).add(store);
        self
    }

    /// Serves skills, and declares that the server has some (extension
    /// `io.modelcontextprotocol/skills`). Their files are resources: also add a store with the
    /// files.
    #[must_use]
    pub fn skills(mut self, skills: impl Skills) -> Self {
        self.definitions.skills = Some(Arc::new(skills));
        self
    }

    /// Serves the answers of a [`Source`](super::Source), after the program's own tools, resources
    /// and prompts and after sources added before it.
    #[must_use]
    pub fn source(mut self, source: impl Source) -> Self {
        self.sources.push(source);
        self
    }

    /// Allows tools to be added and removed while the server runs, with [`Server::add_tool`] and
    /// [`Server::remove_tool`]. The server declares the capability for tools even if there are none
    /// yet, and announces every change.
    #[must_use]
    pub fn dynamic_tools(mut self) -> Self {
        self.definitions.dynamic.tools = true;
        self
    }

    /// Allows prompts to be added and removed while the server runs, with [`Server::add_prompt`]
    /// and [`Server::remove_prompt`], as [`dynamic_tools`](Self::dynamic_tools) does for tools.
    #[must_use]
    pub fn dynamic_prompts(mut self) -> Self {
        self.definitions.dynamic.prompts = true;
        self
    }

    /// Allows resources to be added and removed while the server runs, with
    /// [`Server::add_resource`] and [`Server::remove_resource`], as
    /// [`dynamic_tools`](Self::dynamic_tools) does for tools.
    #[must_use]
    pub fn dynamic_resources(mut self) -> Self {
        self.definitions.dynamic.resources = true;
        self
    }

    /// Notifies subscribers of everything published through `changes`, and declares this in the
    /// capabilities for tools, prompts and resources. A store that reports changes itself
    /// ([`Store::watch`]) does not need this.
    #[must_use]
    pub fn changes(mut self, changes: Changes) -> Self {
        self.changes = Some(changes);
        self
    }

    /// Stores tasks in `store` instead of this process's memory.
    #[must_use]
    pub fn task_store(mut self, store: impl TaskStore) -> Self {
        self.tasks = Some(Arc::new(store));
        self
    }

    /// Shares legacy sessions over HTTP, and tasks, with all servers that use these records. Each
    /// answers requests of a session that another opened, and knows its log level, its
    /// subscriptions and its end. Each also reports, answers and cancels tasks of the others,
    /// unless it has its own [store](Self::task_store). By default, only this process knows its
    /// sessions and tasks.
    ///
    /// A session's record is stored for twice the time that the session may be
    /// [idle](crate::limits::SessionLimits::idle), and written again after half of that. While the
    /// records can't be reached, a server answers the sessions that it knows, and responds to other
    /// requests that need the records with an error (HTTP 503).
    ///
    /// With [keys](Self::keys), the records are sealed: give all servers the same keys. Without
    /// keys, a program that reads the records learns the names of users and clients, and one that
    /// writes them can take over a session. An answer to a question in a session must still reach
    /// the server that asked, and the rest of a stream comes from the server that sent its
    /// beginning.
    #[must_use]
    pub fn records(mut self, records: impl Records) -> Self {
        self.records = Some(Arc::new(records));
        self
    }

    /// Sets the code for a missing resource on revisions that defined a separate one.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.errors.dialect = dialect;
        self
    }

    /// Hides the details of errors without a meaning of their own (not a problem, not a protocol
    /// error, and not a message written as a [`Failure`](super::Failure)). The peer gets only an
    /// incident number, and the log has the number with the whole error.
    #[must_use]
    pub fn mask_internal_errors(mut self) -> Self {
        self.errors.masking = true;
        self
    }

    /// Sets the secret keys that seal data which clients return. A server with the same
    /// definitions, name and keys can continue this server's listings and rounds of questions. By
    /// default, each server generates its own key.
    #[must_use]
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Declares an extension of the protocol that the program supports (SEP-2133), with its
    /// settings. On revisions without extensions, it is declared as an experimental capability.
    /// [`build`](Self::build) rejects a malformed name, one with a reserved prefix, and one that
    /// the server itself declares.
    ///
    /// The name of an extension begins with a domain of its author.
    /// [`Context::client_extension`](super::extract::Context::client_extension) returns what a
    /// client declares.
    ///
    /// ```
    /// use plainly::server::Server;
    /// use serde_json::json;
    ///
    /// let formats = [("formats", json!(["svg"]))];
    /// let server = Server::builder("charts", "1.0.0")
    ///     .extension("com.example/charts", formats)
    ///     .build()?;
    /// # Ok::<(), plainly::server::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn extension(mut self, name: impl Into<String>, settings: impl Into<JsonObject>) -> Self {
        let extension = (name.into(), settings.into());
        self.definitions.extensions.push(extension);
        self
    }

    /// Sets whether resources use the extension `dev.plainly/resources`:
    /// [parts, formats and
    /// capabilities](https://github.com/plainly-mcp/plainly/blob/main/docs/extensions.md). By
    /// default they do.
    #[must_use]
    pub fn resource_extensions(mut self, are_used: bool) -> Self {
        self.definitions.is_unextended = !are_used;
        self
    }

    /// Adds a [layer](super::layer) around every handler, on every transport. Requests pass through
    /// the layers in the order in which they were added, and outcomes in the reverse order.
    ///
    /// A layer is one of tower's, or a function ([`from_fn`](super::layer::from_fn)). An error from
    /// the layer itself is an internal error, unless it is, or was caused by, a
    /// [`Problem`](plainly_errors::Problem) or a [`ProtocolError`](plainly_errors::ProtocolError).
    /// Its service is cloned for each request.
    ///
    /// A layer may hide resources from some callers. Therefore errors suggest no resources, and
    /// changes
    /// [below a collection](https://github.com/plainly-mcp/plainly/blob/main/docs/extensions.md#recursive-subscriptions)
    /// are not reported. [`layer_for_all`](Self::layer_for_all) avoids these restrictions.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<Next> + Send + Sync + 'static,
        L::Service: Service<Request, Response = Outcome> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Error: Into<BoxError>,
        <L::Service as Service<Request>>::Future: Send,
    {
        self.definitions.is_layered = true;
        self.layer_for_all(layer)
    }

    /// Adds a [`layer`](Self::layer) that hides no resource from one caller that it shows another,
    /// such as one that records or counts.
    #[must_use]
    pub fn layer_for_all<L>(mut self, layer: L) -> Self
    where
        L: Layer<Next> + Send + Sync + 'static,
        L::Service: Service<Request, Response = Outcome> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Error: Into<BoxError>,
        <L::Service as Service<Request>>::Future: Send,
    {
        self.layers
            .push(Wrap(Box::new(move |next| next.behind(&layer))));
        self
    }

    /// Sets the server's limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        // An empty page would lead to the next one forever.
        self.limits.page_entries = self.limits.page_entries.max(1);
        self
    }

    /// Builds the server, or returns all mistakes.
    pub fn build(mut self) -> Result<Server, BuildErrors> {
        self.definitions.announces_all = self.changes.is_some();
        let server = &*self.implementation.name;
        let (engine, keys) = (self.engine.as_ref(), self.keys.as_ref());
        let shelves = clustering::shelves(self.records, engine, server, keys);
        let replicas = clustering::replicas(self.engine, server, keys, &self.definitions)?;
        let features = Features::new(self.definitions, server, self.keys, &self.limits)?;
        let features = Arc::new(features);
        let sources = Sources::new(Arc::clone(&features), self.sources);
        let announced = Announcements::new(self.changes.is_some(), &sources);
        let discovery = Discovery::new(
            &self.implementation,
            self.instructions,
            sources.clone(),
            announced,
        );
        let spellings: Arc<dyn Spellings> = Arc::<Features>::clone(&features);
        let changes = self.changes.unwrap_or_default().spelled(spellings);
        replicas
            .iter()
            .for_each(|it| changes.told_to(Arc::clone(it)));
        let reply_bytes = self.limits.reply_bytes;
        let encoder = Encoder::new(self.errors.dialect, self.implementation, reply_bytes);
        let encoder = Arc::new(encoder);
        let (errors, limits) = (self.errors, &self.limits);
        let task_store = self.tasks;
        let task_store = task_store.unwrap_or_else(|| clustering::tasks(shelves.as_ref(), limits));
        let tasks = Tasks::new(task_store, &changes, &encoder, errors, limits);
        let tasks = Arc::new(clustering::among(replicas.as_ref(), tasks));
        let listened = Quota::new(self.limits.subscriptions.bytes_in_all);
        let shared = clustering::sessions(shelves, replicas.as_ref(), limits);
        let sessions = Sessions::new(&self.limits, &changes, &listened, shared);
        let sessions = sessions.observed(self.sessions);
        let listeners = Listeners::new(&self.limits, listened);
        let subscriptions =
            Subscriptions::new(changes, announced, &sources, &tasks, listeners, limits);
        Ok(Server(Arc::new(Inner {
            features,
            sources,
            discovery,
            encoder,
            sessions,
            tasks,
            subscriptions: Arc::new(subscriptions),
            pipes: super::incoming::pipes::Pipes::new(&self.limits),
            load: Load::new(&self.limits),
            unsent: UnsentReplies::new(self.limits.reply_bytes_in_all),
            limits: self.limits,
            errors: self.errors,
            layers: layered(self.layers),
            observer: self.observer,
            hearing: OnceLock::new(),
            replicas,
        }))
        .hearing_replicas())
    }
}

/// The first layer in front of the handlers; `None` if there are no layers.
fn layered(layers: Vec<Wrap>) -> Option<Next> {
    let mut layers = layers.into_iter().rev();
    let Wrap(last) = layers.next()?;
    Some(layers.fold(last(Next::last()), |next, Wrap(layer)| layer(next)))
}
