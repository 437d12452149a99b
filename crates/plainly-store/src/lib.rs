//! The resources of a store as tools, for hosts that only show tools to their models. Converts the
//! arguments of a call to requests to a [`Store`], and its results to text, structured output and
//! links. Independent of the kind of store, and of the protocol's messages.
//!
//! Hosts put the definitions of tools into the context of their models, so the definitions are
//! short. The fields of results have plain comments instead of doc comments, because doc comments
//! would become part of the output schema.

#[cfg(feature = "check")]
pub mod check;
pub mod edits;
mod entry;
mod filter;
mod formats;
mod globs;
mod list;
mod problems;
mod read;
mod stat;
mod tree;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use plainly_errors::Problem;
use plainly_protocol::part::Part;
use plainly_protocol::types::ToolAnnotations;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use plainly_server::extract::Args;
use plainly_server::reply::StructuredOutput;
use plainly_server::store::{LineIndexes, Store, StoreError, Viewer};
use plainly_server::{Failure, Tool};

#[cfg(feature = "check")]
pub use self::check::{check, check_writes};
pub use self::filter::Filter;
pub use self::globs::Globs;
pub use self::write::{Confirm, WriteTools};

/// The maximum size of the text in the result of one call, in bytes. The next call can request the
/// rest.
pub const TEXT_BYTES: usize = 256 << 10;

/// The maximum size of all images, recordings and other binary files in one result, in bytes. A
/// single file may be larger.
pub const MEDIA_BYTES: u64 = 8 << 20;

/// The maximum number of resources that a result also has as links. Links repeat the text and the
/// structured output.
pub const LINKS: usize = 20;

/// The maximum length of the argument `uri`, in bytes.
const URI_BYTES: usize = 8 << 10;

/// A function that converts the argument `uri`, for stores that accept more than URIs; `None` if
/// the argument can't be meant for the store.
type Spelling = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The tools with which a model reads a store: `list_resources`, `tree`, `stat_resource`, `read_resource` and
/// `read_resources`. None of them changes anything.
///
/// Failures are problems that suggest what to try instead: similar names, or the tool that accepts
/// this argument. The definitions of all tools use a part of the model's context; to offer only
/// some of them, filter by [`Tool::name`].
///
/// ```
/// use plainly::server::BuildErrors;
/// use plainly::store::Store;
/// use plainly::store::tools::StoreTools;
/// use plainly::Server;
///
/// fn serve(books: impl Store + Clone) -> Result<Server, BuildErrors> {
///     Server::builder("books", "1.0.0")
///         .tools(StoreTools::new(books.clone()).build())
///         .store(books)
///         .build()
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct StoreTools<S>(StoreView<S>);

/// A store as the tools see it.
#[derive(Clone)]
struct StoreView<S> {
    store: S,
    /// The collections that contain everything; empty if the store has none.
    roots: Vec<String>,
    /// Whether the program set these roots, instead of the store's own.
    are_roots_given: bool,
    spelling: Spelling,
    /// The known lines of the store's resources; `None` for a view, which may show other content.
    lines: Option<Arc<LineIndexes>>,
}

impl<S: Store> StoreTools<S> {
    /// Creates the tools for `store`.
    pub fn new(store: S) -> Self {
        Self(StoreView {
            roots: store.roots(),
            are_roots_given: false,
            store,
            spelling: Arc::new(|uri| Some(uri.to_owned())),
            lines: Some(Arc::default()),
        })
    }

    /// Sets the URIs of the top-level collections, where `list_resources` and `tree` start by
    /// default, instead of [the store's own](Store::roots). Without any, they show everything in
    /// the store.
    pub fn roots<U: Into<String>>(mut self, uris: impl IntoIterator<Item = U>) -> Self {
        self.0.roots = uris.into_iter().map(Into::into).collect();
        self.0.are_roots_given = true;
        self
    }

    /// Converts the argument `uri` by `spelling` before the store sees it, because models write
    /// paths where URIs are expected. `spelling` returns an empty text for the
    /// [`roots`](Self::roots), and `None` for an argument that can't be meant for the store.
    pub fn spelling(
        mut self,
        spelling: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.0.spelling = Arc::new(spelling);
        self
    }

