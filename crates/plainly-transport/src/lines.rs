//! One message per line of a byte stream: the framing for standard input and output and for child
//! processes.

use std::collections::VecDeque;
use std::future::Future;
use std::io::{self, BufRead};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use plainly_protocol::envelope::IdSearch;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::messages::{FlushProgress, Inbound, Messages};

const CHUNK: usize = 16 << 10;
/// Messages longer than this are written from their own buffer. Shorter ones are copied, so that
/// one write sends several.
const COPIED: usize = 64 << 10;
/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Messages as lines of a byte stream with two halves.
#[derive(Debug)]
pub struct Lines<R, W> {
    reader: LineReader<R>,
    /// `None` once closed, because some streams, such as the input of a process, end only when they
    /// are dropped.
    writer: Option<LineWriter<W>>,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    /// Reads lines of at most `limit` bytes from `reader`, and writes lines to `writer`.
    pub fn new(reader: R, writer: W, limit: usize) -> Self {
        Self {
            reader: LineReader::new(reader, limit),
            writer: Some(LineWriter::new(writer)),
        }
    }

    /// Makes the reader [find](LineReader::seeking_ids) the id of a line that is too long.
    #[must_use]
    pub fn seeking_ids(mut self) -> Self {
        self.reader = self.reader.seeking_ids();
        self
    }
}

impl<R, W> Messages for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin,
{
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        // Cancel-safe: dropping the future loses nothing.
        pin!(self.reader.next()).poll(context)
    }

    fn take_buffered(&mut self) -> Option<Inbound> {
        self.reader.take_buffered()
    }

    fn send(&mut self, message: Bytes) {
        if let Some(writer) = &mut self.writer {
            writer.queue(message);
        }
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        match &mut self.writer {
            Some(writer) => writer.poll_flush(context),
            None => Poll::Ready(Ok(FlushProgress::Complete)),
        }
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(writer) = &mut self.writer else {
            return Poll::Ready(Ok(()));
        };
        let shut_down = ready!(Pin::new(&mut writer.inner).poll_shutdown(context));
        self.writer = None;
        Poll::Ready(shut_down)
    }
}

/// Writes lines, many small ones with one write.
#[derive(Debug)]
struct LineWriter<W> {
    inner: W,
    /// The data before `tail`: long messages, and everything queued before them.
    long: VecDeque<Bytes>,
    tail: BytesMut,
}

impl<W> LineWriter<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            long: VecDeque::new(),
            tail: BytesMut::new(),
        }
    }

    fn queue(&mut self, message: Bytes) {
        if message.len() > COPIED {
            if !self.tail.is_empty() {
                self.long.push_back(self.tail.split().freeze());
            }
            self.long.push_back(message);
        } else {
            self.tail.extend_from_slice(&message);
        }
        self.tail.extend_from_slice(b"\n");
    }
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    /// Writes one part of the queue, or flushes if it is empty.
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        let inner = &mut self.inner;
        let written = if let Some(next) = self.long.front_mut() {
            ready!(pin!(inner.write_buf(next)).poll(context))?
        } else if self.tail.is_empty() {
            let flushed = Pin::new(inner).poll_flush(context);
            return flushed.map_ok(|()| FlushProgress::Complete);
        } else {
            ready!(pin!(inner.write_buf(&mut self.tail)).poll(context))?
        };
        // Without this, a writer that accepts no bytes and returns no error would be called
        // forever.
        if written == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        if self.long.front().is_some_and(Bytes::is_empty) {
            self.long.pop_front();
        }
        Poll::Ready(Ok(FlushProgress::Partial))
    }
}

/// Reads lines of at most `limit` bytes. It buffers at most that plus one chunk, whatever the peer
/// sends.
#[derive(Debug)]
pub struct LineReader<R> {
    inner: R,
    limit: usize,
    buffer: BytesMut,
    /// The length of the beginning of `buffer` that is known to contain no newline.
    searched: usize,
    /// Whether the current line has already been found too long.
    discarding: bool,
    /// The search for the line's id, if requested.
    search: Option<IdSearch>,
    /// Whether nothing was consumed yet, so that a byte order mark may follow.
    at_start: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Reads lines of at most `limit` bytes from `inner`.
    pub fn new(inner: R, limit: usize) -> Self {
        Self {
            inner,
            limit,
            buffer: BytesMut::with_capacity(CHUNK),
            searched: 0,
            discarding: false,
            search: None,
            at_start: true,
        }
    }

    /// Makes the reader report a line that is too long when the line ends, with its id. Otherwise
    /// it is reported as soon as it is too long.
    #[must_use]
    pub fn seeking_ids(mut self) -> Self {
        self.search = Some(IdSearch::default());
        self
    }

