//! Explains a store's error to a model: the fault, and an alternative to try. Uses only the store's
//! listings, so it reveals nothing that these don't show. Names no other tool, because a server may
//! offer only some of them.

use plainly_errors::Problem;
use plainly_errors::problem::ProblemCode;
use plainly_protocol::part::Part;

use super::StoreView;
use plainly_server::store::{ByteRange, ListQuery, RangeQuery, Store, StoreError};

/// The maximum number of a collection's entries searched for similar names, and of suggested names.
const LOOKED_AT: usize = 1_000;
const NEAR: usize = 3;
const SIBLINGS: usize = 20;

/// The minimum similarity, from 0 to 1, of two names of which one may be a misspelling of the
/// other.
const ALIKE: f64 = 0.8;

/// The maximum number of compared letters in one search. Two names need as many as the product of
/// their lengths.
const COMPARED: usize = 1 << 20;

/// The maximum number of levels searched upwards for an existing collection.
const ABOVE: usize = 64;

/// The problem to report when a request for `uri` fails with `error`.
pub(super) async fn of<S: Store>(source: &StoreView<S>, uri: &str, error: StoreError) -> Problem {
    match error {
        StoreError::NotFound => {
            Problem::not_found("resource", uri).suggest(instead(source, uri).await)
        }
        StoreError::InvalidUri { why } => {
            let problem = Problem::validation("uri", format!("{uri}: {why}."));
            problem.suggest(form(&source.roots))
        }
        StoreError::NotACollection => is_no_collection(uri),
        StoreError::InvalidCursor => {
            Problem::validation("after", "it is not a position in this listing.")
                .suggest("Use `next` from the previous result unchanged, with the same uri, or nothing to start again.")
        }
        StoreError::TooLarge { size, limit } => too_large(source, uri, (size, limit)).await,
        StoreError::NoSuchPart { size } => after_the_end(size),
        StoreError::TimedOut { limit } => {
            let what = format!("counting the lines of {uri}, for {} s", limit.as_secs());
            Problem::timeout(what).suggest("Call it again, which may go on from there, or use tail for the last lines.")
        }
        StoreError::Unstable => {
            let message = format!("{uri} changed each time it was read.");
            let advice = format!("Try again, or read some of it, such as {}.", SOME.uri(uri));
            Problem::new(ProblemCode::ServiceUnavailable, message).suggest(advice)
        }
        StoreError::Overloaded => {
            Problem::service_unavailable("resources").suggest("Too much is being read at once: try again.")
        }
        StoreError::Failed(cause) => {
            tracing::error!(uri, error = %cause, "a tool could not ask the store");
            Problem::internal("The resource could not be read.").with_source(cause)
        }
        other => Problem::internal("The resource could not be read.").with_source(other),
    }
}

/// The problem of a change at a URI where the store can't have a resource.
pub(super) async fn no_place<S: Store>(source: &StoreView<S>, uri: &str) -> Problem {
    let Some((parent, missing, _)) = beside(source, uri).await else {
        return not_served(uri, &source.roots);
    };
    match uri.rsplit_once('/') {
        Some((collection, _)) if collection != parent => {
            let advice = match missing.starts_with('.') {
                true => "Use another name: hidden ones may not be served. Or create it first.",
                false => "Create it first.",
            };
            Problem::not_found("collection", collection).suggest(advice)
        }
        _ => Problem::validation("uri", format!("{parent} serves no {}.", last(uri)))
            .suggest("Use another name: hidden and ignored ones are not served."),
    }
}

/// The bytes that a problem suggests reading.
const SOME: Part = Part::Bytes {
    first: 0,
    end: Some(64 << 10),
};

