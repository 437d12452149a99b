//! A store with converters: which formats are listed, read and cached, and that a fault in a
//! converter doesn't affect the resource.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::error::Error;
use std::fmt::Write;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use plainly_convert::{Converter, Converting, Draft, Original, PageRange};
use plainly_protocol::part::{PartPosition, PartUnit};
use plainly_protocol::types::{Meta, Representation, Resource, ResourceContents};
use plainly_server::store::{Formats, ListQuery, Page, Store, StoreError, Viewer, Wanted};

type Converted = Result<(), Box<dyn Error + Send + Sync>>;

const FILE: &str = "m:///a.txt";
const OTHER: &str = "m:///a.bin";
const ALL: &str = "m:///";

/// A store of a text, another file, and a collection of both.
#[derive(Clone, Debug)]
struct Files {
    text: Arc<Mutex<String>>,
    /// The number of times that the text was read.
    reads: Arc<AtomicUsize>,
    has_views: bool,
}

impl Files {
    fn new(text: &str) -> Self {
        Self {
            text: Arc::new(Mutex::new(text.to_owned())),
            reads: Arc::default(),
            has_views: false,
        }
    }

    fn set(&self, text: &str) {
        text.clone_into(&mut self.text.lock().unwrap());
    }
}

impl Store for Files {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with(ALL)
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        let mut resources = Vec::new();
        for uri in [ALL, FILE, OTHER] {
            resources.push(self.metadata(uri).await?);
        }
        Ok(Page::new(resources, None))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let text = self.text.lock().unwrap().clone();
        let name = uri.trim_start_matches(ALL);
        let resource = Resource::new(uri, name);
        Ok(match uri {
            FILE => resource.mime_type("text/plain").tag(&text),
            OTHER => resource.mime_type("application/octet-stream"),
            ALL => return Ok(resource.is_collection(true)),
            _ => return Err(StoreError::NotFound),
        }
        .size(text.len() as u64)
        .is_collection(false))
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let text = self.text.lock().unwrap().clone();
        let uris: &[&str] = if uri == ALL { &[FILE, OTHER] } else { &[uri] };
        let mut contents = Vec::new();
        for uri in uris {
            contents.push(ResourceContents::new(self.metadata(uri).await?, &*text));
        }
        Ok(contents)
    }

    fn view(&self, _: &Viewer) -> Option<Self> {
        self.has_views.then(|| self.clone())
    }
}

/// A converter of plain text to `gives`, by the function `how`.
#[derive(Debug)]
struct To {
    gives: &'static str,
    how: fn(&str, &mut Draft<'_>) -> Converted,
}

impl Converter for To {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "text/plain").then_some(self.gives)
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Converted {
        assert_eq!(original.mime_type, "text/plain");
        (self.how)(str::from_utf8(original.content)?, draft)
    }
}

const LOUD: To = To {
    gives: "text/x-loud",
    how: |text, draft| Ok(write!(draft, "{}!", text.to_uppercase())?),
};

/// A converter with a page for each line. Counts its conversions, each of which waits until it is
/// released.
#[derive(Clone, Debug, Default)]
struct Lines {
    count: Arc<AtomicUsize>,
    is_held: Arc<(Mutex<bool>, Condvar)>,
}

impl Lines {
    fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    fn hold(&self, is_held: bool) {
        *self.is_held.0.lock().unwrap() = is_held;
        self.is_held.1.notify_all();
    }
}

impl Converter for Lines {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "text/plain").then_some("text/x-lines")
    }

    fn is_announced(&self) -> bool {
        false
    }

    fn has_pages(&self, mime_type: &str) -> bool {
        mime_type == "text/plain"
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Converted {
        self.count.fetch_add(1, Ordering::SeqCst);
        let (lock, changed) = &*self.is_held;
        drop(changed.wait_while(lock.lock().unwrap(), |is_held| *is_held));
        let lines: Vec<&str> = str::from_utf8(original.content)?.lines().collect();
        for line in draft.select_pages(&original, u32::try_from(lines.len())?) {
            write!(draft, "[{}]", lines[line as usize - 1])?;
        }
        Ok(())
    }
}

fn formats(meta: Option<&Meta>) -> Vec<(String, Option<u64>)> {
    let listed = meta.map(Representation::listed).unwrap_or_default();
    let listed = listed.into_iter();
    listed
        .map(|format| (format.mime_type, format.size))
        .collect()
}

fn format(mime_type: &str, size: impl Into<Option<u64>>) -> (String, Option<u64>) {
    (mime_type.to_owned(), size.into())
}

