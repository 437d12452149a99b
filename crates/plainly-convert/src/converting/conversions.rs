//! Conversions: a few at a time on threads that may block, and one of each resource for all its readers at that moment. Knows
//! nothing of stores.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, WeakShared};
use plainly_protocol::part::{PageLines, PageRange};
use plainly_protocol::types::Body;
use plainly_server::store::StorePlaces;
use plainly_transport::lock::Lock;
use plainly_transport::lru::Lru;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{ConvertError, Converter, Draft, Original, StopReason};

/// The most conversions of a store at a time.
const AT_ONCE: usize = 8;

/// The longest time of one.
const TIME: Duration = Duration::from_secs(10);

/// The longest time in which a title is looked for, and its most bytes.
const TITLE_TIME: Duration = Duration::from_secs(2);
const TITLE_BYTES: usize = 1 << 10;

/// The most bytes of the texts that are stored.
const MOST: usize = 64 << 20;

/// The bytes around a text that is stored, about.
const AROUND: usize = 256;

/// Runs conversions, and stores what they make.
#[derive(Clone, Debug)]
pub(super) struct Conversions {
    places: Arc<StorePlaces>,
    time: Duration,
    /// `None` if nothing is stored.
    stored: Option<Arc<Lock<StoredConversions>>>,
    counts: Arc<Counts>,
}

/// The counts of texts that were stored, and of others.
#[derive(Debug, Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The text that was made of a resource.
#[derive(Debug)]
pub(super) struct Conversion {
    pub(super) text: String,
    /// The number of pages of the whole resource, if it has pages.
    pub(super) total_pages: Option<u32>,
    /// The places of the pages in the text of the whole resource.
    pub(super) page_lines: PageLines,
}

/// The content that is converted, to which format, and which pages of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConversionKey {
    uri: Arc<str>,
    tag: Arc<str>,
    /// Empty for its title.
    gives: Arc<str>,
    pages: Option<PageRange>,
}

/// The work of one conversion.
pub(super) struct Task {
    pub(super) converter: Arc<dyn Converter>,
    pub(super) uri: String,
    pub(super) mime_type: String,
    pub(super) body: Arc<Body>,
    pub(super) pages: Option<PageRange>,
    pub(super) max_bytes: usize,
    /// Whether only its title is wanted.
    pub(super) is_title: bool,
}

/// The result of a conversion; `None` if nothing came of it.
type Converted = Option<Arc<Conversion>>;

type Running = BoxFuture<'static, Converted>;

#[derive(Debug)]
struct StoredConversions {
    done: Lru<ConversionKey, Converted>,
    running: BTreeMap<ConversionKey, WeakShared<Running>>,
}

impl ConversionKey {
    pub(super) fn new(uri: &str, tag: &str, gives: &str, pages: Option<PageRange>) -> Self {
        Self {
            uri: uri.into(),
            tag: tag.into(),
            gives: gives.into(),
            pages,
        }
    }

    /// The title of a resource with this tag.
    pub(super) fn of_title(uri: &str, tag: &str) -> Self {
        Self::new(uri, tag, "", None)
    }

    fn weight(&self, converted: &Converted) -> usize {
        let text = converted.as_ref().map_or(0, |made| made.text.len());
        self.uri.len() + self.tag.len() + self.gives.len() + text + AROUND
    }
}

impl Conversions {
    pub(super) fn new() -> Self {
        Self {
            places: Arc::new(StorePlaces::new(AT_ONCE)),
            time: TIME,
            stored: Some(Arc::new(Lock::new(StoredConversions {
                done: Lru::new(MOST),
                running: BTreeMap::new(),
            }))),
            counts: Arc::default(),
        }
    }

    pub(super) fn hits(&self) -> u64 {
        self.counts.hits.load(Ordering::Relaxed)
    }

    pub(super) fn misses(&self) -> u64 {
        self.counts.misses.load(Ordering::Relaxed)
    }

