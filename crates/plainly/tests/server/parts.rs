//! Parts of resources: cut correctly at every boundary, and read by clients of every revision.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod counted;

use std::sync::{Arc, Mutex};

use plainly::errors::Dialect;
use plainly::protocol::part::Part;
use plainly::protocol::types::{Body, Resource, ResourceContents};
use plainly::store::{
    ByteRange, ListQuery, Page, PartContent, PartQuery, RangeQuery, Ranged, Store, StoreError,
    read_part,
};
use plainly::{Client, Revision, Server};
use proptest::prelude::*;
use serde_json::{Value, json};

const LOG: &str = "log:today";

/// A text, which is read whole or in pieces whose size may differ from the requested one.
#[derive(Clone, Debug)]
struct Log {
    text: Arc<Mutex<Vec<u8>>>,
    /// The maximum number of bytes of a piece, or `None` to cut pieces from the whole text.
    piece: Option<u64>,
    /// The bytes that each read appends.
    grows_by: &'static str,
}

impl Log {
    fn new(text: &[u8], piece: Option<u64>) -> Self {
        Self {
            text: Arc::new(Mutex::new(text.to_vec())),
            piece,
            grows_by: "",
        }
    }
}

impl Store for Log {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("log:")
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        match uri {
            LOG => Ok(Resource::new(LOG, "today")
                .mime_type("text/plain")
                .is_collection(false)),
            "log:" => Ok(Resource::new("log:", "all").is_collection(true)),
            _ => Err(StoreError::NotFound),
        }
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let (resource, bytes) = (self.metadata(uri).await?, self.text.lock().unwrap().clone());
        if bytes.len() > 1 << 20 {
            let (size, limit) = (bytes.len() as u64, 1 << 20);
            return Err(StoreError::TooLarge { size, limit });
        }
        Ok(vec![ResourceContents::new(resource, bytes)])
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        self.metadata(query.uri).await?;
        let mut text = self.text.lock().unwrap();
        let size = text.len() as u64;
        let (first, length) = query.range.within(size)?;
        let most = match query.range {
            ByteRange::From { .. } => self.piece.unwrap_or(u64::MAX),
            ByteRange::Last(_) => u64::MAX,
        };
        let (start, length) = (first as usize, length.min(most) as usize);
        let bytes = text[start..start + length].to_vec();
        text.extend_from_slice(self.grows_by.as_bytes());
        Ok(Ranged::new(bytes, first, size))
    }
}

/// Cuts the part from the whole text.
fn plain_cut(text: &[u8], part: Part) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let (lines_count, size) = (lines.len() as u64, text.len() as u64);
    let cut = |first: u64, last: Option<u64>| {
        let last = last.unwrap_or(u64::MAX).min(lines_count) as usize;
        (first <= lines_count).then(|| lines[(first as usize).min(last)..last].concat())
    };
    match part {
        Part::Lines { first, last } => cut(first, last),
        Part::Tail(count) => cut(lines_count - count.min(lines_count), None),
        Part::Bytes { first, end } => {
            let end = end.unwrap_or(size).min(size) as usize;
            (first <= size).then(|| text[(first as usize).min(end)..end].to_vec())
        }
        Part::LastBytes(count) => Some(text[(size - count.min(size)) as usize..].to_vec()),
        // A text has no pages.
        Part::Pages(_) => None,
    }
}

fn any_part() -> impl Strategy<Value = Part> {
    let position = 0..40_u64;
    let range = (position.clone(), proptest::option::of(position));
    prop_oneof![
        range.clone().prop_map(|(first, length)| Part::Lines {
            first,
            last: length.map(|length| first + length),
        }),
        range.prop_map(|(first, length)| Part::Bytes {
            first,
            end: length.map(|length| first + length + 1),
        }),
        (1..40_u64).prop_map(Part::Tail),
        (1..40_u64).prop_map(Part::LastBytes),
    ]
}

fn read(log: &Log, part: Part) -> Result<PartContent, StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(read_part(log, PartQuery::new(LOG, part)))
}

