//! The tools with the names and arguments of `@modelcontextprotocol/server-filesystem`: a [`table`]
//! that maps them to the tools of this crate. [`arguments`] renames arguments, [`answer`] words the
//! results, and [`paths`] converts paths to URIs and back.

mod answer;
mod arguments;
mod paths;
mod table;

use std::sync::Arc;

use plainly::protocol::types::CallToolResult;
use plainly::server::{Failure, Tool, ToolAdapter};
use plainly::store::Store;
use plainly::store::tools::WriteTools;
use serde_json::Value;

use self::answer::Answer;
use self::arguments::Renamed;
use self::paths::Paths;
use self::table::{Row, TABLE};
use crate::store::DirectoryStore;

/// The tools of directories with the names and arguments of
/// `@modelcontextprotocol/server-filesystem`, for prompts and programs that were written for that
/// server.
///
/// An argument `path` is an absolute path below a directory, a path relative to the first
/// directory, a path that begins with the name of a directory, or a URI.
///
/// ```no_run
/// use plainly::Server;
/// use plainly_directory::{DirectoryStore, FilesystemTools};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let notes = DirectoryStore::builder().mount_writable("notes").build()?;
/// let tools = FilesystemTools::local(&notes);
/// let server = Server::builder("notes", "1.0.0")
///     .tools(tools.reading())
///     .tools(tools.writing(notes.write_tools()))
///     .store(notes)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FilesystemTools {
    store: DirectoryStore,
    paths: Arc<Paths>,
}

impl FilesystemTools {
    /// The names of all these tools.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.name)
    }

    /// The names of the tools that change something.
    pub fn writing_names() -> impl Iterator<Item = &'static str> {
        let writing = WriteTools::<DirectoryStore>::NAMES;
        let rows = TABLE.iter().filter(move |row| writing.contains(&row.of));
        rows.map(|row| row.name)
    }

    /// The tools for callers on this machine, with host paths, as in
    /// [`DirectoryStore::local_tools`].
    pub fn local(store: &DirectoryStore) -> Self {
        Self::with(store, Paths::local(store))
    }

    /// The tools for remote callers, with paths that begin with the name of a directory.
    pub fn remote(store: &DirectoryStore) -> Self {
        Self::with(store, Paths::remote(store))
    }

    fn with(store: &DirectoryStore, paths: Paths) -> Self {
        Self {
            store: store.clone(),
            paths: Arc::new(paths),
        }
    }

    /// The tools that only read, over the store itself.
    pub fn reading(&self) -> Vec<Tool> {
        self.reading_over(self.store.clone())
    }

    /// The tools that only read, over `shown` as in [`DirectoryStore::tools_over`].
    pub fn reading_over(&self, shown: impl Store) -> Vec<Tool> {
        self.renamed(self.store.tools_with(shown, self.spelling()))
    }

    /// The tools that change something, as wrappers of `tools`.
    pub fn writing(&self, tools: WriteTools<DirectoryStore>) -> Vec<Tool> {
        self.renamed(tools.spelling(self.spelling()).build())
    }

    fn spelling(&self) -> impl Fn(&str) -> Option<String> + Clone + Send + Sync + 'static {
        let paths = Arc::clone(&self.paths);
        move |written| paths.uri(written)
    }

    /// The tools under the names of the table, for the rows whose tools are given.
    fn renamed(&self, tools: Vec<Tool>) -> Vec<Tool> {
        let tools: Vec<Arc<Tool>> = tools.into_iter().map(Arc::new).collect();
        let rows = TABLE.iter().filter_map(|row| {
            let tool = tools.iter().find(|tool| tool.name() == row.of)?;
            let paths = Arc::clone(&self.paths);
            let adapted = Tool::adapted(tool, row.name, Adapter { row, paths });
            Some(adapted.title(row.title).description(row.description))
        });
        rows.collect()
    }
}

/// An adapter for one row of the table and the paths of a store.
#[derive(Debug)]
struct Adapter {
    row: &'static Row,
    paths: Arc<Paths>,
}

impl ToolAdapter for Adapter {
    fn input_schema(&self, schema: &str) -> String {
        let renamed = Renamed(self.row.arguments);
        let schema: Value = serde_json::from_str(schema).unwrap_or_default();
        renamed.schema(schema).to_string()
    }

    fn arguments(&self, arguments: &str) -> Result<String, Failure> {
        let given: Value = serde_json::from_str(arguments)?;
        let mut ours = Renamed(self.row.arguments).given(given);
        if let Value::Object(members) = &mut ours {
            for (name, value) in self.row.fixed {
                members.insert((*name).to_owned(), (*value).into());
            }
        }
        Ok(ours.to_string())
    }

    fn result(&self, result: CallToolResult) -> Result<CallToolResult, Failure> {
        let output = result.structured_content.as_ref();
        let answer = Answer {
            output: output.map_or("{}", |output| output.get()),
            content: result.content,
            paths: &self.paths,
        };
        Ok(CallToolResult::new((self.row.answer)(answer)?))
    }

    fn words(&self, sentence: &str) -> String {
        Renamed(self.row.arguments).words(sentence)
    }
}