    fn count(&self, count: fn(&Counts) -> &AtomicU64) {
        count(&self.counts).fetch_add(1, Ordering::Relaxed);
    }

    /// In the same places, without storing anything.
    pub(super) fn unstored(&self) -> Self {
        Self {
            stored: None,
            ..self.clone()
        }
    }

    /// Whether nothing is stored.
    pub(super) fn are_none(&self) -> bool {
        self.stored.is_none()
    }

    /// The result of an earlier conversion, if it is stored.
    pub(super) fn stored(&self, key: &ConversionKey) -> Option<Converted> {
        let found = self.stored.as_ref()?.lock().done.get(key).cloned()?;
        self.count(|it| &it.hits);
        Some(found)
    }

    /// The result of a conversion: of an earlier one, of one that runs, or of this one. Without a key, no other reader can use it.
    pub(super) async fn run(&self, key: Option<ConversionKey>, task: Task) -> Converted {
        let (Some(key), Some(stored)) = (key, &self.stored) else {
            return self.convert(task).await.unwrap_or_default();
        };
        let running = {
            let mut stored = stored.lock();
            if let Some(done) = stored.done.get(&key) {
                self.count(|it| &it.hits);
                return done.clone();
            }
            let running = stored.running.get(&key).and_then(WeakShared::upgrade);
            self.count(match running {
                Some(_) => |it| &it.hits,
                None => |it| &it.misses,
            });
            running.unwrap_or_else(|| {
                let running = self.clone().store(key.clone(), task).boxed().shared();
                // Those that all readers have given up must not take up memory.
                stored.running.retain(|_, other| other.upgrade().is_some());
                stored
                    .running
                    .extend(running.downgrade().map(|weak| (key, weak)));
                running
            })
        };
        running.await
    }

    /// Converts and stores the result, unless another attempt may have another result.
    async fn store(self, key: ConversionKey, task: Task) -> Converted {
        let result = self.convert(task).await;
        let converted = result.clone().unwrap_or_default();
        if let Some(stored) = &self.stored {
            let mut stored = stored.lock();
            stored.running.remove(&key);
            if result.is_some() {
                let bytes = key.weight(&converted);
                stored.done.put(key, converted.clone(), bytes);
            }
        }
        converted
    }

    /// The result, which is the same for each attempt; `None` if another attempt may have another.
    async fn convert(&self, task: Task) -> Option<Converted> {
        let place = self.places.take().await.ok()?;
        let (uri, from) = (task.uri.clone(), task.mime_type.clone());
        let to = task.converter.gives(&from).map(str::to_owned);
        let is_title = task.is_title;
        let time = match is_title {
            true => self.time.min(TITLE_TIME),
            false => self.time,
        };
        // Dropped with this future: the converter then learns that nobody waits for its text.
        let interest = Arc::new(());
        let waiting = Arc::downgrade(&interest);
        let mut job = JoinSet::new();
        job.spawn_blocking(move || {
            // The job's, and not that of its readers: an abandoned one takes its place until it has noticed.
            let _place = place;
            attempt(&task, time, &|| waiting.strong_count() > 0)
        });
        let why: ConvertError = match timeout(time, job.join_next()).await {
            Ok(Some(Ok(Ok(converted)))) => return Some(converted),
            Ok(Some(Ok(Err(why)))) => why,
            Ok(Some(Err(_panicked))) => "the converter panicked".into(),
            Ok(None) | Err(_) => StopReason::TooSlow.into(),
        };
        drop(interest);
        let is_passing = is_passing(&*why);
        if is_title {
            tracing::debug!(
                uri,
                error = &*why as &dyn Error,
                "found no title of this resource"
            );
            // Listings of one resource after the other must not wait for it again.
            return (!is_passing).then_some(None);
        }
        tracing::warn!(
            uri,
            from,
            to,
            error = &*why as &dyn Error,
            "could not convert this resource, which is served as it is"
        );
        let stopped = why.downcast_ref::<StopReason>();
        let is_cut = matches!(stopped, Some(StopReason::TooSlow | StopReason::Abandoned));
        (!is_cut && !is_passing).then_some(None)
    }
}

