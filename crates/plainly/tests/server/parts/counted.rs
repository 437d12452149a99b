//! Lines that were already counted: they are not counted again unless the resource has been
//! replaced.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::client::ProgressUpdate;
use plainly::errors::ErrorKind;
use plainly::protocol::part::Part;
use plainly::protocol::types::{Resource, ResourceContents};
use plainly::store::{
    LineIndexes, ListQuery, Page, PartQuery, RangeQuery, Ranged, Store, StoreError, Viewer,
    read_part,
};
use plainly::{Client, Server};

const LOG: &str = "log:large";

/// The number of bytes that are read and counted at once.
const BLOCK: u64 = 2 << 20;

/// The number of bytes of a line. No block ends at the end of a line.
const LINE: usize = 200;

/// A text of several MiB, and the positions where it was read.
#[derive(Clone, Debug, Default)]
struct LargeLog {
    text: Arc<Mutex<Vec<u8>>>,
    tag: Arc<Mutex<Option<String>>>,
    read: Arc<Mutex<Vec<u64>>>,
    /// The number of reads after which a read never completes.
    stuck_after: Option<usize>,
    /// The time that each read takes.
    time: Duration,
    /// Whether each caller sees a view of its own.
    has_views: bool,
}

impl LargeLog {
    fn new(lines: u64) -> Self {
        let log = Self::default();
        log.append(0..lines);
        log
    }

    fn append(&self, lines: std::ops::Range<u64>) {
        let mut text = self.text.lock().unwrap();
        lines.for_each(|number| text.extend(line(number).bytes()));
        *self.tag.lock().unwrap() = Some(text.len().to_string());
    }

    /// Returns the positions of all reads since the last call, in blocks.
    fn take_reads(&self) -> Vec<u64> {
        std::mem::take(&mut self.read.lock().unwrap())
    }

    async fn lines(
        &self,
        lines: &LineIndexes,
        first: u64,
        last: u64,
    ) -> Result<String, StoreError> {
        let last = Some(last);
        let query = PartQuery::new(LOG, Part::Lines { first, last });
        let content = read_part(self, query.lines(Some(lines))).await?;
        Ok(String::from_utf8(content.bytes).unwrap())
    }
}

/// Returns a line of [`LINE`] bytes.
fn line(number: u64) -> String {
    format!("{number:<width$}\n", width = LINE - 1)
}

impl Store for LargeLog {
    fn serves(&self, uri: &str) -> bool {
        uri == LOG
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        Ok(Resource::new(uri, "large").is_collection(false))
    }

    async fn read(&self, _: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let (size, limit) = (self.text.lock().unwrap().len() as u64, 0);
        Err(StoreError::TooLarge { size, limit })
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        if Some(self.read.lock().unwrap().len()) == self.stuck_after {
            std::future::pending::<()>().await;
        }
        tokio::time::advance(self.time).await;
        let text = self.text.lock().unwrap();
        let size = text.len() as u64;
        let (first, length) = query.range.within(size)?;
        self.read.lock().unwrap().push(first / BLOCK);
        let bytes = &text[first as usize..(first + length) as usize];
        let ranged = Ranged::new(bytes.to_vec(), first, size);
        Ok(match &*self.tag.lock().unwrap() {
            Some(tag) => ranged.tag(tag),
            None => ranged,
        })
    }