    /// The next line that is not blank; `None` at the end. The last line needs no line end.
    ///
    /// Cancel-safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> io::Result<Option<Inbound>> {
        loop {
            if let Some(line) = self.take_buffered() {
                return Ok(Some(line));
            }
            self.buffer.reserve(CHUNK);
            if self.inner.read_buf(&mut self.buffer).await? == 0 {
                self.buffer.extend_from_slice(b"\n");
                return Ok(self.take_buffered());
            }
        }
    }

    /// The next line that has already arrived completely.
    pub fn take_buffered(&mut self) -> Option<Inbound> {
        loop {
            let Some(end) = line_end(self.buffer.get(self.searched..)?) else {
                self.searched = self.buffer.len();
                return self.overflow();
            };
            let mut line = self.buffer.split_to(self.searched + end);
            self.searched = 0;
            line.truncate(line.len() - 1);
            // On Windows, text streams write both characters, even if a program writes only a line
            // feed.
            if line.ends_with(b"\r") {
                line.truncate(line.len() - 1);
            }
            if std::mem::take(&mut self.at_start) && line.starts_with(MARK) {
                let _mark = line.split_to(MARK.len());
            }
            let has_begun = std::mem::take(&mut self.discarding);
            if has_begun && self.search.is_none() {
                continue;
            }
            if has_begun || line.len() > self.limit {
                return Some(self.too_long(&line));
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(Inbound::Message(line.freeze()));
            }
        }
    }

    /// The report of a line that is too long. `line` is its end.
    fn too_long(&mut self, line: &[u8]) -> Inbound {
        let search = self.search.as_mut().map(std::mem::take);
        let id = search.and_then(|mut search| {
            search.push(line);
            search.id()
        });
        Inbound::TooLong { id }
    }

    /// Drops the beginning of a line that is already too long. Reports the line once, or when it
    /// ends if its id is sought.
    fn overflow(&mut self) -> Option<Inbound> {
        // Above the limit, because some bytes don't count: a byte order mark at the start, and a
        // carriage return before the newline.
        let room = self.limit + if self.at_start { MARK.len() + 1 } else { 1 };
        if !self.discarding && self.buffer.len() <= room {
            return None;
        }
        let is_new = !std::mem::replace(&mut self.discarding, true);
        let is_reported = is_new && self.search.is_none();
        if let Some(search) = &mut self.search {
            search.push(&self.buffer);
        }
        self.buffer.clear();
        self.searched = 0;
        self.at_start = false;
        is_reported.then_some(Inbound::TooLong { id: None })
    }
}

