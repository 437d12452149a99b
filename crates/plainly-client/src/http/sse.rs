//! Parses server-sent events (WHATWG HTML, "Server-sent events") chunk by chunk, from bytes to the
//! data of each event. Knows neither HTTP nor messages.

use std::time::Duration;

use bytes::{Buf, Bytes};

/// The most bytes of an event id, because the id has to fit into a header. A longer id is ignored.
const ID_BYTES: usize = 4 << 10;

/// Reads one stream.
#[derive(Debug)]
pub(super) struct EventParser {
    /// The most bytes of one event.
    limit: usize,
    /// The unfinished line.
    line: Vec<u8>,
    /// The `data` lines of the unfinished event, each followed by a line feed.
    data: Vec<u8>,
    /// The kind of the unfinished event; `None` if events of this kind are skipped.
    kind: Option<EventKind>,
    /// The last id, as of the unfinished event.
    id: Vec<u8>,
    /// The position at which to resume, and the time to wait before.
    resumption: Resumption,
    /// Whether the last byte was a carriage return, which a line feed may follow.
    after_return: bool,
    /// Whether this is the first line, which may begin with a byte order mark.
    at_start: bool,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerEvent {
    pub(super) kind: EventKind,
    pub(super) data: Bytes,
}

/// The kinds of events that are not skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    /// Messages.
    Message,
    /// The URL for posting messages (2024-11-05, "HTTP with SSE"). It is not skipped even without
    /// data.
    Endpoint,
    /// The text of a failure. No specification has it, but some servers send it before they close
    /// the connection.
    Error,
}

impl EventKind {
    fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"" | b"message" => Some(Self::Message),
            b"endpoint" => Some(Self::Endpoint),
            b"error" => Some(Self::Error),
            _ => None,
        }
    }
}

/// The position at which to resume a stream that has ended, and the time to wait before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Resumption {
    /// The id of the last event; empty if it had none.
    pub(super) last_id: Bytes,
    /// The time to wait before resuming.
    pub(super) retry: Option<Duration>,
}

impl Resumption {
    /// Replaces the values by those of a later part of the stream.
    pub(super) fn update(&mut self, later: &Self) {
        if !later.last_id.is_empty() {
            self.last_id = later.last_id.clone();
        }
        self.retry = later.retry.or(self.retry);
    }
}

/// One event is larger than the limit, so the stream can't be read further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLarge;

