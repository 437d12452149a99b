//! `tree`: several levels of collections at once. Collects them level by level, so that a limit
//! cuts off the deepest entries, and draws them from the top. Reports a root that can't be shown in
//! its place, without affecting the others.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plainly_errors::{Problem, ProblemBag, Problems};
use plainly_protocol::types::{Content, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::globs::Globs;
use super::{StoreView, TEXT_BYTES, entry, problems};
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::{ListQuery, Store, StoreError};
use plainly_server::{Failure, Tool};

const DEPTH: usize = 3;
const LARGEST_DEPTH: usize = 64;

const LIMIT: usize = 400;
const LARGEST_LIMIT: usize = 2_000;

/// The number of a collection's entries requested at a time.
const PAGE: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TreeArgs {
    /// URI or path of a directory; without it, everything.
    uri: Option<String>,
    /// Levels to show.
    #[schemars(range(min = 1, max = LARGEST_DEPTH), extend("default" = DEPTH))]
    depth: Option<usize>,
    /// Globs to leave out: node_modules, *.log, src/generated.
    exclude: Option<Vec<String>>,
    /// Most entries; the deepest are left out first.
    #[schemars(range(min = 1, max = LARGEST_LIMIT), extend("default" = LIMIT))]
    limit: Option<usize>,
}

// A tree, with each directory before its contents.
#[derive(Serialize, JsonSchema)]
struct Tree {
    // The common beginning of the URIs.
    base: String,
    entries: Vec<Leaf>,
    // Whether entries were left out because of the limit or the depth.
    truncated: bool,
}

// A file or directory in a tree.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Leaf {
    // The number of levels below the top. Deeper entries that follow are inside this one.
    depth: usize,
    // The URI after the base of the tree.
    path: String,
    // Absent for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_collection: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    // The reason why the entry could not be shown, and what to try.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn tool<S: Store>(source: &Arc<StoreView<S>>) -> Tool {
    super::tool("tree", source, run)
        .title("Show a tree")
        .description(
            "Shows several levels of directories at once. A directory that contains more than is shown ends with /…",
        )
}

async fn run<S: Store>(
    source: Arc<StoreView<S>>,
    args: TreeArgs,
) -> Result<StructuredOutput<Tree>, Failure> {
    let top = source.uri(args.uri.as_deref())?;
    let mut gathering = TreeWalk {
        source: &source,
        is_for_one: top.is_some(),
        exclude: Globs::compile("exclude", args.exclude.as_deref().unwrap_or_default())?,
        depth: args.depth.unwrap_or(DEPTH).clamp(1, LARGEST_DEPTH),
        left: args.limit.unwrap_or(LIMIT).clamp(1, LARGEST_LIMIT),
        bytes_left: TEXT_BYTES,
    };
    let nodes = match top {
        Some(top) => gathering.below(&[top]).await?,
        None if source.roots.is_empty() => gathering.everything().await?,
        None => gathering.below(&source.roots).await?,
    };
    Ok(show(&nodes))
}

/// The options for collecting a tree, and the remaining numbers of entries and bytes.
struct TreeWalk<'a, S> {
    source: &'a StoreView<S>,
    /// Whether the caller named the top, which must be a collection then.
    is_for_one: bool,
    exclude: Option<Globs>,
    depth: usize,
    left: usize,
    bytes_left: usize,
}

/// A resource, and the positions of its children in the list of nodes.
struct Node {
    resource: Resource,
    /// The path to the resource from the top.
    path: PathBuf,
    depth: usize,
    children: Range<usize>,
    /// Whether children may have been left out.
    has_more: bool,
    /// The problem, if a top can't be shown.
    problem: Option<Problem>,
}

