//! A ranked search: finds the sections of texts that are relevant to some words. Walks like every
//! search, so it finds only listed files. A few threads read the files that the index doesn't have
//! in their current version. The best sections are then shown.

mod excerpt;
mod index;
mod reader;

use std::cell::RefCell;
use std::ops::DerefMut;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use plainly::store::StoreError;

use self::excerpt::Excerpts;
pub(super) use self::index::TextIndex;
use self::reader::{READING_BYTES, Reader, UnreadDocument};
use super::documents::DocumentReader;
use super::find::Hits;
use super::query::Query;
use super::rank::{Question, Ranked, RankedText, rank};
use super::team::{Candidate, Queue, THREADS, TIME, team};
use super::walk::{Cutoff, walk_known};
use crate::job::Waiter;
use crate::request::Request;
use crate::version::FileVersion;
use crate::walk::{KnownEntries, WalkStep};

/// The part of a search's time that is reserved for excerpts.
const EXCERPTS: Duration = Duration::from_secs(5);

/// The files to rank, in the order of the walk.
struct Gathered {
    files: Vec<(String, Arc<RankedText>)>,
    stopped: Option<Cutoff>,
    /// Whether the index is full.
    is_full: bool,
    /// The number of documents for which there was no time.
    late: usize,
}

/// The sections below the tops of the query that are relevant to the question, best first.
pub(super) fn ranked(
    request: &Request<'_>,
    query: &Query,
    question: &Question,
    mut index: impl DerefMut<Target = TextIndex>,
    documents: &DocumentReader,
) -> Result<Hits, StoreError> {
    let until = Instant::now() + TIME;
    request.waiter.hold(THREADS as u64 * READING_BYTES)?;
    let mut gathered = gather(request, query, &mut index, documents, until - EXCERPTS)?;
    if gathered.is_full && index.forget_others() {
        gathered = gather(request, query, &mut index, documents, until - EXCERPTS)?;
    }
    // Excerpts don't need the index, and the next search can use it.
    drop(index);
    let Gathered {
        files,
        stopped,
        is_full,
        late,
    } = gathered;
    let texts: Vec<&RankedText> = files.iter().map(|(_, text)| &**text).collect();
    // One section more than the limit shows that there are more.
    let best = rank(question, &texts, query.limit + 1);
    let is_more = best.len() > query.limit;
    let mut hits = Hits {
        searched: files.len(),
        stopped: stopped.or(is_more.then_some(Cutoff::Limit)),
        ..Hits::default()
    };
    hits.left_out.late = late;
    hits.left_out.named = texts.iter().filter(|text| text.is_unread()).count();
    if is_full {
        tracing::warn!("the index of searches is full: some files are found by their names alone");
    }
    let wanted = best.get(..query.limit).unwrap_or(&best);
    hits.add(request, question, &files, wanted, documents, until)?;
    Ok(hits)
}

impl Hits {
    /// Adds the best sections with their excerpts, until the time runs out.
    fn add(
        &mut self,
        request: &Request<'_>,
        question: &Question,
        files: &[(String, Arc<RankedText>)],
        best: &[Ranked],
        documents: &DocumentReader,
        until: Instant,
    ) -> Result<(), StoreError> {
        let mut excerpts = Excerpts::new(request, question, documents, until);
        for one in best {
            if Instant::now() > until {
                self.stopped = Some(Cutoff::Time);
                break;
            }
            if let Some((uri, text)) = files.get(one.text) {
                let section = text.section(one.section);
                self.found.extend(excerpts.hit(uri, text, section)?);
            }
        }
        Ok(())
    }
}

/// The texts of all files that the query covers: from the index, or newly read.
fn gather(
    request: &Request<'_>,
    query: &Query,
    index: &mut TextIndex,
    documents: &DocumentReader,
    until: Instant,
) -> Result<Gathered, StoreError> {
    let mut files = Vec::new();
    index.begin();
    let room = AtomicUsize::new(index.room());
    let for_names = index.for_names();
    // The index is asked before a file is opened, and again if only the open file shows its
    // version.
    let index = RefCell::new(index);
    let reader = || Reader::new(&room, for_names, documents);
    let work = |queue: Queue<Candidate>| reader().read_all(queue);
    let (walked, readers) = team(work, |give| {
        let mut order = 0;
        // A file that is in the index in its current version need not be opened. Its excerpts are
        // read later.
        let known: KnownEntries<'_, _> = &mut |place, uri, name| {
            let version = || Some(FileVersion::of(&place.peek(name)?));
            index.borrow_mut().get(uri, version)
        };
        walk_known(request, query, until, known, |step| {
            order += 1;
            let file = match step {
                WalkStep::Known(uri, text) => {
                    files.push((order, uri, text));
                    return Ok(None);
                }
                WalkStep::Entry(entry) => Candidate::of(entry, order),
            };
            let Some(file) = file else {
                return Ok(None);
            };
            let version = || Some(FileVersion::of(&file.file.metadata));
            if let Some(text) = index.borrow_mut().get(&file.uri, version) {
                files.push((order, file.uri, text));
                return Ok(None);
            }
            let is_taken = give.send(file).is_ok();
            Ok((!is_taken).then_some(Cutoff::Time))
        })
    });
    let (stopped, index) = (walked?, index.into_inner());
    let readers = and_documents(readers, reader, request.waiter, until);
    let (mut is_full, mut late) = (false, 0);
    for reader in readers {
        is_full |= reader.is_full;
        late += reader.late;
        for file in reader.files {
            let text = Arc::new(file.text);
            if let Some(version) = file.version {
                index.add(&file.uri, version, &text);
            }
            files.push((file.order, file.uri, text));
        }
    }
    if stopped.is_none() {
        index.forget_removed(query);
    }
    files.sort_by_key(|(order, ..)| *order);
    let files = files.into_iter().map(|(_, uri, text)| (uri, text));
    Ok(Gathered {
        files: files.collect(),
        stopped,
        is_full,
        late,
    })
}

