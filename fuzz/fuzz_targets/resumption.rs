//! The stored events of a session's streams, from which clients can resume. In any order of
//! writing, reading, resuming and leaving, each reader must receive every event after the one it
//! named, once and in order; the stored events must stay within their limits, and no event within
//! the limits may be lost.

#![no_main]

#[path = "../../crates/plainly-server/src/sessions/streams/kept.rs"]
#[expect(dead_code, reason = "the rest is for those who wait")]
mod kept;

/// The limits, at the path where the module expects them.
mod limits {
    pub(crate) use plainly::limits::Limits;
}

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use kept::{Reader, StoredEvents, Turn};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::limits::Limits;
use plainly_transport::quota::Quota;
use tokio::time::Instant;

const EVENTS: usize = 12;
const BYTES: usize = 2_000;
/// The limit for two sessions.
const TOTAL: usize = 3_000;
/// The size that an event counts in addition to its bytes.
const OVERHEAD: usize = 64;
/// The maximum number of events that a writer may be ahead of its reader.
const AHEAD: usize = 16;
const AGE: Duration = Duration::from_secs(60);

#[derive(Arbitrary, Debug)]
enum Step {
    Open,
    Write {
        stream: u8,
        bytes: u8,
    },
    Read {
        reader: u8,
    },
    Resume {
        stream: u8,
        after: u8,
    },
    Leave {
        reader: u8,
    },
    Pause {
        stream: u8,
    },
    End {
        stream: u8,
    },
    TellToEnd {
        reader: u8,
    },
    /// Lets this number of seconds pass.
    Pass(u8),
}

/// A stream in the model.
#[derive(Default)]
struct Stream {
    /// The sizes of the written events.
    written: Vec<usize>,
    reader: Option<Reader>,
    /// The number of events that the reader has read.
    read: usize,
    paused_at: Option<usize>,
    ended: Option<Instant>,
    is_told_to_end: bool,
    is_removed: bool,
}

struct Session {
    kept: StoredEvents,
    streams: BTreeMap<u64, Stream>,
    /// All readers, including earlier ones.
    readers: Vec<Reader>,
    /// Whether everything written so far is within the session's limits.
    is_small: bool,
    /// The total size of the events written in both sessions.
    in_all: Rc<Cell<usize>>,
    now: Instant,
}

fuzz_target!(|steps: [Vec<Step>; 2]| {
    let total = Quota::new(TOTAL);
    let limits = limits();
    let now = Instant::now();
    let in_all = Rc::default();
    let mut sessions =
        [(); 2].map(|()| Session::new(StoredEvents::new(&limits, total.part(None)), &in_all, now));
    let [first, second] = steps;
    let (mut first, mut second) = (first.into_iter().take(100), second.into_iter().take(100));
    loop {
        let steps = [first.next(), second.next()];
        if steps.iter().all(Option::is_none) {
            break;
        }
        for (session, step) in sessions.iter_mut().zip(steps) {
            step.into_iter().for_each(|step| session.step(step));
        }
    }
    sessions.iter_mut().for_each(Session::leave_all);
    let bytes: usize = sessions.iter_mut().map(Session::kept_bytes).sum();
    assert!(bytes <= TOTAL, "{bytes} bytes are kept");
    drop(sessions);
    // The whole total must be free again.
    let mut limits = limits;
    limits.resumption.bytes = TOTAL;
    let mut kept = StoredEvents::new(&limits, total.part(None));
    let reader = kept.open();
    kept.leave(reader);
    let sizes = [TOTAL / 2 - OVERHEAD, TOTAL - TOTAL / 2 - OVERHEAD];
    for size in sizes {
        kept.push(reader.stream, vec![0; size].into());
    }
    assert!(kept.resume(reader.stream, 0).is_some());
});

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.resumption.events = EVENTS;
    limits.resumption.bytes = BYTES;
    limits
}

