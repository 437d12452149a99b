//! A tree as nested JSON.

use std::iter::Peekable;
use std::vec::IntoIter;

use serde::{Deserialize, Serialize};

use super::{Answer, Worded, last, noted};

#[derive(Deserialize)]
struct Tree {
    entries: Vec<Leaf>,
    truncated: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Leaf {
    depth: usize,
    path: String,
    #[serde(default)]
    is_collection: bool,
}

#[derive(Serialize)]
struct Node {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Self>>,
}

pub(in super::super) fn tree(answer: Answer<'_>) -> Worded {
    let Tree { entries, truncated } = answer.read()?;
    let mut entries = entries.into_iter().peekable();
    // The top is the requested directory itself.
    let mut nodes = children(&mut entries, 0);
    if let [Node { children, .. }] = nodes.as_mut_slice() {
        nodes = children.take().unwrap_or_default();
    }
    let note = truncated.then_some("There is more than this: use path or excludePatterns.");
    Ok(noted(serde_json::to_string(&nodes)?, note))
}

/// The entries at this depth up to the next higher one, each with the entries below it.
fn children(entries: &mut Peekable<IntoIter<Leaf>>, depth: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    while let Some(leaf) = entries.next_if(|leaf| leaf.depth == depth) {
        let children = leaf.is_collection.then(|| children(entries, depth + 1));
        nodes.push(Node {
            name: last(&leaf.path),
            kind: if leaf.is_collection {
                "directory"
            } else {
                "file"
            },
            children,
        });
    }
    nodes
}
