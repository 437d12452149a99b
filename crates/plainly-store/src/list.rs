//! `list_resources`: the children of a collection, page by page or the largest or latest first.

use std::cmp::Reverse;
use std::sync::Arc;

use plainly_errors::Problem;
use plainly_protocol::types::{Content, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{StoreView, TEXT_BYTES, entry, problems};
use plainly_server::reply::{Json, StructuredOutput};
use plainly_server::store::{ListQuery, Page, Store};
use plainly_server::{Failure, Tool};

const LIMIT: usize = 200;
const LARGEST_LIMIT: usize = 1_000;

/// The most entries that are sorted in another order than the store's.
const SORTED: usize = 10_000;

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

// A part of a listing.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Listing {
    resources: Vec<entry::Entry>,
    // There is more: call again with this as `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    // Whether entries were left out that `next` does not lead to.
    truncated: bool,
}

pub(super) fn tool<S: Store>(source: &Arc<StoreView<S>>) -> Tool {
    super::tool("list_resources", source, run)
        .title("List resources")
        .description(
            "Lists what is directly in a directory, with sizes and the times of the last change; without uri, the \
             top-level directories (start with that).",
        )
}

async fn run<S: Store>(
    source: Arc<StoreView<S>>,
    args: ListArgs,
) -> Result<StructuredOutput<Listing>, Failure> {
    let uri = source.uri(args.uri.as_deref())?;
    let limit = args.limit.unwrap_or(LIMIT).clamp(1, LARGEST_LIMIT);
    let sort = args.sort.unwrap_or(Sort::Name);
    // The store's positions only make sense in its own order.
    if sort != Sort::Name && args.after.is_some() {
        let why = "only a listing in the order of names can be continued.";
        return Err(Problem::validation("after", why)
            .suggest("Leave out sort, or ask for more at once with limit.")
            .into());
    }
    let mut page = match &uri {
        None if !source.roots.is_empty() => roots(&source).await?,
        uri => {
            // The largest entry may come last, so entries are only left out once all have been fetched.
            let most = if sort == Sort::Name { limit } else { SORTED };
            let page = children(&source, uri.as_deref(), args.after.clone(), most).await?;
            let fits = fitting(&page.resources);
            if sort == Sort::Name && fits < page.resources.len() {
                // Only the store knows where to continue after fewer entries.
                children(&source, uri.as_deref(), args.after, fits).await?
            } else {
                page
            }
        }
    };
    let mut truncated = false;
    if sort != Sort::Name {
        put_first(sort, &mut page.resources);
        let most = limit.min(fitting(&page.resources));
        truncated = page.next.take().is_some() || page.resources.len() > most;
        page.resources.truncate(most);
    }
    Ok(show(page, truncated))
}

async fn roots<S: Store>(source: &StoreView<S>) -> Result<Page, Problem> {
    let mut resources = Vec::new();
    for root in &source.roots {
        match source.store.metadata(root).await {
            Ok(resource) => resources.push(resource),
            Err(error) if source.roots.len() == 1 => {
                return Err(problems::of(source, root, error).await);
            }
            // The other roots are still fine, and a request for this one will say what is wrong with it.
            Err(_) => {}
        }
    }
    Ok(Page::new(resources, None))
}

/// At most `most` children of a collection, and where to continue.
async fn children<S: Store>(
    source: &StoreView<S>,
    parent: Option<&str>,
    mut after: Option<String>,
    most: usize,
) -> Result<Page, Problem> {
    let mut resources: Vec<Resource> = Vec::new();
    loop {
        let mut query = ListQuery::new((most - resources.len()).min(LARGEST_LIMIT));
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

/// The number of these resources that fit into one answer: at least one.
fn fitting(resources: &[Resource]) -> usize {
    let mut room = TEXT_BYTES;
    let fits = resources.iter().take_while(|one| {
        let left = room.checked_sub(entry::line(one).len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    });
    fits.count().max(1)
}

fn put_first(sort: Sort, resources: &mut [Resource]) {
    match sort {
        Sort::Name => {}
        Sort::Size => resources.sort_by_key(|one| Reverse(one.size)),
        Sort::Modified => resources
            .sort_by(|one, other| entry::last_modified(other).cmp(&entry::last_modified(one))),
    }
}

fn show(page: Page, truncated: bool) -> StructuredOutput<Listing> {
    let mut lines: Vec<String> = page.resources.iter().map(entry::line).collect();
    lines.push(entry::sum(&page.resources));
    if let Some(next) = &page.next {
        lines.push(format!("There is more: call again with after={next}"));
    }
    if truncated {
        lines.push("The rest is left out: ask for more with limit, or without sort.".to_owned());
    }
    let listing = Listing {
        resources: page.resources.iter().map(entry::Entry::from).collect(),
        next: page.next,
        truncated,
    };
    let mut content = vec![Content::text(lines.join("\n"))];
    content.extend(page.resources.into_iter().map(Content::resource_link));
    Json(listing).content(content)
}