impl<S: Store> TreeWalk<'_, S> {
    /// Collects everything in a store without roots, as one level.
    async fn everything(&mut self) -> Result<Vec<Node>, Problem> {
        match self.children(None, Path::new(""), 0).await {
            Ok((nodes, _)) => Ok(nodes),
            Err(error) => Err(problems::of(self.source, "", error).await),
        }
    }

    /// Collects these collections and everything below them. Fails if none of them can be shown.
    /// The nodes are sorted by level, so a later node is never nearer to the top.
    async fn below(&mut self, tops: &[String]) -> Result<Vec<Node>, Problems> {
        let mut nodes = Vec::new();
        for top in tops {
            nodes.push(self.top(top).await);
        }
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            if node.problem.is_none() && entry::is_collection(&node.resource) {
                let (begin, depth) = (nodes.len(), node.depth + 1);
                let found = if depth > self.depth || self.left == 0 {
                    Ok((Vec::new(), true))
                } else {
                    self.children(Some(&node.resource.uri), &node.path, depth)
                        .await
                };
                let (children, has_more, problem) = match found {
                    Ok((children, has_more)) => (children, has_more, None),
                    Err(error) if depth == 1 => {
                        let problem = problems::of(self.source, &node.resource.uri, error).await;
                        (Vec::new(), false, Some(problem))
                    }
                    // The collection has vanished or can't be read. A request for it reports which.
                    Err(_) => (Vec::new(), true, None),
                };
                nodes.extend(children);
                let end = nodes.len();
                if let Some(node) = nodes.get_mut(at) {
                    node.children = begin..end;
                    node.has_more = has_more;
                    node.problem = problem;
                }
            }
            at += 1;
        }
        // If nothing can be shown, the call fails, because a model would take a success for a
        // result.
        if nodes.iter().all(|node| node.problem.is_some()) {
            let problems = nodes.iter().filter_map(|node| node.problem.clone());
            ProblemBag::from_iter(problems).into_result()?;
        }
        Ok(nodes)
    }

    /// Creates a node without children, or with the reason why it can't have any.
    async fn top(&self, uri: &str) -> Node {
        let (resource, problem) = match self.source.store.metadata(uri).await {
            Ok(resource) if self.is_for_one && !entry::is_collection(&resource) => {
                (resource, Some(problems::is_no_collection(uri)))
            }
            Ok(resource) => (resource, None),
            Err(error) => {
                let unknown = Resource::new(uri, uri).is_collection(true);
                (unknown, Some(problems::of(self.source, uri, error).await))
            }
        };
        let mut node = Node::new(resource, PathBuf::new(), 0);
        node.problem = problem;
        node
    }

    /// The children of a collection, as far as they fit, and whether there are more.
    async fn children(
        &mut self,
        parent: Option<&str>,
        path: &Path,
        depth: usize,
    ) -> Result<(Vec<Node>, bool), StoreError> {
        let mut nodes = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = ListQuery::new(PAGE);
            query.parent = parent;
            query.after = after.as_deref();
            let page = self.source.store.list(query).await?;
            for resource in page.resources {
                let path = path.join(&resource.name);
                if self
                    .exclude
                    .as_ref()
                    .is_some_and(|globs| globs.matches(&path))
                {
                    continue;
                }
                if self.left == 0 || self.bytes_left < resource.uri.len() {
                    // Shorter URIs might still fit, but then the left-out entries would no longer
                    // be the deepest.
                    self.left = 0;
                    return Ok((nodes, true));
                }
                self.left -= 1;
                self.bytes_left -= resource.uri.len();
                nodes.push(Node::new(resource, path, depth));
            }
            if page.next.is_none() {
                return Ok((nodes, false));
            }
            after = page.next;
        }
    }
}

impl Node {
    fn new(resource: Resource, path: PathBuf, depth: usize) -> Self {
        Self {
            resource,
            path,
            depth,
            children: 0..0,
            has_more: false,
            problem: None,
        }
    }
}

/// Draws the nodes, each before its children.
fn show(nodes: &[Node]) -> StructuredOutput<Tree> {
    let mut lines = Vec::new();
    let mut entries = Vec::new();
    let base = entry::base(nodes.iter().map(|node| &*node.resource.uri));
    let tops = nodes.iter().take_while(|node| node.depth == 0);
    let mut waiting: Vec<&Node> = tops.collect();
    waiting.reverse();
    while let Some(node) = waiting.pop() {
        lines.push(line(node));
        entries.push(Leaf {
            depth: node.depth,
            path: entry::below(&node.resource.uri, base).to_owned(),
            is_collection: entry::is_collection(&node.resource).then_some(true),
            size: node.resource.size,
            error: node.problem.as_ref().map(|it| it.text().into_owned()),
        });
        let children = nodes.get(node.children.clone()).unwrap_or_default();
        waiting.extend(children.iter().rev());
    }
    let truncated = nodes.iter().any(|node| node.has_more);
    if truncated {
        lines.push("A directory that ends with /… contains more: use its uri, more depth or a larger limit.".to_owned());
    }
    let tree = Tree {
        base: base.to_owned(),
        entries,
        truncated,
    };
    Json(tree).content([Content::text(lines.join("\n"))])
}

fn line(node: &Node) -> String {
    let indent = "  ".repeat(node.depth);
    // The top is shown by its URI, which is the prefix of the other URIs.
    let name = if node.depth == 0 {
        node.resource.uri.clone()
    } else {
        entry::printable(&node.resource.name)
    };
    if let Some(problem) = &node.problem {
        return format!("{name}: {}", problem.text());
    }
    match (entry::is_collection(&node.resource), node.has_more) {
        (false, _) => format!("{indent}{name}"),
        (true, false) => format!("{indent}{name}/"),
        (true, true) => format!("{indent}{name}/…"),
    }
}