/// Reads the documents after all other files, because converting them to text takes time.
fn and_documents<'a>(
    mut readers: Vec<Reader<'a>>,
    reader: impl Fn() -> Reader<'a> + Sync,
    waiter: &Waiter,
    until: Instant,
) -> Vec<Reader<'a>> {
    let mut documents: Vec<UnreadDocument> = Vec::new();
    for reader in &mut readers {
        documents.append(&mut reader.documents);
    }
    documents.sort_unstable_by_key(|one| one.order);
    let work = |queue: Queue<UnreadDocument>| reader().read_documents(queue, waiter, until);
    // Sending fails only if all threads have panicked.
    let (_, others) = team(work, |give| {
        let mut documents = documents.into_iter();
        documents.all(|document| give.send(document).is_ok())
    });
    readers.extend(others);
    readers
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::Deref;

    use super::super::documents::Documents;
    use super::*;
    use crate::DirectoryStore;

    fn query(top: &str) -> Query {
        Query {
            has_mount_names: false,
            tops: vec![top.to_owned()],
            pattern: None,
            words: None,
            glob: None,
            exclude: None,
            context: 0,
            limit: 100,
            is_case_ignored: false,
        }
    }

    /// A reader of documents over a store that has none.
    fn documents(store: &DirectoryStore) -> DocumentReader {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let _inside = runtime.enter();
        Documents::of(store.clone()).reader()
    }

    /// The URIs found for the words below a top, without fragments.
    fn found(
        store: &DirectoryStore,
        top: &str,
        words: &str,
        index: impl DerefMut<Target = TextIndex>,
    ) -> Vec<String> {
        let (_waits, waiter) = Waiter::until_dropped();
        let request = Request {
            mounts: &store.mounts,
            waiter: &waiter,
        };
        let question = Question::of(words).unwrap();
        let documents = documents(store);
        let hits = ranked(&request, &query(top), &question, index, &documents).unwrap();
        let uris = hits.found.into_iter().map(|hit| hit.resource.uri);
        uris.map(|uri| uri.split('#').next().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn an_index_has_an_end_and_nothing_of_what_is_gone() {
        let around = tempfile::tempdir().unwrap();
        for number in 0..20 {
            let words: String = (0..99).map(|word| format!("w{number}x{word} ")).collect();
            let text = format!("needle {words}");
            fs::write(around.path().join(format!("file{number}")), text).unwrap();
        }
        let store = DirectoryStore::builder().mount_as("d", around.path());
        let store = store.build().unwrap();
        while !settled(around.path()) {
            std::thread::yield_now();
        }
        let mut index = TextIndex::of(16 << 10);
        for _ in 0..2 {
            let some = found(&store, "file:///d", "needle", &mut index);
            assert!((1..20).contains(&some.len()), "{some:?}");
            assert!((1..=16 << 10).contains(&index.bytes()), "{}", index.bytes());
        }
        // Each file is found by its name, and when it is searched alone.
        for number in 0..20 {
            let uri = format!("file:///d/file{number}");
            let name = format!("file{number}");
            assert_eq!(found(&store, "file:///d", &name, &mut index), [&*uri]);
            assert_eq!(found(&store, &uri, "needle", &mut index), [uri]);
        }
        for number in 0..20 {
            fs::remove_file(around.path().join(format!("file{number}"))).unwrap();
        }
        assert!(found(&store, "file:///d", "needle", &mut index).is_empty());
        assert_eq!(index.bytes(), 0);
    }

    /// An index, and an action to run once the index is released.
    struct Guard<F: FnMut()>(TextIndex, F);

    impl<F: FnMut()> Deref for Guard<F> {
        type Target = TextIndex;

        fn deref(&self) -> &TextIndex {
            &self.0
        }
    }

    impl<F: FnMut()> DerefMut for Guard<F> {
        fn deref_mut(&mut self) -> &mut TextIndex {
            &mut self.0
        }
    }

    impl<F: FnMut()> Drop for Guard<F> {
        fn drop(&mut self) {
            (self.1)();
        }
    }

    #[test]
    fn excerpts_are_read_while_the_index_is_free_and_there_is_time() {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("a");
        fs::write(&path, "needle").unwrap();
        let store = DirectoryStore::builder().mount_as("d", around.path());
        let store = store.build().unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let request = Request {
            mounts: &store.mounts,
            waiter: &waiter,
        };
        let question = Question::of("needle").unwrap();
        let mut hits = Hits::default();
        let mut index = TextIndex::default();
        let soon = Instant::now() + TIME;
        let documents = documents(&store);
        let files = gather(&request, &query("file:///d"), &mut index, &documents, soon);
        let files = files.unwrap().files;
        let best = rank(&question, &[&files[0].1], 9);
        let late = Instant::now().checked_sub(TIME).unwrap();
        let added = hits.add(&request, &question, &files, &best, &documents, late);
        added.unwrap();
        assert_eq!(hits.stopped, Some(Cutoff::Time));
        assert!(hits.found.is_empty());
        // A file that is removed as soon as the index is released has no excerpt.
        let index = Guard(index, || fs::remove_file(&path).unwrap());
        assert!(found(&store, "file:///d", "needle", index).is_empty());
    }

    /// Whether the file system's clock has advanced since the files were written.
    fn settled(directory: &std::path::Path) -> bool {
        let changed = fs::metadata(directory.join("file19")).and_then(|file| file.modified());
        let age = changed.map(|changed| changed.elapsed().unwrap_or_default());
        age.is_ok_and(|age| age > crate::content::SETTLED)
    }
}
