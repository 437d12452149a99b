//! The stored events of one session's streams: which are stored, who reads them, and which are
//! dropped first. Independent of handlers, and without a clock.

use std::collections::{BTreeMap, VecDeque};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::limits::Limits;
use plainly_transport::quota::QuotaPart;

/// The maximum number of events by which the writer may be ahead of the reader, until the request
/// is over.
const AHEAD: u64 = 16;
/// The bytes that an event uses in addition to its own.
const OVERHEAD: usize = 64;

/// The events of all streams of a session.
#[derive(Debug)]
pub(super) struct StoredEvents {
    most: EventLimits,
    events: usize,
    /// The quota part for the bytes of all stored events in all sessions.
    bytes: QuotaPart,
    /// The number of streams so far, from which the next one gets its number.
    count: u64,
    streams: BTreeMap<u64, Stream>,
    /// Whether a task removes expired streams.
    is_swept: bool,
}

/// The limits of the stored events.
#[derive(Debug)]
struct EventLimits {
    events: usize,
    bytes: usize,
}

/// A stream. Its events are numbered from 1.
#[derive(Debug, Default)]
struct Stream {
    events: VecDeque<Bytes>,
    /// The number of the last event that was dropped.
    forgotten: u64,
    /// The number of the last event that was read.
    read: u64,
    /// The number of the event after which the connection is closed.
    pause: Option<u64>,
    /// The time of the last event.
    ended: Option<Instant>,
    is_told_to_end: bool,
    /// The number of readers so far. The last one is the current reader, if there is one.
    readers: u64,
    has_reader: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// A reader of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reader {
    pub(super) stream: u64,
    number: u64,
}

/// The next step of a stream's writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Write,
    /// Writes the remaining events without waiting.
    End,
    Wait,
}

impl StoredEvents {
    pub(super) fn new(limits: &Limits, bytes: QuotaPart) -> Self {
        let most = EventLimits {
            events: limits.resumption.events,
            bytes: limits.resumption.bytes,
        };
        Self {
            most,
            events: 0,
            bytes,
            count: 0,
            streams: BTreeMap::new(),
            is_swept: false,
        }
    }

    /// Opens a stream, and returns its reader.
    pub(super) fn open(&mut self) -> Reader {
        self.count += 1;
        let mut stream = Stream::default();
        let number = stream.attach();
        self.streams.insert(self.count, stream);
        Reader {
            stream: self.count,
            number,
        }
    }

    /// Whether any stream is being read or written.
    pub(super) fn is_busy(&self) -> bool {
        let mut streams = self.streams.values();
        streams.any(|stream| stream.ended.is_none() || stream.has_reader)
    }

    /// Whether the stream may be written to now.
    pub(super) fn turn(&mut self, stream: u64, context: &mut Context<'_>) -> Turn {
        let Some(stream) = self.streams.get_mut(&stream) else {
            return Turn::End;
        };
        if stream.is_told_to_end {
            return Turn::End;
        }
        stream.writer = Some(context.waker().clone());
        // Without a reader the writer continues and the oldest events are dropped, because a client
        // that is gone may never return.
        if stream.has_reader && stream.last() - stream.read >= AHEAD {
            return Turn::Wait;
        }
        Turn::Write
    }

    /// Writes an event, and returns its number; `None` if the stream does not exist.
    pub(super) fn push(&mut self, number: u64, event: Bytes) -> Option<u64> {
        let stream = self.streams.get_mut(&number)?;
        let size = event.len() + OVERHEAD;
        stream.events.push_back(event);
        let last = stream.last();
        stream.wake_reader();
        self.events += 1;
        self.bytes.grow_anyway(size);
        self.forget_oldest();
        Some(last)
    }

    /// Closes the reader's connection once all current events have been read.
    pub(super) fn pause(&mut self, stream: u64) {
        if let Some(stream) = self.streams.get_mut(&stream)
            && stream.has_reader
        {
            stream.pause = Some(stream.last());
            stream.wake_reader();
        }
    }

