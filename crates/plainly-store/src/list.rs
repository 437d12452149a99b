//! `list_resources`: the children of a collection, page by page, or sorted by size or time.

mod sorted;

use std::sync::Arc;

use plainly_errors::Problem;
use plainly_protocol::types::{Content, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::sorted::Order;
use super::entry::{self, ListedEntry};
use super::{LINKS, StoreView, TEXT_BYTES, problems};
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::{ListQuery, Page, Store};
use plainly_server::{Failure, Tool};

const LIMIT: usize = 200;
const LARGEST_LIMIT: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArgs {
    /// URI or path of a directory.
    uri: Option<String>,
    /// The largest or the last modified first.
    #[schemars(extend("default" = "name"))]
    sort: Option<Sort>,
    /// Most entries in one result.
    #[schemars(range(min = 1, max = LARGEST_LIMIT), extend("default" = LIMIT))]
    limit: Option<usize>,
    /// `next` of the previous result, to continue it.
    after: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Sort {
    Name,
    // Largest first.
    Size,
    // Most recently changed first.
    Modified,
}

impl Sort {
    /// The order; `None` for the store's own.
    fn order(self) -> Option<Order> {
        match self {
            Self::Name => None,
            Self::Size => Some(Order::Size),
            Self::Modified => Some(Order::Modified),
        }
    }
}

// A part of a listing.
#[derive(Serialize, JsonSchema)]
struct Listing {
    // The common beginning of the URIs.
    base: String,
    resources: Vec<ListedEntry>,
    // The argument `after` for the next call, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    // Whether entries were left out that `next` doesn't lead to.
    truncated: bool,
    // The entries that were left out, and how to see them.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(super) fn tool<S: Store>(source: &Arc<StoreView<S>>) -> Tool {
    super::tool("list_resources", source, run)
        .title("List resources")
        .description(
            "Lists what is directly in a directory, with sizes, or sorted by modified with times in the text; without uri, \
             the top-level directories (start with that).",
        )
}

async fn run<S: Store>(
    source: Arc<StoreView<S>>,
    args: ListArgs,
) -> Result<StructuredOutput<Listing>, Failure> {
    let uri = source.uri(args.uri.as_deref())?;
    let limit = args.limit.unwrap_or(LIMIT).clamp(1, LARGEST_LIMIT);
    let is_top = uri.is_none() && !source.roots.is_empty();
    let Some(order) = args.sort.and_then(Sort::order) else {
        let page = match is_top {
            true => roots(&source).await?,
            false => page(&source, uri.as_deref(), args.after, limit).await?,
        };
        return Ok(show(page, false, None));
    };
    // The store's positions only have a meaning in its own order.
    if args.after.is_some() {
        let why = "only a listing in the order of names can be continued.";
        return Err(Problem::validation("after", why)
            .suggest("Leave out sort, or ask for more at once with limit.")
            .into());
    }
    let mut found = match is_top {
        true => order.of(roots(&source).await?.resources, limit),
        false => order.first(&source, uri.as_deref(), limit).await?,
    };
    let has_time = order == Order::Modified;
    found.cut(fitting(&found.resources, has_time));
    let note = found.note();
    Ok(show(Page::new(found.resources, None), has_time, note))
}

async fn roots<S: Store>(source: &StoreView<S>) -> Result<Page, Problem> {
    let mut resources = Vec::new();
    for root in &source.roots {
        match source.store.metadata(root).await {
            Ok(resource) => resources.push(resource),
            Err(error) if source.roots.len() == 1 => {
                return Err(problems::of(source, root, error).await);
            }
            // The other roots are listed, and a request for this one reports its error.
            Err(_) => {}
        }
    }
    Ok(Page::new(resources, None))
}

/// The children of a collection that fit into one result, at most `limit`, and the position to
/// continue from.
async fn page<S: Store>(
    source: &StoreView<S>,
    parent: Option<&str>,
    after: Option<String>,
    limit: usize,
) -> Result<Page, Problem> {
    let page = children(source, parent, after.clone(), limit).await?;
    let fits = fitting(&page.resources, false);
    if fits < page.resources.len() {
        // Only the store knows the position after fewer entries.
        return children(source, parent, after, fits).await;
    }
    Ok(page)
}

/// At most `most` children of a collection, and the position to continue from.
async fn children<S: Store>(
    source: &StoreView<S>,
    parent: Option<&str>,
    mut after: Option<String>,
    most: usize,
) -> Result<Page, Problem> {
    let mut resources: Vec<Resource> = Vec::new();
    loop {
        let mut query = ListQuery::new(most - resources.len());
        query.parent = parent;
        query.after = after.as_deref();
        let page = match source.store.list(query).await {
            Ok(page) => page,
            Err(error) => return Err(problems::of(source, parent.unwrap_or_default(), error).await),
        };
        resources.extend(page.resources);
        if page.next.is_none() || resources.len() >= most {
            return Ok(Page::new(resources, page.next));
        }
        after = page.next;
    }
}

fn base(resources: &[Resource]) -> &str {
    entry::base(resources.iter().map(|one| &*one.uri))
}

/// The number of these resources that fit into one result: at least one.
fn fitting(resources: &[Resource], has_time: bool) -> usize {
    let base = base(resources);
    let mut room = TEXT_BYTES;
    let fits = resources.iter().take_while(|one| {
        let line = ListedEntry::new(one, base, has_time).line();
        let left = room.checked_sub(line.len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    });
    fits.count().max(1)
}

fn show(page: Page, has_time: bool, note: Option<String>) -> StructuredOutput<Listing> {
    let base = base(&page.resources);
    let entries = page.resources.iter();
    let listing = Listing {
        base: base.to_owned(),
        resources: entries
            .map(|one| ListedEntry::new(one, base, has_time))
            .collect(),
        truncated: note.is_some(),
        note,
        next: page.next,
    };
    let next = listing.next.as_ref();
    let next = next.map(|next| format!("There is more: call again with after={next}"));
    let lines: Vec<String> = (!base.is_empty())
        .then(|| format!("URIs begin with {base}"))
        .into_iter()
        .chain(listing.resources.iter().map(ListedEntry::line))
        .chain([entry::sum(&page.resources)])
        .chain(next)
        .chain(listing.note.clone())
        .collect();
    let mut content = vec![Content::text(lines.join("\n"))];
    if page.resources.len() <= LINKS {
        content.extend(page.resources.into_iter().map(Content::resource_link));
    }
    Json(listing).content(content)
}
