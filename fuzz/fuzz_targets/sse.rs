//! Any bytes, split anywhere. The events and the error must be the same as without splits.

#![no_main]

#[path = "../../crates/plainly-client/src/http/sse.rs"]
#[expect(dead_code, reason = "the rest is for clients that go on")]
mod sse;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use plainly_fuzz::pieces;

const LIMIT: usize = 16;

fuzz_target!(|bytes: &[u8]| {
    let Some((lengths, bytes)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    let (events, end) = read(std::iter::once(bytes));
    assert_eq!(read(pieces(lengths, bytes)), (events.clone(), end));
    // Only an event with the endpoint for messages may be empty.
    assert!(events.iter().all(|(kind, data)| {
        data.len() <= LIMIT && (!data.is_empty() || *kind == sse::EventKind::Endpoint)
    }));
});

type Event = (sse::EventKind, Bytes);

fn read<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<Event>, Result<(), sse::TooLarge>) {
    let mut parser = sse::EventParser::new(LIMIT);
    let mut events = Vec::new();
    for chunk in chunks {
        let mut chunk = Bytes::copy_from_slice(chunk);
        loop {
            match parser.next(&mut chunk) {
                Ok(Some(event)) => events.push((event.kind, event.data)),
                Ok(None) => break,
                Err(error) => return (events, Err(error)),
            }
        }
        assert!(chunk.is_empty());
    }
    (events, Ok(()))
}
