//! The result of a search: the hits, cut to the limit and the maximum size, as text in the manner
//! of grep, as structured output and as links.

use std::iter;

use plainly::protocol::types::Content;
use plainly::server::reply::{Json, StructuredOutput};
use plainly::store::tools::{LINKS, TEXT_BYTES};
use schemars::JsonSchema;
use serde::Serialize;

use super::find::{Hit, Hits, LeftOut};
use super::lines::Line;
use super::query::Query;
use super::walk::Cutoff;

// The files and directories found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchResult {
    files: Vec<FoundFile>,
    // Whether the result may be incomplete.
    truncated: bool,
    // The amount searched, the files left out, and how to see more.
    note: String,
}

// A file or directory that was found.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct FoundFile {
    uri: String,
    // Absent for files.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_collection: Option<bool>,
    // The matching lines, in order; empty if the search is for names.
    lines: Vec<FoundLine>,
}

// A line that matches, or a context line.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct FoundLine {
    // The line number, from 1; read_resource accepts it as `offset`.
    number: u64,
    // The line. A line that is too long is cut to the part around the match, with … at each cut.
    text: String,
    // False for lines of context.
    is_match: bool,
}

pub(super) fn show(mut hits: Hits, query: &Query) -> StructuredOutput<SearchResult> {
    let cut = cut(&mut hits.found, query);
    let stopped = match hits.stopped {
        Some(Cutoff::Time) => Some(Cutoff::Time),
        // A higher limit wouldn't help if the text is too large.
        stopped => cut.or(stopped),
    };
    let note = match query.words {
        Some(_) => ranked_note(&hits, stopped),
        None => note(&hits, stopped, query),
    };
    let text = format!("{}{note}", text(&hits.found));
    let mut content = vec![Content::text(text)];
    if hits.found.len() <= LINKS {
        let links = hits.found.iter().map(|hit| hit.resource.clone());
        content.extend(links.map(Content::resource_link));
    }
    let found = SearchResult {
        files: hits.found.into_iter().map(FoundFile::from).collect(),
        truncated: stopped.is_some(),
        note,
    };
    Json(found).content(content)
}

/// Removes the hits beyond the limit or the maximum size. Returns which of the two applied.
fn cut(found: &mut Vec<Hit>, query: &Query) -> Option<Cutoff> {
    let mut matches = match query.words {
        // A ranked search has already applied its limit to the sections.
        Some(_) => usize::MAX,
        None => query.limit,
    };
    let mut room = TEXT_BYTES;
    let mut fits = |bytes: usize| {
        let left = room.checked_sub(bytes);
        room = left.unwrap_or(0);
        left.is_some()
    };
    for (index, hit) in found.iter_mut().enumerate() {
        if !fits(hit.resource.uri.len()) {
            found.truncate(index);
            return Some(Cutoff::Room);
        }
        let cut = hit.lines.iter().enumerate().find_map(|(at, line)| {
            if line.is_match && matches == 0 {
                return Some((at, Cutoff::Limit));
            }
            matches -= usize::from(line.is_match);
            (!fits(line.text.len())).then_some((at, Cutoff::Room))
        });
        if let Some((at, cut)) = cut {
            hit.lines.truncate(at);
            let is_left = hit.lines.iter().any(|line| line.is_match);
            found.truncate(index + usize::from(is_left));
            return Some(cut);
        }
    }
    None
}

/// Each file with its lines below it. Where lines have context, `--` separates lines that are not
/// adjacent.
fn text(found: &[Hit]) -> String {
    let mut text = String::new();
    for hit in found {
        text += &hit.resource.uri;
        text += if hit.resource.is_collection == Some(true) {
            "/\n"
        } else {
            "\n"
        };
        let has_context = hit.lines.iter().any(|line| !line.is_match);
        let mut last = None;
        for line in &hit.lines {
            if has_context && last.is_some_and(|last| last + 1 != line.number) {
                text += "--\n";
            }
            let mark = if line.is_match { ':' } else { '-' };
            text += &format!("{}{mark} {}\n", line.number, line.text);
            last = Some(line.number);
        }
    }
    text
}