    /// Records that no more events will be written to the stream.
    pub(super) fn end(&mut self, stream: u64, now: Instant) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.ended = Some(now);
            stream.wake_reader();
        }
    }

    /// Whether the caller must run [`sweep`](Self::sweep) from now on.
    pub(super) fn needs_sweeper(&mut self) -> bool {
        !std::mem::replace(&mut self.is_swept, true)
    }

    /// Removes streams that ended at least `age` ago. Returns when the earliest of the others
    /// ended, if there is one.
    pub(super) fn sweep(&mut self, now: Instant, age: Duration) -> Option<Instant> {
        let ended = |stream: &Stream| stream.ended.filter(|_| !stream.has_reader);
        let streams = self.streams.iter();
        let over: Vec<u64> = streams
            .filter(|(_, stream)| ended(stream).is_some_and(|end| end + age <= now))
            .map(|(number, _)| *number)
            .collect();
        over.into_iter().for_each(|number| self.remove(number));
        let next = self
            .streams
            .values()
            .filter_map(|stream| stream.ended)
            .min();
        self.is_swept = next.is_some();
        next
    }

    /// Removes the stream.
    pub(super) fn remove(&mut self, number: u64) {
        if let Some(mut stream) = self.streams.remove(&number) {
            while let Some(event) = stream.events.pop_front() {
                self.forgotten(&event);
            }
            stream.wake_reader();
        }
    }

    /// Removes all streams.
    pub(super) fn clear(&mut self) {
        while let Some((number, _)) = self.streams.first_key_value() {
            self.remove(*number);
        }
    }

    /// A reader of the events after `after`, which replaces an earlier reader; `None` if some of
    /// these events are no longer stored.
    pub(super) fn resume(&mut self, stream: u64, after: u64) -> Option<Reader> {
        let open = self.streams.get_mut(&stream)?;
        if after < open.forgotten || after > open.last() {
            return None;
        }
        open.read = after;
        open.pause = None;
        let number = open.attach();
        Some(Reader { stream, number })
    }

    /// Ends the current reader of the stream. Returns whether the stream exists.
    pub(super) fn take(&mut self, stream: u64) -> bool {
        let Some(open) = self.streams.get_mut(&stream) else {
            return false;
        };
        let number = open.attach();
        self.leave(Reader { stream, number });
        true
    }

    /// The next event for this reader, with its number; `None` if there is nothing more to read.
    pub(super) fn next(
        &mut self,
        reader: Reader,
        context: &mut Context<'_>,
    ) -> Poll<Option<(u64, Bytes)>> {
        let Some(stream) = self.read_by(reader) else {
            return Poll::Ready(None);
        };
        if stream.pause == Some(stream.read) {
            return Poll::Ready(None);
        }
        if let Some(event) = stream.unread().cloned() {
            stream.read += 1;
            stream.wake_writer();
            return Poll::Ready(Some((stream.read, event)));
        }
        if stream.ended.is_some() {
            return Poll::Ready(None);
        }
        stream.reader = Some(context.waker().clone());
        Poll::Pending
    }

    /// The number of the last event that this reader has read.
    pub(super) fn position(&mut self, reader: Reader) -> Option<u64> {
        self.read_by(reader).map(|stream| stream.read)
    }

    /// Makes the writer for this reader end.
    pub(super) fn tell_to_end(&mut self, reader: Reader) {
        if let Some(stream) = self.read_by(reader) {
            stream.is_told_to_end = true;
            stream.wake_writer();
        }
    }

    /// Removes this reader, so that the writer no longer waits for it.
    pub(super) fn leave(&mut self, reader: Reader) {
        if let Some(stream) = self.read_by(reader) {
            stream.has_reader = false;
            stream.pause = None;
            stream.wake_writer();
            // Until now, no event that this reader had not read could be dropped.
            self.forget_oldest();
        }
    }

    /// The stream of this reader, unless another reader has replaced it.
    fn read_by(&mut self, reader: Reader) -> Option<&mut Stream> {
        let stream = self.streams.get_mut(&reader.stream)?;
        (stream.has_reader && stream.readers == reader.number).then_some(stream)
    }

    /// Drops events while there are too many: those of the oldest streams first, but none that a
    /// reader has not read yet.
    fn forget_oldest(&mut self) {
        while self.is_too_much() {
            let mut streams = self.streams.iter_mut();
            let Some((number, oldest)) = streams.find(|(_, stream)| stream.can_forget()) else {
                return;
            };
            let (number, event) = (*number, oldest.events.pop_front());
            oldest.forgotten += 1;
            oldest.read = oldest.read.max(oldest.forgotten);
            let is_over = oldest.is_over();
            event.iter().for_each(|event| self.forgotten(event));
            if is_over {
                self.remove(number);
            }
        }
    }

    fn is_too_much(&self) -> bool {
        self.events > self.most.events
            || self.bytes.amount() > self.most.bytes
            || self.bytes.is_exceeded()
    }

    fn forgotten(&mut self, event: &Bytes) {
        let size = event.len() + OVERHEAD;
        self.events -= 1;
        self.bytes.shrink(size);
    }
}