impl EventParser {
    /// Creates a parser for events of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            kind: Some(EventKind::Message),
            id: Vec::new(),
            resumption: Resumption::default(),
            after_return: false,
            at_start: true,
        }
    }

    /// The next event in `chunk`, which is consumed up to the event's end; `None` if the next chunk
    /// is needed.
    ///
    /// Events without data, and events of other kinds, are skipped. The last event of a stream only
    /// counts if a blank line follows it.
    pub(super) fn next(&mut self, chunk: &mut Bytes) -> Result<Option<ServerEvent>, TooLarge> {
        loop {
            if chunk.is_empty() {
                return Ok(None);
            }
            if std::mem::take(&mut self.after_return) && chunk.first() == Some(&b'\n') {
                chunk.advance(1);
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', chunk) else {
                self.extend_line(chunk)?;
                chunk.clear();
                return Ok(None);
            };
            let rest = chunk.split_to(end);
            self.extend_line(&rest)?;
            self.after_return = chunk.first() == Some(&b'\r');
            chunk.advance(1);
            if let Some(event) = self.end_line() {
                return Ok(Some(event));
            }
        }
    }

    /// The position at which to resume if the stream ends here, and the time to wait before.
    pub(super) fn resumption(&self) -> &Resumption {
        &self.resumption
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        self.line.extend_from_slice(bytes);
        if self.line.len() + self.data.len() > self.limit {
            return Err(TooLarge);
        }
        Ok(())
    }

    fn end_line(&mut self) -> Option<ServerEvent> {
        let mut line = self.line.as_slice();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            self.line.clear();
            return self.end_event();
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, [].as_slice()),
        };
        match field {
            b"data" => {
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.kind = EventKind::named(value),
            b"id" if !value.contains(&0) => {
                self.id.clear();
                if value.len() <= ID_BYTES {
                    self.id.extend_from_slice(value);
                }
            }
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                // A time that is too large for a number is ignored.
                self.resumption.retry = millis.map(Duration::from_millis);
            }
            _ => {}
        }
        self.line.clear();
        None
    }

    fn end_event(&mut self) -> Option<ServerEvent> {
        // The id is only stored when the event is complete, because an interrupted event has to be
        // sent again.
        if self.resumption.last_id != self.id.as_slice() {
            self.resumption.last_id = Bytes::copy_from_slice(&self.id);
        }
        let mut data = std::mem::take(&mut self.data);
        let kind = self.kind.replace(EventKind::Message)?;
        // An event whose data is a single empty line keeps a connection open, or prepares a client
        // to reconnect.
        let has_data = data.pop().is_some() && !data.is_empty();
        (has_data || kind == EventKind::Endpoint).then(|| ServerEvent {
            kind,
            data: data.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<String> {
        let mut parser = EventParser::new(1 << 20);
        let mut events = Vec::new();
        for chunk in chunks {
            let mut chunk = Bytes::copy_from_slice(chunk);
            while let Some(event) = parser.next(&mut chunk).unwrap() {
                let data = String::from_utf8(event.data.into()).unwrap();
                events.push(match event.kind {
                    EventKind::Message => data,
                    EventKind::Endpoint | EventKind::Error => format!("{:?} {data}", event.kind),
                });
            }
            assert!(chunk.is_empty());
        }
        events
    }

    #[test]
    fn reads_events_as_the_standard_says() {
        let cases: [(&str, &[&str]); 23] = [
            ("", &[]),
            ("data: 1\n\n", &["1"]),
            ("data:1\n\n", &["1"]),
            ("data:  1\n\n", &[" 1"]),
            ("data: 1\r\rdata: 2\r\n\r\ndata: 3\n\r\n", &["1", "2", "3"]),
            ("data: 1\ndata: 2\n\n", &["1\n2"]),
            ("data: 1\ndata\ndata:\n\n", &["1\n\n"]),
            ("data\n\n", &[]),
            ("data:\n\n", &[]),
            ("id: 7\ndata:\n\nretry: 9223372036854775808\n\n", &[]),
            ("data: 1\n", &[]),
            ("data: 1\n\ndata: 2", &["1"]),
            ("\u{feff}data: 1\n\n", &["1"]),
            ("data: 1\n\n\u{feff}data: 2\n\n", &["1"]),
            (": comment\n:\ndata: 1\n: comment\n\n", &["1"]),
            ("event: message\ndata: 1\n\n", &["1"]),
            ("event: ping\ndata: 1\n\ndata: 2\n\n", &["2"]),
            ("event: ping\nevent\ndata: 1\n\n", &["1"]),
            (
                "event: endpoint\ndata: /m\n\ndata: 2\n\n",
                &["Endpoint /m", "2"],
            ),
            ("event: endpoint\n\n\n", &["Endpoint "]),
            ("event: error\n\nevent: error\ndata: no\n\n", &["Error no"]),
            ("datum: 0\n data: 0\nDATA: 0\ndata: 1\n\n", &["1"]),
            ("data: a\0b:c\n\n\n\n\n", &["a\0b:c"]),
        ];
        for (stream, events) in cases {
            assert_eq!(read(&[stream.as_bytes()]), events, "{stream:?}");
        }
    }

    #[test]
    fn cut_anywhere_and_with_any_line_ends_the_events_are_the_same() {
        let lines = [
            "\u{feff}: hello",
            "data: é1",
            "data: 2",
            "",
            "",
            "event: x",
            "data: no",
            "",
            "data: 3",
            "",
        ];
        for end in ["\n", "\r", "\r\n"] {
            let stream: String = lines.iter().flat_map(|line| [line, end]).collect();
            let bytes = stream.as_bytes();
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let chunks = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(read(&chunks), ["é1\n2", "3"], "{end:?} {first} {second}");
                }
            }
        }
    }

    #[test]
    fn where_and_when_to_come_back_is_what_the_whole_events_said_last() {
        let long = format!("id: {}\ndata: 1\n\n", "x".repeat(ID_BYTES + 1));
        for (stream, last_id, retry) in [
            ("", "", None),
            ("data: 1\n\n", "", None),
            ("id: a\nretry: 500\ndata:\n\n", "a", Some(500)),
            ("id: a\ndata: 1\n\nid: b\ndata: 2\n\n", "b", None),
            ("id: a\ndata: 1\n\ndata: 2\n\n", "a", None),
            ("id: a\ndata: 1\n\nid: b\ndata: 2\n", "a", None),
            ("id: a\n\n", "a", None),
            ("id: a\n\nid\n\n", "", None),
            ("id: a\n\nid: b\0c\n\n", "a", None),
            ("id:  \u{e9} \n\n", " \u{e9} ", None),
            ("retry: 1\nretry: 2x\nretry: -3\nretry\n", "", Some(1)),
            ("retry: 1\nretry: 18446744073709551616\n", "", None),
            (&long, "", None),
        ] {
            let mut parser = EventParser::new(1 << 20);
            let mut chunk = Bytes::copy_from_slice(stream.as_bytes());
            while parser.next(&mut chunk).unwrap().is_some() {}
            let expected = Resumption {
                last_id: Bytes::copy_from_slice(last_id.as_bytes()),
                retry: retry.map(Duration::from_millis),
            };
            assert_eq!(parser.resumption(), &expected, "{stream:?}");
        }
    }

    #[test]
    fn fifty_thousand_ignorable_events_are_skipped_in_one_go() {
        let stream = ": nothing\n\ndata\n\n".repeat(25_000) + "data: 1\n\n";
        assert_eq!(read(&[stream.as_bytes()]), ["1"]);
    }

    #[test]
    fn an_event_at_the_limit_passes_and_one_byte_more_does_not() {
        let passes = |stream: &str| {
            let mut parser = EventParser::new(12);
            let mut chunk = Bytes::copy_from_slice(stream.as_bytes());
            let event = parser.next(&mut chunk)?;
            Ok(event.map(|event| event.data))
        };
        assert_eq!(
            passes("data: 123456\n\n"),
            Ok(Some(Bytes::from_static(b"123456")))
        );
        assert_eq!(passes("data: 1234567\n\n"), Err(TooLarge));
        assert_eq!(passes(":xxxxxxxxxxxxxxxxxxx"), Err(TooLarge));
        assert_eq!(
            passes("data: 1\ndata: 2\ndata: 3\n\n"),
            Ok(Some(Bytes::from_static(b"1\n2\n3")))
        );
        assert_eq!(passes(&"data: 1\n".repeat(20)), Err(TooLarge));
        assert_eq!(passes(&": 1\n\n".repeat(20)), Ok(None));
    }
}