/// The MIME type and text of each content.
fn texts(contents: &[ResourceContents]) -> Vec<(&str, &str)> {
    let contents = contents.iter();
    contents
        .map(|content| {
            let mime_type = content.mime_type.as_deref().unwrap();
            (mime_type, content.body.as_text().unwrap())
        })
        .collect()
}

async fn read_all(store: &impl Store) -> Vec<ResourceContents> {
    let wanted = Wanted::new(Formats::All);
    store.read_as(FILE, &wanted).await.unwrap()
}

async fn read_in(store: &impl Store, mime_type: &str) -> Vec<ResourceContents> {
    let wanted = Wanted::new(Formats::These(vec![mime_type.to_owned()]));
    let mut contents = store.read_as(FILE, &wanted).await.unwrap();
    wanted.formats.retain(FILE, &mut contents);
    contents
}

#[tokio::test]
async fn formats_are_in_the_metadata_and_read_by_who_wants_them() {
    let store = Converting::new(Files::new("hey")).converter(LOUD);
    let announced = [format("text/plain", 3), format("text/x-loud", None)];
    let metadata = store.metadata(FILE).await.unwrap();
    assert_eq!(formats(metadata.meta.as_ref()), announced);
    let listed = store.list(ListQuery::new(9)).await.unwrap().resources;
    assert_eq!(listed[1], metadata);
    assert_eq!((&listed[0].meta, &listed[2].meta), (&None, &None));

    let own = store.read(FILE).await.unwrap();
    assert_eq!(texts(&own), [("text/plain", "hey")]);
    assert_eq!(formats(own[0].meta.as_ref()), announced);
    let all = read_all(&store).await;
    let expected = [("text/plain", "hey"), ("text/x-loud", "HEY!")];
    assert_eq!(texts(&all), expected);
    let loud = read_in(&store, "TEXT/x-loud").await;
    assert_eq!(texts(&loud), expected[1..]);
    let none = read_in(&store, "image/png").await;
    assert_eq!(texts(&none), expected[..1]);
    for content in &all {
        assert_eq!((&*content.uri, content.is_collection), (FILE, Some(false)));
        assert_eq!(content.name.as_ref(), Some(&metadata.name));
        assert_eq!(content.size, Some(content.body.as_bytes().len() as u64));
        let there = [format("text/plain", 3), format("text/x-loud", 4)];
        assert_eq!(formats(content.meta.as_ref()), there);
    }
    let other = store.read(OTHER).await.unwrap();
    assert_eq!(formats(other[0].meta.as_ref()), []);
}

#[tokio::test]
async fn a_collection_has_its_resources_as_they_are() {
    let store = Converting::new(Files::new("hey")).converter(LOUD);
    let wanted = Wanted::new(Formats::All);
    let contents = store.read_as(ALL, &wanted).await.unwrap();
    assert_eq!(contents.len(), 2);
    let announced = [format("text/plain", 3), format("text/x-loud", None)];
    assert_eq!(formats(contents[0].meta.as_ref()), announced);
}

#[tokio::test]
async fn of_nothing_nothing_is_made() {
    let store = Converting::new(Files::new("")).converter(LOUD);
    let metadata = store.metadata(FILE).await.unwrap();
    assert_eq!(formats(metadata.meta.as_ref()), []);
    assert_eq!(texts(&read_all(&store).await), [("text/plain", "")]);
}

#[tokio::test]
async fn of_each_format_there_is_one_and_none_is_the_resources_own() {
    let [second, own, more] =
        ["TEXT/X-LOUD", "text/plain", "text/x-more"].map(|gives| To { gives, ..LOUD });
    let store = Converting::new(Files::new("hey"));
    let store = store.converter(own).converter(LOUD).converter(second);
    let contents = read_all(&store.converter(more)).await;
    let types: Vec<_> = texts(&contents).iter().map(|(own, _)| *own).collect();
    assert_eq!(types, ["text/plain", "text/x-loud", "text/x-more"]);
}

