//! A store whose changes a test sends, and clients that send raw messages.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use plainly::limits::Limits;
use plainly::protocol::types::{Resource, ResourceContents};
use plainly::server::{Changes, Prompt, Server, SubscribedResources, Tool};
use plainly::store::{Change, ListQuery, Page, Store, StoreError, Watch};
use plainly_peer::message::{modern, notification};
use plainly_peer::within;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// An empty list of messages.
pub(crate) const NOTHING: [Value; 0] = [];
pub(crate) const ID: &str = "io.modelcontextprotocol/subscriptionId";

/// A store that serves every URI with the prefix `db://`, in lower or upper case. URIs that end
/// with `/gone` do not exist, and URIs with a space can't exist.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    can_watch: bool,
    watchers: Arc<Mutex<Vec<mpsc::UnboundedSender<Change>>>>,
}

impl Source {
    pub(crate) fn new() -> Self {
        Self {
            can_watch: true,
            watchers: Arc::default(),
        }
    }

    pub(crate) fn blind() -> Self {
        Self {
            can_watch: false,
            ..Self::new()
        }
    }

    /// Returns the number of watchers.
    pub(crate) fn watchers(&self) -> usize {
        let mut watchers = self.watchers.lock().unwrap();
        watchers.retain(|watcher| !watcher.is_closed());
        watchers.len()
    }

    /// Waits until so many watchers exist.
    pub(crate) async fn watched_by(&self, count: usize) {
        within(async {
            while self.watchers() != count {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    pub(crate) fn updated(&self, uri: &str) {
        self.tell(&Change::Resource(uri.to_owned()));
    }

    pub(crate) fn listed(&self) {
        self.tell(&Change::Listing);
    }

    pub(crate) fn moved(&self, tree: &str) {
        self.tell(&Change::Tree(tree.to_owned()));
    }

    fn tell(&self, change: &Change) {
        for watcher in self.watchers.lock().unwrap().iter() {
            // A watcher that has gone needs no notification.
            watcher.send(change.clone()).ok();
        }
    }
}

impl Store for Source {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("db://") || uri.starts_with("DB://")
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        if uri.contains(' ') {
            return None;
        }
        Some(match uri.strip_prefix("DB") {
            Some(rest) => format!("db{rest}").into(),
            None => uri.into(),
        })
    }

    async fn list(&self, _query: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let listed = self.spelling(uri).ok_or(StoreError::NotFound)?;
        match uri.ends_with("/gone") {
            true => Err(StoreError::NotFound),
            false => Ok(Resource::new(listed, "row").is_collection(false)),
        }
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let resource = self.metadata(uri).await?;
        Ok(vec![ResourceContents::new(resource, "x")])
    }

    fn watch(&self, _: SubscribedResources) -> Option<Watch> {
        if !self.can_watch {
            return None;
        }
        let (sender, mut receiver) = mpsc::unbounded_channel();
        self.watchers.lock().unwrap().push(sender);
        let changes = futures_util::stream::poll_fn(move |context| receiver.poll_recv(context));
        Some(Watch::new(changes))
    }
}

/// Builds a server of this store.
pub(crate) fn server(source: &Source) -> Server {
    let builder = Server::builder("test", "1").store(source.clone());
    builder
        .tool(Tool::new("hello", async || "Hello!"))
        .build()
        .unwrap()
}

pub(crate) fn limited(source: &Source, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    let builder = Server::builder("test", "1").store(source.clone());
    builder.limits(limits).build().unwrap()
}

/// Builds a server whose program reports changes.
pub(crate) fn telling(changes: &Changes) -> Server {
    let builder = Server::builder("test", "1").store(Source::blind());
    builder
        .tool(Tool::new("hello", async || "Hello!"))
        .prompt(Prompt::new("greet", async || "Greet me."))
        .changes(changes.clone())
        .build()
        .unwrap()
}

pub(crate) fn listen(id: impl Into<Value>, notifications: &Value) -> Value {
    modern(
        id,
        "subscriptions/listen",
        json!({"notifications": notifications}),
    )
}

pub(crate) fn acknowledged(id: impl Into<Value>, notifications: &Value) -> Value {
    let params = json!({"_meta": {ID: id.into()}, "notifications": notifications});
    notification("subscriptions/acknowledged", params)
}

pub(crate) fn updated(id: impl Into<Value>, uri: &str) -> Value {
    let params = json!({"_meta": {ID: id.into()}, "uri": uri});
    notification("resources/updated", params)
}

pub(crate) fn changed(id: impl Into<Value>, list: &str) -> Value {
    let params = json!({"_meta": {ID: id.into()}});
    notification(&format!("{list}/list_changed"), params)
}

pub(crate) fn ended(id: impl Into<Value>) -> Value {
    let id = id.into();
    let meta = json!({
        "io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"},
        ID: id,
    });
    json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": meta}})
}
