//! A large text or blob becomes part of a message in the memory that it lies in: the rest of the message is put around it.
//! Beside [`escape`] and base64, which write the same bytes somewhere else. Knows nothing of the message.
//!
//! What is written elsewhere is in memory twice, and each of the two is as long as a file may be.

use base64::Engine;

use crate::escape;
use crate::types::Body;
use crate::types::base64::STANDARD;

/// How many bytes the body takes as a JSON string, between its quotes.
#[must_use]
pub fn encoded_len(body: &Body) -> usize {
    match body {
        Body::Text(text) => text.len() + escape::growth(text.as_bytes()),
        Body::Blob(bytes) => bytes.len().div_ceil(3) * 4,
    }
}

/// `before`, then the body as JSON has it between the quotes of a string, then `after`.
///
/// The memory is the body's own, if that has room for all of it.
#[must_use]
pub fn encode(before: &[u8], body: Body, after: &[u8]) -> Vec<u8> {
    let encoded = encoded_len(&body);
    let is_text = matches!(body, Body::Text(_));
    let mut out = match body {
        Body::Text(text) => text.into_bytes(),
        Body::Blob(bytes) => bytes,
    };
    let length = out.len();
    let end = before.len() + encoded;
    let all = end + after.len();
    if all > out.capacity() {
        // Once. A quarter more than is needed, for what `escape::write_string` says of it.
        out.reserve_exact(all + all / 4 - length);
    }
    out.resize(all, 0);
    // To where it will end. From there it is encoded towards the front, and never over what isn't encoded yet.
    out.copy_within(..length, end - length);
    out[..before.len()].copy_from_slice(before);
    out[end..].copy_from_slice(after);
    let (within, from) = (&mut out[before.len()..end], encoded - length);
    if is_text {
        escape_from(within, from);
    } else {
        encode_from(within, from);
    }
    out
}

/// Escapes the text that begins at `from`, so that it fills all of `within`.
fn escape_from(within: &mut [u8], mut from: usize) {
    let mut escaped = Vec::new();
    let mut to = 0;
    // Behind the last escape everything is in its place.
    while to < from {
        let plain = escape::plain_run(&within[from..]);
        within.copy_within(from..from + plain, to);
        (from, to) = (from + plain, to + plain);
        escaped.clear();
        escape::write_escape(&mut escaped, within[from]);
        within[to..to + escaped.len()].copy_from_slice(&escaped);
        (from, to) = (from + 1, to + escaped.len());
    }
}

/// Encodes the bytes that begin at `from`, so that they fill all of `within`.
fn encode_from(within: &mut [u8], from: usize) {
    /// Of which each but the last is encoded without padding.
    const PIECE: usize = 3 << 10;

    let mut piece = [0; PIECE];
    let mut to = 0;
    for from in (from..within.len()).step_by(PIECE) {
        let end = within.len().min(from + PIECE);
        let piece = &mut piece[..end - from];
        piece.copy_from_slice(&within[from..end]);
        to += STANDARD
            .encode_slice(piece, &mut within[to..])
            .expect("there is room for what was counted");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What `serde_json` makes of it, without the quotes.
    fn expected(body: &Body) -> Vec<u8> {
        let value = serde_json::to_value(body).unwrap();
        let string = value.as_object().unwrap().values().next().unwrap();
        let string = string.to_string();
        string.as_bytes()[1..string.len() - 1].to_vec()
    }

    fn check(before: &str, body: Body, after: &str) {
        let inner = expected(&body);
        assert_eq!(encoded_len(&body), inner.len());
        let expected = [before.as_bytes(), &inner, after.as_bytes()].concat();
        assert_eq!(encode(before.as_bytes(), body, after.as_bytes()), expected);
    }

    #[test]
    fn every_escape_is_written_wherever_it_stands() {
        for byte in 0..0x80 {
            for length in [0, 1, 15, 16, 17, 60] {
                let plain = "é".repeat(length);
                let text = format!("{plain}{}{plain}", char::from(byte));
                check("{", Body::Text(text), "}");
            }
        }
    }

    #[test]
    fn however_much_longer_a_text_becomes_it_is_counted() {
        for text in ["\u{1}", "\n", "\"a"] {
            check("{", Body::Text(text.repeat(10_000)), "}");
        }
    }

    #[test]
    fn blobs_are_padded_at_their_end_alone() {
        for length in (0..10).chain(3_070..3_076).chain(10_000..10_003) {
            let bytes: Vec<u8> = (0..length).map(|byte| (byte % 251) as u8).collect();
            check("before ", Body::Blob(bytes), " after");
        }
    }

    #[test]
    fn what_has_room_stays_where_it_is() {
        for (body, room) in [("some\ntext", 2), ("", 0)] {
            let mut text = String::with_capacity(body.len() + room + 200);
            text.push_str(body);
            let memory = text.as_ptr();
            let encoded = encode(&[b'<'; 100], Body::Text(text), &[b'>'; 50]);
            assert_eq!(encoded.as_ptr(), memory);
        }
    }

    proptest! {
        #[test]
        fn texts_are_what_serde_json_makes_of_them(
            before in ".{0,40}",
            text in r#"([ -~]{0,40}|["\\\x00-\x1f]|\PC|[^a])*"#,
            room in 0..100_usize,
            after in ".{0,40}",
        ) {
            let mut text = text;
            text.reserve_exact(room);
            check(&before, Body::Text(text), &after);
        }

        #[test]
        fn blobs_are_what_serde_json_makes_of_them(before in ".{0,40}", bytes: Vec<u8>, after in ".{0,40}") {
            check(&before, Body::Blob(bytes), &after);
        }
    }
}
