//! Conversions: a few at a time on threads that may block, and one of each resource for all
//! simultaneous readers. Independent of stores.

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

/// The maximum number of conversions of a store that run at a time.
const AT_ONCE: usize = 8;

/// The maximum duration of a conversion.
const TIME: Duration = Duration::from_secs(10);

/// The maximum duration of a search for a title, and its maximum size in bytes.
const TITLE_TIME: Duration = Duration::from_secs(2);
const TITLE_BYTES: usize = 1 << 10;

/// The maximum size of all cached texts, in bytes.
const MOST: usize = 64 << 20;

/// The approximate overhead of a cached text, in bytes.
const AROUND: usize = 256;

/// Runs conversions and caches their results.
#[derive(Clone, Debug)]
pub(super) struct Conversions {
    places: Arc<StorePlaces>,
    time: Duration,
    /// `None` if nothing is cached.
    stored: Option<Arc<Lock<StoredConversions>>>,
    counts: Arc<Counts>,
}

/// The numbers of requests for cached texts, and for others.
#[derive(Debug, Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
}

/// The result of a conversion.
#[derive(Debug)]
pub(super) struct Conversion {
    pub(super) text: String,
    /// The number of pages in the whole resource, if it has pages.
    pub(super) total_pages: Option<u32>,
    /// The first lines of the pages in the text of the whole resource.
    pub(super) page_lines: PageLines,
}

/// The key of a conversion: the content, the format, and the pages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConversionKey {
    uri: Arc<str>,
    tag: Arc<str>,
    /// Empty for the title.
    gives: Arc<str>,
    pages: Option<PageRange>,
}

/// The input of a conversion.
pub(super) struct Task {
    pub(super) converter: Arc<dyn Converter>,
    pub(super) uri: String,
    pub(super) mime_type: String,
    pub(super) body: Arc<Body>,
    pub(super) pages: Option<PageRange>,
    pub(super) max_bytes: usize,
    /// Whether only the title is needed.
    pub(super) is_title: bool,
}

/// The result of a conversion; `None` if it failed or the text is empty.
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

    /// The key for the title of a resource with this tag.
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

    /// Conversions without a cache, which share the limit of running conversions with these.
    pub(super) fn unstored(&self) -> Self {
        Self {
            stored: None,
            ..self.clone()
        }
    }

    /// Whether nothing is cached.
    pub(super) fn are_none(&self) -> bool {
        self.stored.is_none()
    }

    /// The cached result of an earlier conversion.
    pub(super) fn stored(&self, key: &ConversionKey) -> Option<Converted> {
        let found = self.stored.as_ref()?.lock().done.get(key).cloned()?;
        self.count(|it| &it.hits);
        Some(found)
    }

    /// The result of a conversion: a cached one, one that is running, or a new one. Without a key,
    /// other readers can't use the result.
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
                // Removes conversions that all readers have abandoned.
                stored.running.retain(|_, other| other.upgrade().is_some());
                stored
                    .running
                    .extend(running.downgrade().map(|weak| (key, weak)));
                running
            })
        };
        running.await
    }

    /// Converts, and caches the result, unless another attempt might have a different result.
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

    /// The result if it is the same for each attempt; `None` if another attempt might have a
    /// different one.
    async fn convert(&self, task: Task) -> Option<Converted> {
        let place = self.places.take().await.ok()?;
        let (uri, from) = (task.uri.clone(), task.mime_type.clone());
        let to = task.converter.gives(&from).map(str::to_owned);
        let is_title = task.is_title;
        let time = match is_title {
            true => self.time.min(TITLE_TIME),
            false => self.time,
        };
        // Dropped together with this future, which tells the converter that no reader waits for its
        // text.
        let interest = Arc::new(());
        let waiting = Arc::downgrade(&interest);
        let mut job = JoinSet::new();
        job.spawn_blocking(move || {
            // The job owns its place, so an abandoned job occupies it until it stops.
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
            // Caches the failure, because each listing would wait again otherwise.
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

/// Whether the failure is due to the state of the machine instead of the resource: the operating
/// system failed, for example to start a process, or interrupted one.
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
    // If the draft stopped the converter, that is the error to report, whatever error the converter
    // returns.
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

/// The first lines of pages that start after these numbers of bytes, in ascending order.
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

    /// Writes nothing until its text is no longer needed.
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