proptest! {
    #[test]
    fn a_part_is_what_a_plain_cut_gives(
        text in "([a-bé]{0,3}(\n|\r\n|\r)){0,12}[aé]{0,2}",
        part in any_part(),
        piece in proptest::option::of(1..9_u64),
    ) {
        let log = Log::new(text.as_bytes(), piece);
        let read = read(&log, part);
        match (plain_cut(text.as_bytes(), part), read) {
            (Some(expected), Ok(content)) => {
                // A piece may be shorter than requested. It then names its rest, and the next part
                // continues there.
                let mut bytes = content.bytes;
                let missing = expected.len() - bytes.len();
                // A character that is cut is in the next part.
                let is_cut = matches!(part, Part::Bytes { .. }) && missing < 4;
                prop_assert_eq!(content.rest.is_some(), missing > 0 && !is_cut);
                let mut next = content.next;
                while let Some(part) = next.filter(|_| bytes.len() < expected.len()) {
                    let more = self::read(&log, part).unwrap();
                    prop_assert!(!more.bytes.is_empty(), "{part} is empty");
                    bytes.extend(more.bytes);
                    next = more.next;
                }
                bytes.truncate(expected.len());
                prop_assert_eq!(String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&expected));
            }
            (None, Err(StoreError::NoSuchPart { .. })) => {}
            (expected, read) => prop_assert!(false, "{expected:?} {read:?}"),
        }
    }

    /// Following each next part returns the whole text, even of a log that grows.
    #[test]
    fn what_follows_joins(text in "([a-bé]{0,9}\n){1,30}", step in 1..7_u64, grows in any::<bool>()) {
        let mut log = Log::new(text.as_bytes(), Some(5));
        if grows {
            log.grows_by = "+\n";
        }
        let (mut whole, mut next) = (Vec::new(), Some(Part::Lines { first: 0, last: Some(step) }));
        while let Some(part) = next.filter(|_| whole.len() < text.len()) {
            let content = read(&log, part).unwrap();
            whole.extend(content.bytes);
            next = content.next;
        }
        prop_assert!(whole.starts_with(text.as_bytes()));
    }
}

#[test]
fn no_character_is_cut_in_a_text_that_is_read_on() {
    let text = "aé日🦀z".repeat(3);
    let log = Log::new(text.as_bytes(), None);
    for length in 4..text.len() as u64 {
        let (mut whole, end) = (String::new(), Some(length));
        let mut next = Some(Part::Bytes { first: 0, end });
        while let Some(part) = next {
            let content = read(&log, part).unwrap();
            whole += &String::from_utf8(content.bytes).unwrap();
            next = content.next;
        }
        assert_eq!(whole, text, "{length}");
    }
}

#[test]
fn what_is_added_to_the_last_line_follows_it() {
    let all = Part::Lines {
        first: 0,
        last: None,
    };
    let log = Log::new(b"one\ntwo", None);
    let next = read(&log, all).unwrap().next.unwrap();
    let log = Log::new(b"one\ntwo and\nthree\n", None);
    assert_eq!(read(&log, next).unwrap().bytes, b" and\nthree\n");
}

