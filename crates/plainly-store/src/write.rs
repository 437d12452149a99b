//! The tools that change a store: one file for each. [`change`] makes changes for all of them: asks
//! the user if necessary, makes changes of the same resource one at a time, and counts the caller's
//! changes.

mod change;
mod collection;
mod content;
mod edit;
mod output;
mod problems;
mod rate;
mod remove;
mod rename;
mod turns;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use plainly_protocol::types::ToolAnnotations;
use plainly_server::extract::{Args, Ask};
use plainly_server::reply::StructuredOutput;
use plainly_server::store::{StoreCaller, Viewer, Writable};
use plainly_server::{Failure, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use self::change::Change;
use self::rate::Rate;
use self::turns::Turns;
use super::{StoreTools, StoreView};

/// The default maximum size of a change's content, in bytes.
const WRITE_BYTES: usize = 16 << 20;

/// The changes that the user must confirm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirm {
    /// All changes.
    All,
    /// Changes that lose content permanently, and the removal of a collection with its contents.
    #[default]
    Destructive,
    /// No changes.
    Never,
}

/// The tools with which a model changes a store: `write_resource`, `edit_resource`,
/// `create_collection`, `move_resource` and `delete_resource`. Offer them together with
/// [`StoreTools`], which read the store.
///
/// An edit replaces pieces of a text that occur exactly once, and keeps its line endings; see
/// [`edits`](crate::edits). These tools make changes of one resource one at a time, so no edit is
/// lost. With `if_tag`, a change only happens if the content still has that tag.
///
/// Each caller can make 1,000 changes a minute. The [view](plainly_server::store::Store::view) of a
/// caller determines what it may change.
///
/// ```
/// use plainly::server::BuildErrors;
/// use plainly::store::Writable;
/// use plainly::store::tools::{StoreTools, WriteTools};
/// use plainly::Server;
///
/// fn serve(notes: impl Writable + Clone) -> Result<Server, BuildErrors> {
///     Server::builder("notes", "1.0.0")
///         .tools(StoreTools::new(notes.clone()).build())
///         .tools(WriteTools::new(notes.clone()).build())
///         .store(notes)
///         .build()
/// }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct WriteTools<S> {
    reading: StoreTools<S>,
    settings: WriteSettings,
}

#[derive(Clone, Copy, Debug)]
struct WriteSettings {
    confirm: Confirm,
    /// The maximum size of a change's content, in bytes.
    bytes: usize,
}

impl<S: Writable> WriteTools<S> {
    /// The names of the tools.
    pub const NAMES: [&'static str; 5] = [
        content::NAME,
        edit::NAME,
        collection::NAME,
        rename::NAME,
        remove::NAME,
    ];

    /// Creates the tools for `store`.
    pub fn new(store: S) -> Self {
        let settings = WriteSettings {
            confirm: Confirm::default(),
            bytes: WRITE_BYTES,
        };
        Self {
            reading: StoreTools::new(store),
            settings,
        }
    }

    /// Converts the argument `uri` by `spelling`, like [`StoreTools::spelling`].
    pub fn spelling(
        mut self,
        spelling: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.reading = self.reading.spelling(spelling);
        self
    }

    /// Sets which changes the user must confirm. A client that can't ask its user can't make these.
    pub fn confirm(mut self, confirm: Confirm) -> Self {
        self.settings.confirm = confirm;
        self
    }

    /// Sets the maximum size of a change's content, in bytes; 16 MiB by default.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.settings.bytes = bytes;
        self
    }

    /// Builds all tools, ready for [`ServerBuilder::tools`](plainly_server::ServerBuilder::tools).
    pub fn build(self) -> Vec<Tool> {
        let source = Arc::new(Writing {
            view: Arc::new(self.reading.0),
            settings: self.settings,
            turns: Turns::default(),
            rate: Rate::default(),
            edits: Arc::new(Semaphore::new(edit::AT_ONCE)),
        });
        vec![
            content::tool(&source),
            edit::tool(&source),
            collection::tool(&source),
            rename::tool(&source),
            remove::tool(&source),
        ]
    }
}

/// A store as the tools that change it see it.
struct Writing<S> {
    view: Arc<StoreView<S>>,
    settings: WriteSettings,
    turns: Turns,
    rate: Rate,
    /// Limits the number of texts that are edited at a time.
    edits: Arc<Semaphore>,
}

impl<S: fmt::Debug> fmt::Debug for Writing<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writing")
            .field("view", &self.view)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Creates a tool that calls `run` with the change of its caller.
fn tool<S, A, T, F>(
    name: &str,
    source: &Arc<Writing<S>>,
    run: impl Fn(Change<S>, A) -> F + Send + Sync + 'static,
) -> Tool
where
    S: Writable,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    T: Serialize + JsonSchema,
    F: Future<Output = Result<StructuredOutput<T>, Failure>> + Send + 'static,
{
    let source = Arc::clone(source);
    Tool::new(
        name,
        move |viewer: Viewer, ask: Ask, Args(args): Args<A>| {
            let change = Change {
                view: source.view.seen_by(&viewer),
                writing: Arc::clone(&source),
                ask,
                caller: StoreCaller::current(),
            };
            run(change, args)
        },
    )
}

/// The hints for a tool that changes something.
fn hints(is_destructive: bool, is_idempotent: bool) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only_hint(false)
        .destructive_hint(is_destructive)
        .idempotent_hint(is_idempotent)
        .open_world_hint(false)
}