impl Drop for StoredEvents {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Stream {
    /// The number of the last event.
    fn last(&self) -> u64 {
        self.forgotten + self.events.len() as u64
    }

    fn unread(&self) -> Option<&Bytes> {
        let index = usize::try_from(self.read.checked_sub(self.forgotten)?).ok()?;
        self.events.get(index)
    }

    fn can_forget(&self) -> bool {
        // While there is a reader, only events that were read may be dropped, because the others
        // are still to be sent.
        !self.events.is_empty() && (!self.has_reader || self.forgotten < self.read)
    }

    /// Whether there is nothing more to read and no reader.
    fn is_over(&self) -> bool {
        self.events.is_empty() && self.ended.is_some() && !self.has_reader
    }

    fn attach(&mut self) -> u64 {
        self.wake_reader();
        self.wake_writer();
        self.has_reader = true;
        self.readers += 1;
        self.readers
    }

    fn wake_reader(&mut self) {
        self.reader.take().into_iter().for_each(Waker::wake);
    }

    fn wake_writer(&mut self) {
        self.writer.take().into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plainly_transport::quota::Quota;

    fn kept(events: usize, bytes: usize, total: usize) -> StoredEvents {
        let mut limits = Limits::default();
        (limits.resumption.events, limits.resumption.bytes) = (events, bytes);
        limits.resumption.bytes_in_all = total;
        StoredEvents::new(
            &limits,
            Quota::new(limits.resumption.bytes_in_all).part(None),
        )
    }

    fn read(kept: &mut StoredEvents, reader: Reader) -> Vec<u64> {
        let mut context = Context::from_waker(Waker::noop());
        let mut numbers = Vec::new();
        while let Poll::Ready(Some((number, event))) = kept.next(reader, &mut context) {
            assert_eq!(event, format!("{}-{number}", reader.stream));
            numbers.push(number);
        }
        numbers
    }

    fn is_over(kept: &mut StoredEvents, reader: Reader) -> bool {
        kept.next(reader, &mut Context::from_waker(Waker::noop()))
            .is_ready()
    }

    fn write(kept: &mut StoredEvents, stream: u64, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            kept.push(stream, format!("{stream}-{number}").into());
        }
    }

    #[test]
    fn a_reader_hears_of_its_own_stream_alone_and_of_all_of_it() {
        let mut kept = kept(100, 10_000, 10_000);
        let (one, two) = (kept.open(), kept.open());
        write(&mut kept, 1, [1, 2]);
        write(&mut kept, 2, [1]);
        write(&mut kept, 1, [3]);
        assert_eq!(read(&mut kept, one), [1, 2, 3]);
        assert_eq!(read(&mut kept, two), [1]);
        assert!(!is_over(&mut kept, one));
        kept.end(1, Instant::now());
        assert!(is_over(&mut kept, one));
        assert!(!is_over(&mut kept, two));
    }

    #[test]
    fn who_comes_again_reads_what_followed_in_place_of_who_was_there() {
        let mut kept = kept(100, 10_000, 10_000);
        let first = kept.open();
        write(&mut kept, 1, 1..=4);
        assert_eq!(read(&mut kept, first), [1, 2, 3, 4]);
        let second = kept.resume(1, 2).unwrap();
        assert!(is_over(&mut kept, first));
        assert_eq!(read(&mut kept, second), [3, 4]);
        kept.leave(first);
        write(&mut kept, 1, [5]);
        assert_eq!(read(&mut kept, second), [5]);
        kept.leave(second);
        for (stream, after, is_there) in [(1, 0, true), (1, 5, true), (1, 6, false), (2, 0, false)]
        {
            assert_eq!(
                kept.resume(stream, after).is_some(),
                is_there,
                "{stream}-{after}"
            );
        }
    }

