//! Tools for `tools/list`: each definition is encoded once per revision, when a client of that
//! revision first lists it.

use std::sync::OnceLock;

use plainly_errors::Revision;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{self, Cursor, RawJson};
use plainly_protocol::writer::ObjectWriter;

use crate::answer::ResultBody;

/// The definition of a tool, and its encoding for each revision, in the order of [`Revision::ALL`].
#[derive(Debug)]
pub(super) struct ListedTool {
    tool: types::Tool,
    written: [OnceLock<RawJson>; Revision::ALL.len()],
}

impl ListedTool {
    pub(super) fn new(tool: types::Tool) -> Self {
        let written = Default::default();
        Self { tool, written }
    }

    /// The definition as clients of `revision` get it.
    pub(super) fn of_revision(&self, revision: Revision) -> RawJson {
        let mut all = Revision::ALL.iter().zip(&self.written);
        let found = all.find_map(|(other, written)| (*other == revision).then_some(written));
        let written = found.expect("there is one of each revision");
        written.get_or_init(|| self.write(revision)).clone()
    }

    fn write(&self, revision: Revision) -> RawJson {
        let mut shaped = self.tool.clone();
        Shape::shape(&mut shaped, revision);
        // The definition is nearly always the same for all revisions; then they share one copy.
        if revision != Revision::LATEST && shaped == self.tool {
            return self.of_revision(Revision::LATEST);
        }
        encoded(&shaped)
    }
}

fn encoded(tool: &types::Tool) -> RawJson {
    RawJson::encode(tool).expect("a definition is JSON")
}

/// The result of `tools/list`, with each tool already encoded.
#[derive(Debug)]
pub(crate) struct ListedTools {
    pub(super) tools: Vec<RawJson>,
    pub(super) next_cursor: Option<Cursor>,
}

impl ListedTools {
    /// The approximate number of bytes of the tools.
    pub(crate) fn bytes(&self) -> usize {
        self.tools.iter().map(|tool| tool.get().len() + 1).sum()
    }
}

impl ResultBody for ListedTools {
    /// Does nothing, because each tool already has the form of the revision.
    fn shape(&mut self, _: Revision) {}

    fn write(&self, result: &mut ObjectWriter<'_>) -> serde_json::Result<()> {
        let mut tools = result.array("tools");
        self.tools.iter().for_each(|tool| tools.raw(tool.get()));
        tools.close();
        match &self.next_cursor {
            Some(cursor) => result.member("nextCursor", cursor),
            None => Ok(()),
        }
    }
}
