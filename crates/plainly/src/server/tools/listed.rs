//! Tools as they are listed: each definition is written once, when its tool is added, for every revision.

use plainly_errors::Revision;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{self, Cursor, RawJson};
use serde::Serialize;

/// A definition as each revision has it, in the order of [`Revision::ALL`].
#[derive(Debug)]
pub(super) struct Definition([RawJson; Revision::ALL.len()]);

impl Definition {
    pub(super) fn of(tool: &types::Tool) -> Self {
        let newest = encoded(tool);
        Self(Revision::ALL.map(|revision| {
            let mut shaped = tool.clone();
            shaped.shape(revision);
            // Nearly always they are one, of which one copy is enough.
            match shaped == *tool {
                true => newest.clone(),
                false => encoded(&shaped),
            }
        }))
    }

    pub(super) fn of_revision(&self, revision: Revision) -> RawJson {
        let mut all = Revision::ALL.iter().zip(&self.0);
        let found = all.find_map(|(other, raw)| (*other == revision).then(|| raw.clone()));
        found.expect("there is one of each revision")
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