/// The start of the next line. Uses the C library's search through std, because the crate `memchr`
/// first queries the processor for its features. That takes 50 µs in a virtual machine, a thirtieth
/// of the start-up time.
fn line_end(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    let end = rest.skip_until(b'\n').ok()?;
    let line = bytes.get(..end)?;
    line.ends_with(b"\n").then_some(end)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::FutureExt;

    use super::*;

    async fn read_all(chunks: &[&[u8]], limit: usize) -> Vec<Inbound> {
        let mut builder = Vec::new();
        let (mut writer, reader) = tokio::io::duplex(1 << 20);
        for chunk in chunks {
            writer.write_all(chunk).await.unwrap();
        }
        drop(writer);
        let mut lines = LineReader::new(reader, limit);
        while let Some(line) = lines.next().await.unwrap() {
            builder.push(line);
        }
        builder
    }

    fn too_long(id: Option<&str>) -> Inbound {
        let id = id.map(Into::into);
        Inbound::TooLong { id }
    }

    fn message(text: &'static str) -> Inbound {
        Inbound::Message(Bytes::from_static(text.as_bytes()))
    }

    #[tokio::test]
    async fn blank_lines_and_carriage_returns_are_not_part_of_messages() {
        let lines = read_all(&[b"\n  \n{}\r\n", b"[", b"]\n\n"], 100).await;
        assert_eq!(lines, [message("{}"), message("[]")]);
    }

    #[tokio::test]
    async fn a_mark_at_the_very_start_is_dropped_once() {
        let lines = read_all(&[b"\xef\xbb\xbf{}\n\xef\xbb\xbf{}\n"], 100).await;
        assert_eq!(lines, [message("{}"), message("\u{feff}{}")]);
    }

    #[tokio::test]
    async fn a_line_at_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(read_all(&[b"1234\n"], 4).await, [message("1234")]);
        assert_eq!(read_all(&[b"1234\r\n"], 4).await, [message("1234")]);
        assert_eq!(
            read_all(&[b"12345\n1\n"], 4).await,
            [too_long(None), message("1")]
        );
    }

    #[tokio::test]
    async fn a_mark_does_not_count_however_the_line_is_split() {
        for end in [b"\n".as_slice(), b"\r\n"] {
            let (mut near, far) = tokio::io::duplex(1 << 10);
            let mut lines = LineReader::new(far, 4);
            near.write_all(b"\xef\xbb\xbf1234").await.unwrap();
            let (first, rest) = end.split_at(end.len() - 1);
            near.write_all(first).await.unwrap();
            assert!(
                lines.next().now_or_never().is_none(),
                "the line has not ended"
            );
            near.write_all(rest).await.unwrap();
            assert_eq!(lines.next().await.unwrap(), Some(message("1234")));
        }
    }

    #[tokio::test]
    async fn an_endless_line_is_reported_once_and_discarded() {
        let endless = vec![b'x'; 100_000];
        let lines = read_all(&[&endless, &endless, b"\n{}\n"], 1_000).await;
        assert_eq!(lines, [too_long(None), message("{}")]);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_reported_at_its_end_if_its_id_is_sought() {
        let long = format!(
            r#"{{"method":"m","params":"{}","id":"a"}}"#,
            "x".repeat(100_000)
        );
        for (input, expected) in [
            (
                format!("{long}\n{{}}\n"),
                vec![too_long(Some("a")), message("{}")],
            ),
            (
                format!("\u{feff}{long}\r\n{{}}"),
                vec![too_long(Some("a")), message("{}")],
            ),
            (
                format!("{{}}\n{long}"),
                vec![message("{}"), too_long(Some("a"))],
            ),
            (
                long.replace("m\"", "m\n"),
                vec![message("{\"method\":\"m"), too_long(None)],
            ),
        ] {
            let mut lines = LineReader::new(input.as_bytes(), 40).seeking_ids();
            let mut found = Vec::new();
            while let Some(line) = lines.next().await.unwrap() {
                found.push(line);
            }
            assert_eq!(found, expected, "{input:.80}");
        }
    }

    #[tokio::test]
    async fn the_last_line_needs_no_end() {
        let half = read_all(&[b"{}\n{\"half"], 100).await;
        assert_eq!(half, [message("{}"), message("{\"half")]);
        for last in [b"[1]".as_slice(), b"[1]\r", b"  [1]\n\n "] {
            let lines = read_all(&[b"{}\n", last], 100).await;
            assert_eq!(lines.len(), 2, "{lines:?}");
        }
        assert_eq!(read_all(&[b"\xef\xbb\xbf{}"], 4).await, [message("{}")]);
        assert_eq!(read_all(&[b"12345"], 4).await, [too_long(None)]);
    }

    #[tokio::test]
    async fn split_anywhere_the_lines_are_the_same() {
        let input = b"{\"a\":1}\r\n\n[2]\n";
        for cut in 0..input.len() {
            let (head, tail) = input.split_at(cut);
            assert_eq!(
                read_all(&[head, tail], 100).await,
                [message("{\"a\":1}"), message("[2]")],
                "{cut}"
            );
        }
    }

    #[tokio::test]
    async fn what_is_queued_leaves_in_order_whatever_its_length() {
        let texts = [1, COPIED, COPIED + 1, 2, 3 * COPIED, 3 * COPIED, 3];
        let messages = texts.map(|length| Bytes::from(vec![b'x'; length]));
        let (near, far) = tokio::io::duplex(1 << 10);
        let sent = messages.clone();
        let sending = tokio::spawn(async move {
            let mut lines = Lines::new(tokio::io::empty(), near, 0);
            sent.into_iter().for_each(|message| lines.send(message));
            let flush = async |lines: &mut Lines<_, _>| {
                poll_fn(|context| lines.poll_flush(context)).await.unwrap()
            };
            while flush(&mut lines).await == FlushProgress::Partial {}
        });
        let mut lines = LineReader::new(far, 3 * COPIED);
        for message in messages {
            assert_eq!(lines.next().await.unwrap(), Some(Inbound::Message(message)));
        }
        assert_eq!(lines.next().await.unwrap(), None);
        sending.await.unwrap();
    }

    #[tokio::test]
    async fn short_messages_leave_by_one_write() {
        let mut lines = Lines::new(tokio::io::empty(), Vec::new(), 0);
        for _ in 0..100 {
            lines.send(Bytes::from_static(b"{}"));
        }
        let mut flush = || poll_fn(|context| lines.poll_flush(context)).now_or_never();
        assert_eq!(flush().unwrap().unwrap(), FlushProgress::Partial);
        assert_eq!(flush().unwrap().unwrap(), FlushProgress::Complete);
        assert_eq!(lines.writer.unwrap().inner, "{}\n".repeat(100).into_bytes());
    }
}