/// Whether the reason is not in the resource, but in the state of the machine: the operating system started no process, or
/// ended one.
fn is_passing(why: &(dyn Error + Send + Sync + 'static)) -> bool {
    let error = why.downcast_ref::<io::Error>();
    error.is_some_and(|it| it.raw_os_error().is_some() || it.kind() == io::ErrorKind::Interrupted)
}

/// Runs the converter.
fn attempt(
    task: &Task,
    time: Duration,
    is_awaited: &dyn Fn() -> bool,
) -> Result<Converted, ConvertError> {
    let mut original = Original::new(&task.mime_type, task.body.as_bytes());
    original.pages = task.pages;
    let most = match task.is_title {
        true => task.max_bytes.min(TITLE_BYTES),
        false => task.max_bytes,
    };
    let mut draft = Draft::new(most).within(time).awaited(is_awaited);
    let ended = match task.is_title {
        true => task.converter.write_title(original, &mut draft),
        false => task.converter.convert(original, &mut draft),
    };
    let total_pages = draft.total_pages();
    let page_starts = draft.page_starts().to_vec();
    // What stopped the draft is why the converter failed, whatever it makes of it.
    let text = draft.finish()?;
    ended?;
    let is_there = task.pages.is_some() || !text.trim().is_empty();
    Ok(is_there.then(|| {
        let is_whole = task.pages.is_none();
        let page_lines = is_whole.then(|| page_lines(&text, &page_starts));
        Arc::new(Conversion {
            text,
            total_pages,
            page_lines: page_lines.unwrap_or_default(),
        })
    }))
}

/// The places of pages that start after these numbers of bytes, in ascending order.
fn page_lines(text: &str, starts: &[usize]) -> PageLines {
    let (mut at, mut lines) = (0, 0);
    let places = starts.iter().map(|start| {
        let between = text.as_bytes().get(at..*start).unwrap_or_default();
        lines += between.iter().filter(|byte| **byte == b'\n').count() as u64;
        at = *start;
        lines
    });
    PageLines::new(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes nothing until its text is no longer wanted.
    #[derive(Debug)]
    struct Endless;

    impl Converter for Endless {
        fn gives(&self, _: &str) -> Option<&str> {
            Some("text/plain")
        }

        fn convert(&self, _: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
            while draft.check().is_ok() {
                std::thread::yield_now();
            }
            Ok(())
        }
    }

    fn task() -> Task {
        Task {
            converter: Arc::new(Endless),
            uri: "a:".to_owned(),
            mime_type: "text/plain".to_owned(),
            body: Arc::new(Body::Text("x".to_owned())),
            pages: None,
            max_bytes: 9,
            is_title: false,
        }
    }

    /// Waits until no conversion runs.
    async fn until_free(conversions: &Conversions) {
        while conversions.places.free() < AT_ONCE {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_conversion_that_takes_too_long_ends_and_may_be_tried_again() {
        let mut conversions = Conversions::new();
        conversions.time = Duration::ZERO;
        let key = ConversionKey::new("a:", "1", "text/plain", None);
        assert!(conversions.run(Some(key.clone()), task()).await.is_none());
        assert!(conversions.stored(&key).is_none());
        until_free(&conversions).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_conversion_ends_with_its_last_reader() {
        let conversions = Conversions::new();
        let key = ConversionKey::new("a:", "1", "text/plain", None);
        let reading = conversions.clone();
        let reader = tokio::spawn(async move { reading.run(Some(key), task()).await });
        while conversions.places.free() == AT_ONCE {
            tokio::task::yield_now().await;
        }
        reader.abort();
        until_free(&conversions).await;
    }
}