/// Describes the result of a search.
fn note(hits: &Hits, stopped: Option<Cutoff>, query: &Query) -> String {
    let lines = hits.found.iter().flat_map(|hit| &hit.lines);
    let matches = lines.filter(|line| line.is_match).count();
    let files = counted(files(&hits.found), "file", "files");
    let matches = counted(matches, "match", "matches");
    let mut sentences = match (&query.pattern, stopped) {
        // The number of files that the threads searched is random, and the same search must have
        // the same result.
        (Some(_), Some(Cutoff::Limit | Cutoff::Room)) => vec![format!("{matches} in {files}.")],
        (Some(_), Some(Cutoff::Time) | None) => {
            let searched = format!("{matches} in {files}, of {} searched.", hits.searched);
            iter::once(searched)
                .chain(left_out(&hits.left_out))
                .collect()
        }
        (None, _) => {
            let found = counted(
                hits.found.len(),
                "file or directory",
                "files and directories",
            );
            let which = if query.is_listing() {
                ""
            } else {
                " with a matching name"
            };
            vec![format!("{found}{which}.")]
        }
    };
    sentences.extend(match stopped {
        Some(Cutoff::Limit) => Some(
            "There are more: narrow the search with uri, glob or a longer pattern, or raise limit.",
        ),
        Some(Cutoff::Room) => Some(
            "There are more than an answer has room for: narrow the search with uri, glob or a longer pattern.",
        ),
        Some(Cutoff::Time) if hits.left_out.late > 0 => Some(
            "The search ran out of time: repeat it for more documents, or narrow it with uri or glob.",
        ),
        Some(Cutoff::Time) => {
            Some("The search ran out of time: narrow it with uri or glob.")
        }
        None if hits.found.is_empty() && query.pattern.is_some() && !query.is_case_ignored => {
            Some("The search is case-sensitive: try ignoreCase, or a shorter pattern.")
        }
        None => None,
    }.map(str::to_owned));
    sentences.join(" ")
}

/// The number of files with hits. Each page of a document is a hit of its own, but counts once.
fn files(found: &[Hit]) -> usize {
    let uris = found.iter().map(|hit| hit.resource.uri.split('#').next());
    let mut uris: Vec<_> = uris.collect();
    uris.dedup();
    uris.len()
}

/// Describes the result of a ranked search.
fn ranked_note(hits: &Hits, stopped: Option<Cutoff>) -> String {
    let sections = counted(hits.found.len(), "section", "sections");
    let files = counted(hits.searched, "file", "files");
    let mut note = format!("{sections}, of {files} searched");
    note += &match hits.left_out.named {
        0 => ".".to_owned(),
        named => format!(", {named} of them by name alone."),
    };
    if hits.left_out.late > 0 {
        let late = counted(hits.left_out.late, "document is", "documents are");
        note += &format!(" {late} not converted yet: repeat the search.");
    }
    note += match stopped {
        Some(Cutoff::Limit) => {
            " There are more, which have less in common with the words: raise limit."
        }
        Some(Cutoff::Room) => {
            " There are more than an answer has room for: narrow the search with uri or glob."
        }
        Some(Cutoff::Time) => {
            " The search ran out of time: repeat it, or narrow it with uri or glob."
        }
        None if hits.found.is_empty() => " Try other words, or pattern.",
        None => "",
    };
    note
}

/// A number with its noun.
fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Names the files that were not searched, if any.
fn left_out(files: &LeftOut) -> Option<String> {
    let kinds: Vec<String> = [
        (files.binary, "binary"),
        (files.long_lines, "with lines over 16 MiB"),
        (files.unreadable, "unreadable"),
        (files.late, "not converted yet"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, kind)| format!("{count} {kind}"))
    .collect();
    (!kinds.is_empty()).then(|| format!("Left out: {}.", kinds.join(", ")))
}

impl From<Hit> for FoundFile {
    fn from(hit: Hit) -> Self {
        Self {
            uri: hit.resource.uri,
            is_collection: hit.resource.is_collection.filter(|&is| is),
            lines: hit.lines.into_iter().map(FoundLine::from).collect(),
        }
    }
}

impl From<Line> for FoundLine {
    fn from(line: Line) -> Self {
        Self {
            number: line.number,
            text: line.text,
            is_match: line.is_match,
        }
    }
}
