//! The tool `search`: finds lines that match a pattern, or files by their names; without either, it
//! lists a directory. The arguments become a [`Query`], a job walks the directories with it
//! ([`walk`], [`find`]), and the [`SearchResult`] becomes text, structured output and links.

mod decoded;
mod documents;
mod find;
mod found;
mod lines;
mod paced;
mod query;
mod rank;
mod ranked;
mod team;
mod walk;

use std::sync::Arc;

use plainly::Args;
use plainly::errors::Problem;
use plainly::protocol::types::ToolAnnotations;
use plainly::server::reply::StructuredOutput;
use plainly::server::{Failure, Tool};
use plainly::store::Store;
use plainly::store::tools::{Globs, StoreTools};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{Mutex, OwnedMutexGuard};

use self::documents::Documents;
use self::found::SearchResult;
use self::query::Query;
use self::rank::Question;
use self::ranked::TextIndex;
use crate::job::Waiter;
use crate::request::Request;
use crate::store::DirectoryStore;

const LIMIT: usize = 100;
const LARGEST_LIMIT: usize = 1_000;

/// The default number of sections of a ranked search.
const SECTIONS: usize = 10;

/// The maximum number of context lines on either side of a match.
const LARGEST_CONTEXT: usize = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SearchArgs {
    /// Regular expression (Rust's, without look-around and back-references) to find in lines.
    pattern: Option<String>,
    /// Words to rank sections of files by, instead of pattern.
    words: Option<String>,
    /// Names or paths: *.rs in any directory, src/**/*.rs from the top of the search.
    glob: Option<String>,
    /// URI or path of a file or directory; without it, everything.
    uri: Option<String>,
    /// Match pattern literally.
    literal: Option<bool>,
    /// Ignore case.
    ignore_case: Option<bool>,
    /// Lines to show before and after each match.
    #[schemars(range(max = LARGEST_CONTEXT))]
    context: Option<usize>,
    /// Globs to leave out: node_modules, *.min.js.
    exclude: Option<Vec<String>>,
    /// Most matches, 100 by default; with words, most sections, 10 by default.
    #[schemars(range(min = 1, max = LARGEST_LIMIT))]
    limit: Option<usize>,
}

/// Creates the tool over `store`. It parses URIs and words its errors like the tools of `others`,
/// and reads documents from `shown`.
pub(super) fn tool(
    store: DirectoryStore,
    others: StoreTools<DirectoryStore>,
    shown: impl Store,
) -> Tool {
    let search = Arc::new(Search {
        store,
        others,
        documents: Documents::of(shown),
        index: Arc::default(),
    });
    Tool::new("search", move |Args(args): Args<SearchArgs>| {
        Arc::clone(&search).run(args)
    })
    .annotations(
        ToolAnnotations::new()
            .read_only_hint(true)
            .open_world_hint(false),
    )
    .title("Search")
    .description(
        "Finds the sections of files that are about words, best first; lines by pattern; files and directories by glob; or \
         what matches glob and one of these. With none, lists what is directly in uri. Returns URIs and line numbers.",
    )
}

struct Search {
    store: DirectoryStore,
    others: StoreTools<DirectoryStore>,
    documents: Arc<Documents>,
    /// The index, which one ranked search uses at a time. The next search reuses the texts that it
    /// has read.
    index: Arc<Mutex<TextIndex>>,
}