    /// Builds all tools, ready for [`ServerBuilder::tools`](plainly_server::ServerBuilder::tools).
    pub fn build(self) -> Vec<Tool> {
        let source = Arc::new(self.0);
        vec![
            list::tool(&source),
            tree::tool(&source),
            stat::tool(&source),
            read::one_tool(&source),
            read::several_tool(&source),
        ]
    }

    /// Converts the argument `uri` of a custom tool in the same way. `None` stands for the
    /// [`roots`](Self::roots).
    pub fn uri(&self, written: Option<&str>) -> Result<Option<String>, Problem> {
        self.0.uri(written)
    }

    /// The problem to report to the model when a custom tool's request for `uri` fails with
    /// `error`.
    pub async fn problem(&self, uri: &str, error: StoreError) -> Problem {
        problems::of(&self.0, uri, error).await
    }
}

impl<S: Store> StoreView<S> {
    /// The store as this caller sees it.
    fn seen_by(self: &Arc<Self>, viewer: &Viewer) -> Arc<Self> {
        let Some(store) = self.store.view(viewer) else {
            return Arc::clone(self);
        };
        let roots = match self.are_roots_given {
            true => self.roots.clone(),
            false => store.roots(),
        };
        Arc::new(Self {
            store,
            roots,
            are_roots_given: self.are_roots_given,
            spelling: Arc::clone(&self.spelling),
            lines: None,
        })
    }

    /// The URI for an argument; `None` for the roots.
    fn uri(&self, written: Option<&str>) -> Result<Option<String>, Problem> {
        let Some(written) = written else {
            return Ok(None);
        };
        if written.len() > URI_BYTES {
            return Err(problems::too_long(URI_BYTES));
        }
        if let Some((uri, Ok(part))) = Part::of(written.trim()) {
            return Err(problems::names_a_part(uri, part));
        }
        match (self.spelling)(written.trim()) {
            Some(uri) if uri.is_empty() => Ok(None),
            Some(uri) if self.store.serves(&uri) => {
                let listed = self.store.spelling(&uri).map(Cow::into_owned);
                Ok(Some(listed.unwrap_or(uri)))
            }
            Some(uri) if self.roots.is_empty() => Err(problems::not_served(&uri, &self.roots)),
            // The path may be below a root whose name was left out. The problem then suggests it.
            Some(uri) => Ok(Some(uri)),
            None => Err(problems::not_served(written, &self.roots)),
        }
    }

    /// The URI for an argument that must name one resource, not the roots.
    fn uri_of_one(&self, written: &str) -> Result<String, Problem> {
        self.uri(Some(written))?
            .ok_or_else(|| problems::not_one(&self.roots))
    }
}

impl<S: fmt::Debug> fmt::Debug for StoreView<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreView")
            .field("store", &self.store)
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

/// Creates a tool that calls `run` with `source`.
fn tool<S, A, T, F>(
    name: &str,
    source: &Arc<StoreView<S>>,
    run: impl Fn(Arc<StoreView<S>>, A) -> F + Send + Sync + 'static,
) -> Tool
where
    S: Store,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    T: Serialize + JsonSchema,
    F: Future<Output = Result<StructuredOutput<T>, Failure>> + Send + 'static,
{
    tool_for_viewer(name, source, move |source, _, args| run(source, args))
}

/// Creates a tool that calls `run` with `source` and the caller.
fn tool_for_viewer<S, A, T, F>(
    name: &str,
    source: &Arc<StoreView<S>>,
    run: impl Fn(Arc<StoreView<S>>, Viewer, A) -> F + Send + Sync + 'static,
) -> Tool
where
    S: Store,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    T: Serialize + JsonSchema,
    F: Future<Output = Result<StructuredOutput<T>, Failure>> + Send + 'static,
{
    let source = Arc::clone(source);
    Tool::new(name, move |viewer: Viewer, Args(args): Args<A>| {
        run(source.seen_by(&viewer), viewer, args)
    })
    .annotations(
        // The other two hints have no meaning for a tool that only reads.
        ToolAnnotations::new()
            .read_only_hint(true)
            .open_world_hint(false),
    )
}
