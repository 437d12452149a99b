//! A store that shows each user their own entries only: all users share one diary, but each reads
//! only their own entries and is notified of these alone. A layer of the application authenticates
//! the caller.
//!
//! `cargo run -p plainly --example diary`, then
//! `plainly ls --header 'Authorization: Bearer alice-secret' http://127.0.0.1:3333/mcp`.
//! To use another address, pass it as the argument.
#![expect(clippy::print_stderr, reason = "says where it listens")]

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use futures_util::stream::unfold;
use plainly::protocol::types::{Resource, ResourceContents, ResourceTemplate};
use plainly::server::{BuildErrors, SubscribedResources};
use plainly::store::tools::StoreTools;
use plainly::store::{Change, ListQuery, Page, Store, StoreError, Viewer, Watch};
use plainly::{Principal, Server};
use tokio::sync::broadcast;

/// The owner and the text of each entry, by its URI, `diary://DAY/TITLE`.
type Entries = BTreeMap<String, (Principal, String)>;

#[derive(Clone, Debug)]
pub(crate) struct Diary {
    entries: Arc<Mutex<Entries>>,
    /// Sends the owner and the URI of each entry that is written.
    written: broadcast::Sender<(Principal, String)>,
    /// The user whose entries are shown. `None` shows no entries.
    reader: Option<Principal>,
}

impl Diary {
    pub(crate) fn new() -> Self {
        Self {
            entries: Arc::default(),
            written: broadcast::channel(100).0,
            reader: None,
        }
    }

    pub(crate) fn write(&self, owner: &str, uri: &str, text: &str) {
        let (owner, uri) = (Principal::new(owner), uri.to_owned());
        let entry = (owner.clone(), text.to_owned());
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(uri.clone(), entry);
        drop(entries);
        // Fails if no client listens.
        self.written.send((owner, uri)).ok();
    }

    /// Returns the entries of the reader that come after this URI.
    fn shown(&self, after: Option<&str>) -> Vec<(String, String)> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let after = after.map_or(Bound::Unbounded, Bound::Excluded);
        let all = entries.range::<str, _>((after, Bound::Unbounded));
        let own = all.filter(|(_, (owner, _))| Some(owner) == self.reader.as_ref());
        own.map(|(uri, (_, text))| (uri.clone(), text.clone()))
            .collect()
    }

    fn text(&self, uri: &str) -> Result<String, StoreError> {
        let found = self.shown(None).into_iter().find(|(one, _)| one == uri);
        found.map(|(_, text)| text).ok_or(StoreError::NotFound)
    }
}

fn describe((uri, text): &(String, String)) -> Resource {
    let resource = Resource::new(uri, uri.rsplit('/').next().unwrap_or(uri));
    resource.size(text.len() as u64).is_collection(false)
}

impl Store for Diary {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("diary://")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        if let Some(entry) = query.parent {
            self.text(entry)?;
            return Err(StoreError::NotACollection);
        }
        let shown = self.shown(query.after);
        let page: Vec<Resource> = shown.iter().take(query.limit).map(describe).collect();
        let next = page.last().filter(|_| shown.len() > page.len());
        let next = next.map(|last| last.uri.clone());
        Ok(Page::new(page, next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        Ok(describe(&(uri.to_owned(), self.text(uri)?)))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let text = self.text(uri)?;
        Ok(vec![ResourceContents::new(self.metadata(uri).await?, text)])
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new("diary://{day}/{title}", "entry")]
    }

    fn view(&self, viewer: &Viewer) -> Option<Self> {
        let reader = viewer.principal().cloned();
        Some(Self {
            reader,
            ..self.clone()
        })
    }

    fn watch(&self, _: SubscribedResources) -> Option<Watch> {
        let reader = self.reader.clone();
        let next = |(mut written, reader): (broadcast::Receiver<_>, Option<Principal>)| async {
            loop {
                let (owner, uri) = written.recv().await.ok()?;
                if Some(owner) == reader {
                    return Some((Change::Resource(uri), (written, reader)));
                }
            }
        };
        Some(Watch::new(unfold((self.written.subscribe(), reader), next)))
    }
}

pub(crate) fn server(diary: Diary) -> Result<Server, BuildErrors> {
    Server::builder("diary", "1.0.0")
        .tools(StoreTools::new(diary.clone()).build())
        .store(diary)
        .build()
}

/// Accepts requests with a token, and adds the token's owner. A real application would look up the
/// token.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let header = request.headers().get(AUTHORIZATION);
    let token = header.and_then(|header| header.to_str().ok()?.strip_prefix("Bearer "));
    if let Some(name) = token.and_then(|token| token.strip_suffix("-secret")) {
        let principal = Principal::new(name);
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

/// The application, with the server at `/mcp`.
pub(crate) fn application(diary: Diary) -> Result<Router, BuildErrors> {
    let router = Router::new().route_service("/mcp", server(diary)?.http());
    Ok(router.layer(from_fn(authenticate)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:3333");
    let diary = Diary::new();
    diary.write(
        "alice",
        "diary://2026-07-28/garden",
        "The tomatoes are red.",
    );
    diary.write("bob", "diary://2026-07-28/gardener", "She has seen me.");
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, application(diary)?).await?)
}
