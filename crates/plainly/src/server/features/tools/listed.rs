//! Tools as they are listed: each definition is written once for every revision, when a peer of it first lists it.

use std::sync::OnceLock;

use plainly_errors::Revision;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{self, Cursor, RawJson};
use serde::Serialize;

/// A definition, and how each revision has it, in the order of [`Revision::ALL`].
#[derive(Debug)]
pub(super) struct Definition {
    tool: types::Tool,
    written: [OnceLock<RawJson>; Revision::ALL.len()],
}

impl Definition {
    pub(super) fn new(tool: types::Tool) -> Self {
        let written = Default::default();
        Self { tool, written }
    }

    pub(super) fn of_revision(&self, revision: Revision) -> RawJson {
        let mut all = Revision::ALL.iter().zip(&self.written);
        let found = all.find_map(|(other, written)| (*other == revision).then_some(written));
        let written = found.expect("there is one of each revision");
        written.get_or_init(|| self.write(revision)).clone()
    }

    fn write(&self, revision: Revision) -> RawJson {
        let mut shaped = self.tool.clone();
        shaped.shape(revision);
        // Nearly always they are one, of which one copy is enough.
        if revision != Revision::LATEST && shaped == self.tool {
            return self.of_revision(Revision::LATEST);
        }
        encoded(&shaped)
    }
}

fn encoded(tool: &types::Tool) -> RawJson {
    RawJson::encode(tool).expect("a definition is JSON")
}

impl ListedTools {
    /// About how many bytes they take.
    pub(in crate::server) fn bytes(&self) -> usize {
        self.tools.iter().map(|tool| tool.get().len() + 1).sum()
    }
}

/// The result of `tools/list`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::server) struct ListedTools {
    pub(super) tools: Vec<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<Cursor>,
}
