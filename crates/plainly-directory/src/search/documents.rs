//! Documents, which are searched by the text that the store over the directories converts them to.
//! Independent of how that text is searched.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plainly::protocol::part::{PageLines, PageRange, Part};
use plainly::protocol::types::{Body, Representation};
use plainly::store::{Formats, Store, StoreError, Stores, Wanted};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::job::Waiter;
use crate::lock::Lock;
use crate::types;

/// The text types that programs show to their users in another form.
const FOR_PROGRAMS: [&str; 1] = ["application/x-ipynb+json"];

/// The interval between two checks whether the caller still waits for a text.
const LOOK: Duration = Duration::from_millis(50);

/// The reading time after which a document that isn't finished when the search ends counts as
/// unreadable.
const PATIENCE: Duration = Duration::from_secs(5);

/// The documents of a store over the directories, and the formats known so far.
pub(super) struct Documents {
    shown: Stores,
    /// The format of the text of documents, by their type; `None` if they have no text.
    formats: Lock<HashMap<&'static str, Option<Arc<str>>>>,
}

/// A reader of documents for the threads of one search.
#[derive(Clone)]
pub(super) struct DocumentReader {
    documents: Arc<Documents>,
    runtime: Handle,
}

/// The text of a document.
#[derive(Debug)]
pub(super) struct DocumentText {
    pub(super) text: String,
    pub(super) pages: PageLines,
}

/// The outcome of reading a document.
pub(super) enum DocumentOutcome {
    Text(DocumentText),
    /// The document has no text, or can't be read.
    Unreadable,
    /// The time ran out, or the store is overloaded.
    Late,
}

impl Documents {
    pub(super) fn of(shown: impl Store) -> Arc<Self> {
        Arc::new(Self {
            shown: Stores::new().add(shown),
            formats: Lock::default(),
        })
    }

    /// A reader for threads that may block. Must be called within a Tokio runtime.
    pub(super) fn reader(self: &Arc<Self>) -> DocumentReader {
        DocumentReader {
            documents: Arc::clone(self),
            runtime: Handle::current(),
        }
    }

    /// The format of the text of documents of this type. `uri` is one of them.
    async fn format(&self, mime_type: &'static str, uri: &str) -> Option<Arc<str>> {
        if let Some(known) = self.formats.lock().get(mime_type) {
            return known.clone();
        }
        let resource = self.shown.metadata(uri).await.ok()?;
        let formats = resource.meta.as_ref().map(Representation::listed);
        let mut formats = formats.unwrap_or_default().into_iter();
        let is_text =
            |one: &Representation| one.mime_type != mime_type && one.mime_type.starts_with("text/");
        let found: Option<Arc<str>> = formats.find(is_text).map(|one| one.mime_type.into());
        self.formats.lock().insert(mime_type, found.clone());
        found
    }

    async fn text(&self, uri: &str, format: &str) -> DocumentOutcome {
        let wanted = Wanted::new(Formats::These(vec![format.to_owned()]));
        let contents = match self.shown.read_as(uri, &wanted).await {
            Ok(contents) => contents,
            Err(StoreError::Overloaded | StoreError::TimedOut { .. }) => {
                return DocumentOutcome::Late;
            }
            Err(error) => {
                tracing::debug!(%error, uri, "skipped a document in a search");
                return DocumentOutcome::Unreadable;
            }
        };
        for content in contents {
            if content.mime_type.as_deref() == Some(format)
                && let Body::Text(text) = content.body
            {
                let pages = content.meta.as_ref().map(PageLines::stated);
                let pages = pages.unwrap_or_default();
                return DocumentOutcome::Text(DocumentText { text, pages });
            }
        }
        DocumentOutcome::Unreadable
    }
}

impl DocumentText {
    /// The URI of the pages with the lines `line` to `last`, which count from 0, and the number of
    /// lines before these pages. If the document has no pages, the URI of the whole document.
    pub(super) fn pages_of(&self, uri: &str, line: u64, last: u64) -> (String, u64) {
        let (Some((first, before)), Some((last, _))) =
            (self.pages.page_of(line), self.pages.page_of(last))
        else {
            return (uri.to_owned(), 0);
        };
        match PageRange::new(first, last) {
            Some(pages) => (Part::Pages(pages).uri(uri), before),
            None => (uri.to_owned(), 0),
        }
    }
}

impl DocumentReader {
    /// The format of a document's text; `None` for a file that is searched as it is.
    pub(super) fn format(&self, name: &OsStr, uri: &str, size: u64) -> Option<Arc<str>> {
        let mime_type = types::of_name(name)?;
        let is_read = types::is_text(mime_type) && !FOR_PROGRAMS.contains(&mime_type);
        if is_read || size == 0 {
            return None;
        }
        self.runtime.block_on(self.documents.format(mime_type, uri))
    }

    /// The text of a document in this format, if it is available in time.
    pub(super) fn text(
        &self,
        uri: &str,
        format: &str,
        waiter: &Waiter,
        until: Instant,
    ) -> DocumentOutcome {
        let start = Instant::now();
        if start > until {
            return DocumentOutcome::Late;
        }
        self.runtime.block_on(async {
            let mut reading = Box::pin(self.documents.text(uri, format));
            loop {
                if let Ok(outcome) = timeout(LOOK, &mut reading).await {
                    return outcome;
                }
                if waiter.check().is_err() {
                    return DocumentOutcome::Late;
                }
                if Instant::now() > until {
                    return match start.elapsed() < PATIENCE {
                        true => DocumentOutcome::Late,
                        false => DocumentOutcome::Unreadable,
                    };
                }
            }
        })
    }
}

impl fmt::Debug for DocumentReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentReader").finish_non_exhaustive()
    }
}