/// The event with this number. No two events are the same.
fn event(stream: u64, number: usize, bytes: usize) -> Vec<u8> {
    let mut event = format!("{stream}-{number}").into_bytes();
    event.resize(bytes.max(event.len()), b'.');
    event
}

impl Session {
    fn new(kept: StoredEvents, in_all: &Rc<Cell<usize>>, now: Instant) -> Self {
        Self {
            kept,
            streams: BTreeMap::new(),
            readers: Vec::new(),
            is_small: true,
            in_all: Rc::clone(in_all),
            now,
        }
    }

    fn stream(&self, which: u8) -> Option<u64> {
        let streams: Vec<u64> = self.streams.keys().copied().collect();
        (!streams.is_empty()).then(|| streams[usize::from(which) % streams.len()])
    }

    fn reader(&self, which: u8) -> Option<Reader> {
        let readers = &self.readers;
        (!readers.is_empty()).then(|| readers[usize::from(which) % readers.len()])
    }

    fn step(&mut self, step: Step) {
        let stream = |which| self.stream(which);
        let reader = |which| self.reader(which);
        match step {
            Step::Open => self.open(),
            Step::Write {
                stream: which,
                bytes,
            } => {
                stream(which)
                    .into_iter()
                    .for_each(|it| self.write(it, bytes));
            }
            Step::Read { reader: which } => {
                reader(which).into_iter().for_each(|it| self.read(it));
            }
            Step::Resume {
                stream: which,
                after,
            } => {
                let after = usize::from(after % 40);
                stream(which)
                    .into_iter()
                    .for_each(|it| self.resume(it, after));
            }
            Step::Leave { reader: which } => {
                reader(which).into_iter().for_each(|it| self.leave(it));
            }
            Step::Pause { stream: which } => {
                stream(which).into_iter().for_each(|it| self.pause(it));
            }
            Step::End { stream: which } => {
                stream(which).into_iter().for_each(|it| self.end_stream(it));
            }
            Step::TellToEnd { reader: which } => {
                reader(which)
                    .into_iter()
                    .for_each(|it| self.tell_to_end(it));
            }
            Step::Pass(seconds) => self.pass(seconds),
        }
    }

    fn open(&mut self) {
        let reader = self.kept.open();
        self.readers.push(reader);
        let stream = Stream {
            reader: Some(reader),
            ..Stream::default()
        };
        assert!(self.streams.insert(reader.stream, stream).is_none());
    }

    fn pass(&mut self, seconds: u8) {
        self.now += Duration::from_secs(seconds.into());
        self.kept.sweep(self.now, AGE);
        let now = self.now;
        for stream in self.streams.values_mut() {
            let is_old = stream.ended.is_some_and(|ended| ended + AGE <= now);
            stream.is_removed |= is_old && stream.reader.is_none();
        }
    }

    /// Writes like a writer of the server.
    fn write(&mut self, number: u64, bytes: u8) {
        let turn = self
            .kept
            .turn(number, &mut Context::from_waker(Waker::noop()));
        let stream = self.streams.get_mut(&number).unwrap();
        if stream.ended.is_some() {
            return;
        }
        if stream.is_told_to_end {
            assert_eq!(turn, Turn::End);
        } else {
            let is_ahead = stream.reader.is_some() && stream.written.len() - stream.read >= AHEAD;
            let expected = if is_ahead { Turn::Wait } else { Turn::Write };
            assert_eq!(turn, expected);
        }
        if turn == Turn::Wait {
            return;
        }
        let event = event(number, stream.written.len() + 1, usize::from(bytes) * 4);
        stream.written.push(event.len());
        self.in_all.set(self.in_all.get() + event.len() + OVERHEAD);
        let (events, bytes) = self.written();
        self.is_small &= events <= EVENTS && bytes <= BYTES;
        self.kept.push(number, event.into());
    }