#[tokio::test]
async fn clients_of_every_revision_read_parts() {
    let server = Server::builder("logs", "1").store(Log::new("one\ntwo\né\n".as_bytes(), None));
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let client = Client::in_memory(&server).revision(revision);
        let client = client.connect().await.unwrap();
        for (fragment, text, about) in [
            (
                "line=1,2",
                "two\n",
                json!({"unit": "line", "first": 1, "last": 2, "next": "log:today#line=2,3"}),
            ),
            (
                "line=1,1",
                "",
                json!({"unit": "line", "first": 1, "last": 1}),
            ),
            (
                "line=2,",
                "é\n",
                json!({"unit": "line", "first": 2, "last": 3, "total": 3, "next": "log:today#line=3,"}),
            ),
            (
                "tail=2",
                "two\né\n",
                json!({"unit": "byte", "first": 4, "last": 11, "total": 11, "next": "log:today#bytes=11-"}),
            ),
            (
                "bytes=0-2",
                "one",
                json!({"unit": "byte", "first": 0, "last": 3, "total": 11, "next": "log:today#bytes=3-5"}),
            ),
            (
                "bytes=11-",
                "",
                json!({"unit": "byte", "first": 11, "last": 11, "total": 11, "next": "log:today#bytes=11-"}),
            ),
        ] {
            let uri = format!("{LOG}#{fragment}");
            let read = client.read(&*uri).await.unwrap();
            assert_eq!(read.contents.len(), 1);
            let content = &read.contents[0];
            assert_eq!((&*content.uri, content.body.as_text()), (&*uri, Some(text)));
            let meta = content.meta.as_ref().unwrap();
            assert_eq!(meta.get("dev.plainly/part"), Some(&about), "{revision}");
            let known = client.metadata(&*uri).await.unwrap().resource;
            assert_eq!((&*known.uri, known.size), (&*uri, None));
        }
        let half = client.read("log:today#bytes=9-9").await.unwrap();
        assert!(matches!(&half.contents[0].body, Body::Blob(bytes) if bytes.len() == 1));
    }
}

/// Returns the error as the client received it.
fn wire(error: &plainly::client::Error) -> Value {
    let error = error.protocol().unwrap();
    json!(Dialect::default().encode(error, Revision::LATEST))
}