    #[test]
    fn a_paused_reader_reads_to_the_pause_and_the_next_one_on() {
        let mut kept = kept(100, 10_000, 10_000);
        let first = kept.open();
        write(&mut kept, 1, [1]);
        kept.pause(1);
        write(&mut kept, 1, [2]);
        assert_eq!(read(&mut kept, first), [1]);
        assert!(is_over(&mut kept, first));
        kept.leave(first);
        kept.pause(1);
        let second = kept.resume(1, 1).unwrap();
        assert_eq!(read(&mut kept, second), [2]);
        assert!(!is_over(&mut kept, second));
    }

    #[test]
    fn whoever_writes_waits_for_a_reader_and_for_nobody_else() {
        let mut context = Context::from_waker(Waker::noop());
        let mut kept = kept(100, 100_000, 100_000);
        let reader = kept.open();
        for number in 1..=AHEAD {
            assert_eq!(kept.turn(1, &mut context), Turn::Write);
            write(&mut kept, 1, [number]);
        }
        assert_eq!(kept.turn(1, &mut context), Turn::Wait);
        assert!(kept.next(reader, &mut context).is_ready());
        assert_eq!(kept.turn(1, &mut context), Turn::Write);
        write(&mut kept, 1, [AHEAD + 1]);
        assert_eq!(kept.turn(1, &mut context), Turn::Wait);
        kept.leave(reader);
        assert_eq!(kept.turn(1, &mut context), Turn::Write);
        let again = kept.resume(1, 0).unwrap();
        assert_eq!(kept.turn(1, &mut context), Turn::Wait);
        kept.tell_to_end(again);
        assert_eq!(kept.turn(1, &mut context), Turn::End);
    }

    #[test]
    fn beyond_each_limit_the_oldest_is_forgotten_that_nobody_reads() {
        let large = 10_000;
        for (events, bytes, total) in [
            (10, large, large),
            (large, 10 * (3 + OVERHEAD), large),
            (large, large, 10 * (3 + OVERHEAD)),
        ] {
            let mut kept = kept(events, bytes, total);
            let (one, two) = (kept.open(), kept.open());
            write(&mut kept, 1, 1..=9);
            kept.leave(one);
            write(&mut kept, 2, 1..=5);
            assert!(kept.resume(1, 3).is_none());
            let again = kept.resume(1, 4).unwrap();
            // All streams have been read, so there may be more events.
            write(&mut kept, 2, 6..=9);
            assert_eq!(read(&mut kept, again), [5, 6, 7, 8, 9]);
            kept.leave(two);
            write(&mut kept, 2, [10]);
            assert!(kept.resume(2, 9).is_some());
            assert!((9..=10).contains(&kept.events), "{kept:?}");
            kept.clear();
            assert_eq!((kept.events, kept.bytes.amount()), (0, 0));
            assert_eq!(kept.bytes.amount(), 0);
        }
    }

    #[test]
    fn what_has_ended_is_swept_once_its_time_has_come_and_nobody_reads() {
        let mut kept = kept(100, 10_000, 10_000);
        let start = Instant::now();
        let age = Duration::from_secs(10);
        let at = |seconds| start + Duration::from_secs(seconds);
        let readers = [kept.open(), kept.open(), kept.open()];
        for (stream, end) in [(1, 10), (2, 20)] {
            write(&mut kept, stream, [1]);
            kept.end(stream, at(end));
        }
        kept.leave(readers[1]);
        assert!(kept.needs_sweeper());
        assert!(!kept.needs_sweeper());
        assert_eq!(
            kept.sweep(at(25), age),
            Some(at(10)),
            "the first is still read"
        );
        kept.leave(readers[0]);
        assert_eq!(kept.sweep(at(25), age), Some(at(20)));
        assert!(kept.resume(1, 0).is_none());
        assert!(kept.resume(2, 0).is_some());
        let reader = kept.resume(2, 1).unwrap();
        kept.leave(reader);
        assert_eq!(kept.sweep(at(30), age), None);
        assert!(kept.resume(2, 1).is_none());
        assert!(kept.resume(3, 0).is_some(), "it has not ended");
        assert!(kept.needs_sweeper());
    }
}