#[tokio::test]
async fn whatever_goes_wrong_with_a_format_the_resource_is_served() {
    let wrong: [fn(&str, &mut Draft<'_>) -> Converted; 6] = [
        |_, _| Err("no".into()),
        |_, _| panic!("a bug of the converter"),
        |_, draft| {
            write!(draft, "begun")?;
            panic!("half way")
        },
        |_, draft| Ok(write!(draft, "{}", "x".repeat(26))?),
        |_, draft| {
            // Ignores the error, which a converter should return.
            let _ = write!(draft, "{}", "x".repeat(26));
            Ok(())
        },
        |_, draft| Ok(writeln!(draft, " ")?),
    ];
    for (index, how) in wrong.into_iter().enumerate() {
        let (wrong, gives) = (To { how, ..LOUD }, "text/x-fine");
        let store = Converting::new(Files::new("hey")).max_bytes(25);
        let store = store.converter(wrong).converter(To { gives, ..LOUD });
        // The second time, the failure is cached.
        for _ in 0..2 {
            let contents = read_all(&store).await;
            let there = [("text/plain", "hey"), ("text/x-fine", "HEY!")];
            assert_eq!(texts(&contents), there, "{index}");
            let there = [format("text/plain", 3), format("text/x-fine", 4)];
            assert_eq!(formats(contents[0].meta.as_ref()), there, "{index}");
        }
    }
}

#[tokio::test]
async fn a_resource_is_converted_once_until_it_changes() {
    let (files, lines) = (Files::new("a"), Lines::default());
    let store = Converting::new(files.clone()).converter(lines.clone());
    for _ in 0..3 {
        let contents = read_all(&store).await;
        assert_eq!(texts(&contents)[1], ("text/x-lines", "[a]"));
    }
    let reads = files.reads.load(Ordering::Relaxed);
    assert_eq!(
        texts(&read_in(&store, "text/x-lines").await),
        [("text/x-lines", "[a]")]
    );
    // The resource isn't read either if its text is cached.
    assert_eq!(
        (files.reads.load(Ordering::Relaxed), lines.count()),
        (reads, 1)
    );
    files.set("b");
    assert_eq!(
        texts(&read_in(&store, "text/x-lines").await),
        [("text/x-lines", "[b]")]
    );
    assert_eq!(lines.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_at_once_wait_for_one_conversion() {
    let lines = Lines::default();
    let store = Converting::new(Files::new("a")).converter(lines.clone());
    lines.hold(true);
    let readers: Vec<_> = (0..5)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { read_all(&store).await })
        })
        .collect();
    while lines.count() == 0 {
        tokio::task::yield_now().await;
    }
    // The first reader is aborted, but the others still get the result of its conversion.
    readers[0].abort();
    lines.hold(false);
    for reader in readers.into_iter().skip(1) {
        assert_eq!(texts(&reader.await.unwrap())[1], ("text/x-lines", "[a]"));
    }
    assert_eq!(lines.count(), 1);
}

#[tokio::test]
async fn views_share_no_texts() {
    let (mut files, lines) = (Files::new("a"), Lines::default());
    files.has_views = true;
    let store = Converting::new(files).converter(lines.clone());
    for count in 1..3 {
        let view = store.view(&Viewer::new(None)).unwrap();
        assert_eq!(texts(&read_all(&view).await)[1], ("text/x-lines", "[a]"));
        assert_eq!(lines.count(), count);
    }
}

#[tokio::test]
async fn pages_have_their_position() {
    let lines = Lines::default();
    let store = Converting::new(Files::new("a\nb\nc")).converter(lines.clone());
    let pages = |first, last| Wanted::of_pages(PageRange::new(first, last).unwrap());
    for (first, last, text, end) in [(1, 1, "[a]", 1), (2, 3, "[b][c]", 3), (3, 9, "[c]", 3)] {
        for _ in 0..2 {
            let contents = store.read_as(FILE, &pages(first, last)).await.unwrap();
            assert_eq!(texts(&contents), [("text/x-lines", text)]);
            let position = PartPosition::stated(contents[0].meta.as_ref().unwrap());
            let expected = PartPosition::new(PartUnit::Page, first.into(), end).total(3);
            assert_eq!(position, Some(expected));
        }
    }
    assert_eq!(lines.count(), 3);
    let after = store.read_as(FILE, &pages(4, 5)).await;
    assert!(
        matches!(after, Err(StoreError::NoSuchPart { size: 3 })),
        "{after:?}"
    );
    let other = store.read_as(OTHER, &pages(1, 1)).await.unwrap();
    let position = other[0].meta.as_ref().and_then(PartPosition::stated);
    assert_eq!(position, None);
}

#[tokio::test]
async fn what_fails_for_the_moment_is_tried_again() {
    static ATTEMPTS: AtomicUsize = AtomicUsize::new(0);
    let late = To {
        gives: "text/x-late",
        how: |_, draft| match ATTEMPTS.fetch_add(1, Ordering::SeqCst) {
            0 => Err(io::Error::from_raw_os_error(11).into()),
            1 => Err(io::Error::from(io::ErrorKind::Interrupted).into()),
            _ => Ok(write!(draft, "made")?),
        },
    };
    let store = Converting::new(Files::new("hey")).converter(late);
    for expected in ["text/plain", "text/plain", "text/x-late", "text/x-late"] {
        let contents = read_in(&store, "text/x-late").await;
        assert_eq!(contents[0].mime_type.as_deref(), Some(expected));
    }
    assert_eq!(ATTEMPTS.load(Ordering::SeqCst), 3);
}