/// The problem of a resource that is too large to be read as a whole.
async fn too_large<S: Store>(
    source: &StoreView<S>,
    uri: &str,
    (size, limit): (u64, u64),
) -> Problem {
    let message = format!("{uri} has {size} bytes, and the limit is {limit}.");
    let range = ByteRange::From { first: 0, most: 1 };
    let read = source.store.read_range(RangeQuery::new(uri, range)).await;
    let advice = match read {
        Ok(_) => format!("Read some of it, such as {}, or let", SOME.uri(uri)),
        Err(_) => "Let".to_owned(),
    };
    Problem::new(ProblemCode::PayloadTooLarge, message)
        .suggest(format!("{advice} the operator of the server raise the limit, as with plainly serve --max-file-size."))
        .detail("uri", uri)
        .detail("size", size)
        .detail("limit", limit)
}

/// The problem of a first line that is after the last.
pub(super) fn after_the_end(lines: u64) -> Problem {
    Problem::validation("offset", format!("the text has {lines} lines."))
        .suggest("Use an offset up to that, or tail for the last lines.")
}

/// The problem of a first page or byte that is after the last.
pub(super) fn after_the_end_of_all(part: Part, size: u64) -> Problem {
    match part {
        Part::Pages(_) => Problem::validation("uri", format!("the document has {size} pages."))
            .suggest("Use a page up to that."),
        Part::Bytes { .. } | Part::LastBytes(_) => {
            Problem::validation("uri", format!("the resource has {size} bytes."))
                .suggest("Use bytes up to that.")
        }
        Part::Lines { .. } | Part::Tail(_) => after_the_end(size),
    }
}

/// The problem of requested pages of a resource that has none.
pub(super) fn no_pages(uri: &str) -> Problem {
    Problem::validation("uri", format!("{uri} has no pages.")).suggest("Leave out #page=.")
}

/// The problem of requested children of a file.
pub(super) fn is_no_collection(uri: &str) -> Problem {
    Problem::validation("uri", format!("{uri} is a file."))
        .suggest("Read it, or use the directory that contains it.")
}

/// The problem of the requested content of a collection.
pub(super) fn is_a_collection(uri: &str) -> Problem {
    Problem::validation("uri", format!("{uri} is a directory."))
        .suggest("List what it contains, and read one of those.")
}

/// The problem of an argument that can't be meant for the store.
pub(super) fn not_served(written: &str, roots: &[String]) -> Problem {
    Problem::validation("uri", format!("{written} is not a URI of this server."))
        .suggest(form(roots))
}

/// The problem of an argument that is too long for a URI.
pub(super) fn too_long(limit: usize) -> Problem {
    Problem::validation("uri", format!("it has more than {limit} bytes."))
        .suggest("Use a URI exactly as it is listed.")
}

/// The problem of an argument that names a part instead of a whole resource.
pub(super) fn names_a_part(uri: &str, part: Part) -> Problem {
    Problem::validation("uri", format!("{} names a part.", part.uri(uri)))
        .suggest(format!("Leave out #{part}."))
}

/// The problem of an argument that stands for everything instead of one resource.
pub(super) fn not_one(roots: &[String]) -> Problem {
    Problem::validation("uri", "it names no resource.").suggest(form(roots))
}

fn form(roots: &[String]) -> String {
    match roots {
        [] => "List what exists without uri, and use a URI exactly as it is listed.".to_owned(),
        roots => format!("URIs start with {}: list what exists.", either(roots)),
    }
}

/// A suggestion for a URI without a resource.
async fn instead<S: Store>(source: &StoreView<S>, uri: &str) -> String {
    // A path that exists below a root is a better guess than a similar name.
    if let Some(found) = below_a_root(source, uri).await {
        return format!("Did you mean {found}?");
    }
    let Some((parent, missing, siblings)) = beside(source, uri).await else {
        return form(&source.roots);
    };
    let near = nearest(&missing, &siblings);
    if !near.is_empty() {
        return format!("Did you mean {}?", either(&near));
    }
    let names: Vec<&str> = siblings
        .iter()
        .take(SIBLINGS)
        .map(|uri| last(uri))
        .collect();
    let names = names.join(", ");
    match siblings.len() {
        0 => format!("{parent} is empty."),
        1..=SIBLINGS => format!("In {parent} there are: {names}."),
        _ => format!("In {parent} there are {names} and more: list them."),
    }
}

