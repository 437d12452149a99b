//! The tools that change a store: one file each. [`change`] makes a change for all of them: asks the user where that is
//! wanted, in turn with the other changes of the same resource, and counts it for its caller.

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

/// The largest content of one change unless another size is given, in bytes.
const WRITE_BYTES: usize = 16 << 20;

/// The changes of which the user is asked first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirm {
    /// All.
    All,
    /// Changes that lose content for good, and the removal of a collection with everything in it.
    #[default]
    Destructive,
    /// None.
    Never,
}

/// The tools with which a model changes a store: `write_resource`, `edit_resource`, `create_collection`, `move_resource`
/// and `delete_resource`. They are offered beside [`StoreTools`], which read it.
///
/// An edit replaces pieces of a text that occur exactly once, and keeps its line ends; see [`edits`](crate::edits). Changes
/// of one resource through these tools wait for each other, so that no edit is lost. With `if_tag`, a change happens only
/// if the content is still that with the tag.
///
/// Each caller can make 1,000 changes a minute. The [view](plainly_server::store::Store::view) of a caller decides what it
/// may change.
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
    /// The largest content of one change, in bytes.
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

    /// The tools over `store`.
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

    /// Reads the argument `uri` with `spelling`, as [`StoreTools::spelling`] does.
    pub fn spelling(
        mut self,
        spelling: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.reading = self.reading.spelling(spelling);
        self
    }

    /// Sets the changes of which the user is asked first. A client that can't ask its user can't make them.
    pub fn confirm(mut self, confirm: Confirm) -> Self {
        self.settings.confirm = confirm;
        self
    }

    /// Sets the largest content of one change, in bytes; 16 MiB by default.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.settings.bytes = bytes;
        self
    }

    /// All of the tools, ready for [`ServerBuilder::tools`](plainly_server::ServerBuilder::tools).
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

/// A store, as the tools that change it see it.
struct Writing<S> {
    view: Arc<StoreView<S>>,
    settings: WriteSettings,
    turns: Turns,
    rate: Rate,
    /// The places for texts that are edited.
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

/// A tool that calls `run` with the change that its caller wants to make.
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

/// The hints of a tool that changes something.
fn hints(is_destructive: bool, is_idempotent: bool) -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only_hint(false)
        .destructive_hint(is_destructive)
        .idempotent_hint(is_idempotent)
        .open_world_hint(false)
}
