//! Any bytes, split anywhere. The lines must be the same as without splits, and none may be longer
//! than the limit.

#![no_main]

use libfuzzer_sys::fuzz_target;

use plainly::transport::Inbound;
use plainly::transport::lines::LineReader;
use plainly_fuzz::{Chunks, pieces};
use tokio::runtime::Builder;

const LIMIT: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let Some((lengths, bytes)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    for seeks_ids in [false, true] {
        let whole = read(std::iter::once(bytes), seeks_ids);
        assert_eq!(read(pieces(lengths, bytes), seeks_ids), whole);
        for line in whole {
            if let Inbound::Message(message) = line {
                assert!(message.len() <= LIMIT && !message.contains(&b'\n'));
            }
        }
    }
});

fn read<'a>(chunks: impl Iterator<Item = &'a [u8]> + Unpin, seeks_ids: bool) -> Vec<Inbound> {
    let runtime = Builder::new_current_thread().build().unwrap();
    let mut reader = LineReader::new(Chunks(chunks), LIMIT);
    if seeks_ids {
        reader = reader.seeking_ids();
    }
    let mut lines = Vec::new();
    while let Some(line) = runtime.block_on(reader.next()).unwrap() {
        lines.push(line);
    }
    lines
}