#[tokio::test]
async fn a_part_that_is_none_or_is_not_there_is_said() {
    let server = Server::builder("logs", "1").store(Log::new(b"one\ntwo\n", None));
    let client = Client::in_memory(&server.build().unwrap());
    let client = client.connect().await.unwrap();
    for (uri, kind, words) in [
        ("log:today#line=5,1", "invalid_uri", "expected #line=A,B"),
        ("log:today#tail=0", "invalid_uri", "expected #line=A,B"),
        (
            "log:today#line=0,1#tail=1",
            "invalid_uri",
            "expected #line=A,B",
        ),
        ("log:today#line=3,", "no_such_part", "after the end, at 2"),
        ("log:today#bytes=9-", "no_such_part", "after the end, at 8"),
        ("log:#tail=1", "invalid_uri", "a collection has no parts"),
    ] {
        let error = client.read(uri).await.unwrap_err();
        let error = wire(&error);
        assert_eq!(error["data"]["kind"], kind, "{uri}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(words), "{uri}: {message}");
    }
    let missing = client.read("log:other#tail=1").await.unwrap_err();
    assert!(missing.is_resource_not_found(), "{missing}");
}

/// The number of bytes that are returned of a long line.
const LINE: u64 = 64 << 10;

/// A line that exceeds the size of a part continues by its bytes.
#[test]
fn a_line_without_end_is_cut_and_goes_on() {
    let line = format!("{}\n", "é".repeat(9 << 20));
    let log = Log::new(format!("one\n{line}three\n").as_bytes(), None);
    let (first, last) = (1, Some(2));
    let cut = read(&log, Part::Lines { first, last }).unwrap();
    assert_eq!(cut.bytes.len() as u64, LINE);
    let (first, end) = (4 + LINE, None);
    assert_eq!(cut.next, Some(Part::Bytes { first, end }));
    assert_eq!((Vec::from_iter(cut.next), cut.rest), (cut.cut, cut.next));
    let rest = read(&log, cut.next.unwrap()).unwrap();
    assert!(line.as_bytes()[LINE as usize..].starts_with(&rest.bytes));
}

#[test]
fn long_lines_are_cut_and_their_rests_are_named() {
    let [longest, long] = ["é".repeat(LINE as usize / 2), "é".repeat(LINE as usize)];
    // The character at the limit is left out.
    let odd = format!("x{long}");
    let text = format!("one\n{longest}\n{long}\nfour\n{odd}");
    let log = Log::new(text.as_bytes(), Some(100_000));
    let shown = format!("{longest}\n{longest}\nfour\nx{}", &longest[2..]);
    for (part, position) in [
        (Part::Tail(4), 4),
        (
            Part::Lines {
                first: 1,
                last: Some(9),
            },
            1,
        ),
    ] {
        let content = read(&log, part).unwrap();
        assert_eq!(String::from_utf8(content.bytes).unwrap(), shown);
        assert_eq!(content.first, position);
        let rests = content
            .cut
            .iter()
            .map(|rest| read(&log, *rest).unwrap().bytes);
        let rests: Vec<_> = rests.map(|rest| String::from_utf8(rest).unwrap()).collect();
        assert_eq!(rests, [&long[LINE as usize..], &long[LINE as usize - 2..]]);
    }
}

#[tokio::test]
async fn a_client_sees_which_lines_are_cut() {
    let text = format!("{}\ntwo\n", "x".repeat(LINE as usize + 1));
    let server = Server::builder("logs", "1").store(Log::new(text.as_bytes(), None));
    let client = Client::in_memory(&server.build().unwrap());
    let client = client.connect().await.unwrap();
    for (fragment, cut) in [
        ("line=0,1", json!(["log:today#bytes=65536-65536"])),
        ("line=1,2", Value::Null),
    ] {
        let read = client.read(format!("{LOG}#{fragment}")).await.unwrap();
        let about = &json!(read.contents[0].meta)["dev.plainly/part"];
        assert_eq!(about["cut"], cut, "{fragment}");
    }
}

#[tokio::test]
async fn what_is_too_large_names_parts_that_can_be_read() {
    let line = format!("{}\n", "x".repeat(99));
    let text = line.repeat(60_000);
    let server = Server::builder("logs", "1").store(Log::new(text.as_bytes(), None));
    let client = Client::in_memory(&server.build().unwrap());
    let client = client.connect().await.unwrap();
    let error = client.read(LOG).await.unwrap_err();
    let error = wire(&error);
    let data = &error["data"];
    assert_eq!(data["kind"], "resource_too_large");
    let parts = data["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 3);
    for part in parts {
        let read = client.read(part.as_str().unwrap()).await.unwrap();
        assert!(read.text().unwrap().starts_with("xx"), "{part}");
    }
    let read = client.read("log:today#line=59998,60000").await.unwrap();
    assert_eq!(read.text(), Some(&*line.repeat(2)));
    // A part without an end is returned in pieces of at most 1 MiB, of whole lines.
    let read = client.read("log:today#line=0,").await.unwrap();
    let text = read.text().unwrap();
    assert!(text.len() <= 1 << 20 && text.len() > 1 << 19 && text.ends_with('\n'));
    let meta = read.contents[0].meta.as_ref().unwrap();
    let lines = text.len() / 100;
    let about = meta.get("dev.plainly/part").unwrap();
    let rest = format!("log:today#line={lines},");
    assert_eq!(
        (&about["next"], &about["rest"]),
        (&json!(rest), &json!(rest))
    );
}

/// Checks the rest of a request that would return too much at once.
#[test]
fn a_part_that_is_cut_names_its_rest() {
    let line = format!("{}\n", "x".repeat(99));
    let log = Log::new(line.repeat(400_000).as_bytes(), None);
    let lines = |first, last| Part::Lines { first, last };
    let bytes = |first, end| Part::Bytes { first, end };
    for (part, rest) in [
        (lines(7, None), Some(lines(10_492, None))),
        (lines(7, Some(200_000)), Some(lines(167_779, Some(200_000)))),
        (lines(399_000, None), None),
        (bytes(7, None), Some(bytes(1_048_583, None))),
        (
            bytes(7, Some(20_000_000)),
            Some(bytes(16_777_223, Some(20_000_000))),
        ),
        (bytes(39_999_000, Some(50_000_000)), None),
        (
            Part::LastBytes(20_000_000),
            Some(bytes(20_000_000, Some(23_222_784))),
        ),
        (Part::LastBytes(20_000), None),
        (
            Part::Tail(200_000),
            Some(bytes(6_445_584, Some(23_222_800))),
        ),
        (Part::Tail(200), None),
    ] {
        assert_eq!(read(&log, part).unwrap().rest, rest, "{part}");
    }
}