impl Search {
    async fn run(
        self: Arc<Self>,
        args: SearchArgs,
    ) -> Result<StructuredOutput<SearchResult>, Failure> {
        let uri = self.others.uri(args.uri.as_deref())?;
        let is_everywhere = uri.is_none();
        let tops = match uri {
            Some(uri) => vec![uri],
            None => self.store.mounts().map(|it| it.uri().to_owned()).collect(),
        };
        let top = tops.first().cloned().unwrap_or_default();
        // One job compiles the pattern and searches, so that a search that waits for its turn holds
        // no more memory than its arguments.
        let is_ranked = args.words.is_some();
        let documents = self.documents.reader();
        let search = move |request: &Request<'_>, index: Option<OwnedMutexGuard<TextIndex>>| {
            let query = match query(args, tops, is_everywhere) {
                Ok(query) => query,
                Err(problem) => return Ok(Err(problem)),
            };
            let hits = match (&query.words, index) {
                (Some(words), Some(index)) => {
                    ranked::ranked(request, &query, words, index, &documents)?
                }
                (_, _) => find::find(request, &query, &documents)?,
            };
            Ok(Ok(found::show(hits, &query)))
        };
        let searched = async {
            let mounts = Arc::clone(&self.store.mounts);
            let jobs = &self.store.mounts.jobs;
            let _place = match is_ranked {
                true => jobs.single().await?,
                false => jobs.long().await?,
            };
            let index = async {
                match is_ranked {
                    true => Some(Arc::clone(&self.index).lock_owned().await),
                    false => None,
                }
            };
            let work = move |waiter: &Waiter, index| {
                let mounts = &mounts;
                search(&Request { mounts, waiter }, index)
            };
            jobs.run_with(index, work).await
        };
        match searched.await {
            Ok(found) => Ok(found?),
            Err(error) => Err(self.others.problem(&top, error).await.into()),
        }
    }
}

fn question(words: &str) -> Result<Question, Problem> {
    Question::of(words).ok_or_else(|| {
        Problem::validation("words", "there is no word in it.")
            .suggest("Give pattern to find other characters.")
    })
}

fn query(args: SearchArgs, tops: Vec<String>, is_everywhere: bool) -> Result<Query, Problem> {
    let is_literal = args.literal.unwrap_or(false);
    let is_case_ignored = args.ignore_case.unwrap_or(false);
    let pattern = args
        .pattern
        .map(|pattern| query::pattern(&pattern, is_literal, is_case_ignored))
        .transpose()?;
    let words = args.words.as_deref().map(question).transpose()?;
    if pattern.is_some() && words.is_some() {
        return Err(Problem::validation("words", "it can't be given together with pattern.")
            .suggest("Give words for the sections that are about them, or pattern for each line that matches."));
    }
    let limit = match words {
        Some(_) => SECTIONS,
        None => LIMIT,
    };
    let (glob, exclude) = (args.glob.as_slice(), args.exclude.unwrap_or_default());
    let mut globs = [glob, &exclude].into_iter();
    Ok(Query {
        has_mount_names: is_everywhere && globs.any(|globs| query::have_mount_names(globs, &tops)),
        tops,
        pattern,
        words,
        glob: Globs::compile("glob", glob)?,
        exclude: Globs::compile("exclude", &exclude)?,
        context: args.context.unwrap_or(0).min(LARGEST_CONTEXT),
        limit: args.limit.unwrap_or(limit).clamp(1, LARGEST_LIMIT),
        is_case_ignored,
    })
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[tokio::test]
    async fn ranked_searches_that_wait_for_another_leave_places_to_the_rest() {
        let around = tempfile::tempdir().unwrap();
        std::fs::write(around.path().join("x"), "needle").unwrap();
        let store = DirectoryStore::new(around.path()).unwrap();
        let search = Arc::new(Search {
            others: StoreTools::new(store.clone()),
            documents: Documents::of(store.clone()),
            store,
            index: Arc::default(),
        });
        let start = |arguments: serde_json::Value| {
            let args = serde_json::from_value(arguments).unwrap();
            Box::pin(Arc::clone(&search).run(args))
        };
        let other = search.index.lock().await;
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting = Vec::new();
        for _ in 0..100 {
            let mut ranked = start(serde_json::json!({"words": "needle"}));
            let is_waiting = matches!(ranked.as_mut().poll(&mut context), Poll::Pending);
            assert!(is_waiting);
            waiting.push(ranked);
        }
        let found = start(serde_json::json!({"pattern": "needle"})).await;
        assert!(found.is_ok());
        drop(other);
        for ranked in waiting {
            assert!(ranked.await.is_ok());
        }
    }
}