/// The URI of this path below a root, in case the root's name was left out.
async fn below_a_root<S: Store>(source: &StoreView<S>, uri: &str) -> Option<String> {
    let (begin, _) = source.roots.first()?.rsplit_once('/')?;
    let path = uri.strip_prefix(begin)?;
    for root in &source.roots {
        let candidate = format!("{root}{path}");
        if source.store.metadata(&candidate).await.is_ok() {
            return Some(candidate);
        }
    }
    None
}

/// The nearest existing collection above `uri`, the name that is missing in it, and the URIs of its
/// children.
async fn beside<S: Store>(
    source: &StoreView<S>,
    uri: &str,
) -> Option<(String, String, Vec<String>)> {
    let mut at = uri;
    for _ in 0..ABOVE {
        let (parent, missing) = at.rsplit_once('/')?;
        // Only a scheme is left, as in `file:/`, or the store doesn't serve the parent.
        if parent.ends_with('/') || !source.store.serves(parent) {
            return None;
        }
        let query = ListQuery::new(LOOKED_AT).parent(parent);
        if let Ok(page) = source.store.list(query).await {
            let siblings = page.resources.into_iter().map(|sibling| sibling.uri);
            return Some((parent.to_owned(), missing.to_owned(), siblings.collect()));
        }
        at = parent;
    }
    None
}

/// The URIs whose last part is most similar to `name`, most similar first. If there are many long
/// names, only some are compared.
fn nearest(name: &str, uris: &[String]) -> Vec<String> {
    let name = name.to_lowercase();
    let mut left = COMPARED;
    let mut near: Vec<(f64, &String)> = uris
        .iter()
        .map_while(|uri| {
            let other = last(uri).to_lowercase();
            left = left.checked_sub(name.len().saturating_mul(other.len()))?;
            Some((likeness(&name, &other), uri))
        })
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    near.into_iter()
        .take(NEAR)
        .map(|(_, uri)| uri.clone())
        .collect()
}

/// The similarity of two names, or of the first and the stem of the second.
fn likeness(one: &str, other: &str) -> f64 {
    let stem = other.rsplit_once('.').map_or(other, |(stem, _)| stem);
    strsim::jaro_winkler(one, other).max(if one == stem { 0.99 } else { 0.0 })
}

/// The last segment of a URI.
pub(super) fn last(uri: &str) -> &str {
    uri.rsplit('/').next().unwrap_or(uri)
}

fn either(uris: &[String]) -> String {
    match uris {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first_and_others_not_at_all() {
        let uris: Vec<String> = [
            "intro.md",
            "outro.md",
            "Intro.txt",
            "zebra.png",
            "index.html",
        ]
        .iter()
        .map(|name| format!("file:///d/{name}"))
        .collect();
        for (name, expected) in [
            ("intro.md", vec!["intro.md", "Intro.txt", "outro.md"]),
            ("INTRO.MD", vec!["intro.md", "Intro.txt", "outro.md"]),
            ("zebra", vec!["zebra.png"]),
            ("zbera.png", vec!["zebra.png"]),
            ("qqqq", vec![]),
        ] {
            let near = nearest(name, &uris);
            let near: Vec<&str> = near.iter().map(|uri| last(uri)).collect();
            assert_eq!(near, expected, "{name}");
        }
    }

    /// Comparing only some names takes less than this time on any machine.
    #[test]
    fn of_many_long_names_not_all_are_compared() {
        let uris = vec![format!("file:///d/{}x", "ab".repeat(120)); LOOKED_AT];
        let start = std::time::Instant::now();
        for _ in 0..50 {
            nearest(&"ba".repeat(120), &uris);
        }
        assert!(start.elapsed().as_secs() < 10, "took {:?}", start.elapsed());
    }
}