    fn view(&self, _: &Viewer) -> Option<Self> {
        self.has_views.then(|| self.clone())
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_counted_is_not_read_again() {
    let (log, lines) = (LargeLog::new(60_000), LineIndexes::default());
    for (first, reads) in [
        (50_000, vec![0, 1, 2, 3, 4]),
        (50_000, vec![4]),
        (30_000, vec![2]),
        (1, vec![0]),
        // The search reads from the last counted block to the end.
        (59_999, vec![4, 5, 5]),
    ] {
        let read = log.lines(&lines, first, first + 1).await.unwrap();
        assert_eq!((read, log.take_reads()), (line(first), reads), "{first}");
    }
    // An empty index must count everything.
    log.lines(&LineIndexes::default(), 50_000, 50_001)
        .await
        .unwrap();
    assert_eq!(log.take_reads(), [0, 1, 2, 3, 4]);
    let missing = log.lines(&lines, 60_001, 60_002).await.unwrap_err();
    assert!(matches!(missing, StoreError::NoSuchPart { size: 60_000 }));
}

#[tokio::test(start_paused = true)]
async fn a_log_that_has_grown_is_not_counted_again() {
    for has_tag in [true, false] {
        let (log, lines) = (LargeLog::new(60_000), LineIndexes::default());
        log.lines(&lines, 59_000, 59_001).await.unwrap();
        log.take_reads();
        log.append(60_000..90_000);
        if !has_tag {
            *log.tag.lock().unwrap() = None;
        }
        // The requested block and the last known one are compared with the index.
        let read = log.lines(&lines, 30_000, 30_001).await.unwrap();
        assert_eq!((read, log.take_reads()), (line(30_000), vec![2, 4]));
        let read = log.lines(&lines, 89_000, 89_001).await.unwrap();
        assert_eq!(
            (read, log.take_reads()),
            (line(89_000), vec![4, 5, 6, 7, 8])
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_has_become_another_is_counted_anew() {
    let changes: [fn(&mut Vec<u8>); 4] = [
        // The changes are in the last known block, in the requested one, and in all blocks. The
        // last one makes the text shorter.
        |text| text[8 << 20..].reverse(),
        |text| text[4 << 20..6 << 20].fill(b'\n'),
        |text| drop(text.drain(..LINE * 7)),
        |text| text.truncate(LINE * 25_000),
    ];
    for change in changes {
        let (log, lines) = (LargeLog::new(60_000), LineIndexes::default());
        log.lines(&lines, 59_000, 59_001).await.unwrap();
        change(&mut log.text.lock().unwrap());
        *log.tag.lock().unwrap() = Some("other".to_owned());
        let text = String::from_utf8(log.text.lock().unwrap().clone()).unwrap();
        for first in [24_000, 30_000, 59_000] {
            let expected: String = text.split_inclusive('\n').skip(first).take(3).collect();
            let first = first as u64;
            let read = log.lines(&lines, first, first + 3).await;
            match expected.is_empty() {
                true => assert!(
                    matches!(read, Err(StoreError::NoSuchPart { .. })),
                    "{first}"
                ),
                false => assert_eq!(read.unwrap(), expected, "{first}"),
            }
        }
    }
}

/// Each read takes so long that there is no time for five of them.
#[tokio::test(start_paused = true)]
async fn a_search_without_time_goes_on_where_it_ended() {
    let (mut log, lines) = (LargeLog::new(80_000), LineIndexes::default());
    log.time = Duration::from_secs(5);
    for reads in [[0, 1, 2], [2, 3, 4], [4, 5, 6]] {
        let late = log.lines(&lines, 79_000, 79_001).await.unwrap_err();
        assert!(matches!(late, StoreError::TimedOut { .. }), "{late}");
        assert_eq!(log.take_reads(), reads);
    }
    let read = log.lines(&lines, 79_000, 79_001).await.unwrap();
    assert_eq!((read, log.take_reads()), (line(79_000), vec![6, 7]));
}

#[tokio::test(start_paused = true)]
async fn lines_that_were_found_in_time_are_not_lost() {
    let (mut log, lines) = (LargeLog::new(80_000), LineIndexes::default());
    log.time = Duration::from_secs(8);
    let (first, last) = (5, Some(79_000));
    let query = PartQuery::new(LOG, Part::Lines { first, last });
    let read = read_part(&log, query.lines(Some(&lines))).await.unwrap();
    let found: String = (first..read.last).map(line).collect();
    assert_eq!(String::from_utf8(read.bytes).unwrap(), found);
    // There was time for at least one block, but not for all.
    let block = BLOCK / LINE as u64;
    assert!((block..79_000).contains(&read.last), "{}", read.last);
    let (first, last) = (read.last, Some(read.last + 78_995));
    assert_eq!(read.next, Some(Part::Lines { first, last }));
}

#[tokio::test(start_paused = true)]
async fn a_search_that_is_given_up_has_counted() {
    let (mut log, lines) = (LargeLog::new(80_000), LineIndexes::default());
    log.stuck_after = Some(3);
    let search = log.lines(&lines, 79_000, 79_001);
    let given_up = tokio::time::timeout(Duration::from_secs(1), search).await;
    assert!(given_up.is_err());
    assert_eq!(log.take_reads(), [0, 1, 2]);
    log.stuck_after = None;
    log.lines(&lines, 79_000, 79_001).await.unwrap();
    assert_eq!(log.take_reads()[0], 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_sees_how_far_the_search_is_and_why_it_ends() {
    let mut log = LargeLog::new(80_000);
    log.time = Duration::from_secs(5);
    let server = Server::builder("logs", "1").store(log).build().unwrap();
    let client = Client::in_memory(&server).connect().await.unwrap();
    let told: Arc<Mutex<Vec<ProgressUpdate>>> = Arc::default();
    let uri = format!("{LOG}#line=79000,79001");
    let tell = Arc::clone(&told);
    let read = client
        .read(&*uri)
        .on_progress(move |update| tell.lock().unwrap().push(update));
    let late = read.await.unwrap_err();
    let late = late.protocol().unwrap();
    assert!(matches!(late.kind(), ErrorKind::Internal(_)), "{late}");
    assert!(late.message().contains("repeat the request"), "{late}");
    {
        let told = told.lock().unwrap();
        let done: Vec<_> = told
            .iter()
            .map(|update| (update.done, update.total))
            .collect();
        let total = Some(16_000_000.0);
        assert_eq!(done[..2], [(2_097_152.0, total), (4_194_304.0, total)]);
        assert_eq!(told[0].message.as_deref(), Some("10485 lines counted"));
    }
    for _ in 0..2 {
        client.read(&*uri).await.unwrap_err();
    }
    let read = client.read(&*uri).await.unwrap();
    assert_eq!(read.text(), Some(&*line(79_000)));
}

/// The line index of one caller must not be used for another.
#[tokio::test(start_paused = true)]
async fn views_share_nothing() {
    let mut log = LargeLog::new(50_000);
    log.has_views = true;
    let server = Server::builder("logs", "1")
        .store(log.clone())
        .build()
        .unwrap();
    let client = Client::in_memory(&server).connect().await.unwrap();
    for _ in 0..2 {
        let uri = format!("{LOG}#line=49000,49001");
        client.read(&*uri).await.unwrap();
        assert_eq!(log.take_reads(), [0, 1, 2, 3, 4]);
    }
}