    /// The number of all written events, and their total size.
    fn written(&self) -> (usize, usize) {
        let sizes = self.streams.values().flat_map(|stream| &stream.written);
        sizes.fold((0, 0), |(count, bytes), size| {
            (count + 1, bytes + size + OVERHEAD)
        })
    }

    fn read(&mut self, reader: Reader) {
        let next = self
            .kept
            .next(reader, &mut Context::from_waker(Waker::noop()));
        let stream = self.streams.get_mut(&reader.stream).unwrap();
        if stream.is_removed
            || stream.reader != Some(reader)
            || stream.paused_at == Some(stream.read)
        {
            assert!(matches!(next, Poll::Ready(None)));
        } else if let Some(&size) = stream.written.get(stream.read) {
            stream.read += 1;
            let expected = event(reader.stream, stream.read, size);
            let Poll::Ready(Some((number, event))) = next else {
                panic!("event {} is missing", stream.read);
            };
            assert_eq!((number, &*event), (stream.read as u64, &*expected));
        } else {
            assert_eq!(next.is_ready(), stream.ended.is_some());
            assert!(!matches!(next, Poll::Ready(Some(_))));
        }
    }

    fn is_small(&self) -> bool {
        self.is_small && self.in_all.get() <= TOTAL
    }

    fn resume(&mut self, number: u64, after: usize) {
        let is_small = self.is_small();
        let reader = self.kept.resume(number, after as u64);
        let stream = self.streams.get_mut(&number).unwrap();
        let Some(reader) = reader else {
            let is_unknown = after > stream.written.len() || stream.is_removed;
            assert!(is_unknown || !is_small, "event {after} is forgotten");
            return;
        };
        assert!(!stream.is_removed && after <= stream.written.len());
        stream.reader = Some(reader);
        stream.read = after;
        stream.paused_at = None;
        self.readers.push(reader);
    }

    fn leave(&mut self, reader: Reader) {
        self.kept.leave(reader);
        let stream = self.streams.get_mut(&reader.stream).unwrap();
        if stream.reader == Some(reader) {
            stream.reader = None;
            stream.paused_at = None;
        }
    }

    fn pause(&mut self, number: u64) {
        self.kept.pause(number);
        let stream = self.streams.get_mut(&number).unwrap();
        if stream.reader.is_some() {
            stream.paused_at = Some(stream.written.len());
        }
    }

    fn end_stream(&mut self, number: u64) {
        let stream = self.streams.get_mut(&number).unwrap();
        if stream.ended.is_none() {
            stream.ended = Some(self.now);
            self.kept.end(number, self.now);
        }
    }

    fn tell_to_end(&mut self, reader: Reader) {
        self.kept.tell_to_end(reader);
        let stream = self.streams.get_mut(&reader.stream).unwrap();
        stream.is_told_to_end |= stream.reader == Some(reader);
    }

    fn leave_all(&mut self) {
        let readers = self.readers.clone();
        readers.into_iter().for_each(|reader| self.leave(reader));
    }

    /// The size of the events stored without a reader: for each stream the last events, from which
    /// it can be resumed.
    fn kept_bytes(&mut self) -> usize {
        let is_small = self.is_small();
        let (mut events, mut bytes) = (0, 0);
        for (&number, stream) in &self.streams {
            let kept = &mut self.kept;
            let mut can_resume = |after: usize| {
                let reader = kept.resume(number, after as u64);
                reader.into_iter().for_each(|reader| kept.leave(reader));
                reader.is_some()
            };
            let first = (0..=stream.written.len()).find(|after| can_resume(*after));
            let first = first.unwrap_or(stream.written.len());
            assert!((first + 1..=stream.written.len()).all(can_resume));
            assert!(!is_small || stream.is_removed || first == 0);
            events += stream.written.len() - first;
            bytes += stream.written[first..]
                .iter()
                .map(|size| size + OVERHEAD)
                .sum::<usize>();
        }
        assert!(
            events <= EVENTS && bytes <= BYTES,
            "{events} events of {bytes} bytes are kept"
        );
        bytes
    }
}
