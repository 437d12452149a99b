//! Encodes a large text or blob in the memory that it is already in, and puts the rest of the
//! message around it. The output is the same as that of [`escape`] and base64, which write to other
//! memory.
//!
//! An encoder with a separate output holds the content in memory twice, and the content may be as
//! long as the largest file.

use base64::Engine;

use crate::escape;
use crate::types::Body;
use crate::types::base64::STANDARD;

/// Returns `before`, then the body encoded as the inside of a JSON string, then `after`; `None` if
/// the result would exceed `most` bytes.
///
/// Uses the memory of the body if that has enough room.
#[must_use]
pub fn encode(before: &[u8], body: Body, after: &[u8], most: usize) -> Option<Vec<u8>> {
    let room = most.checked_sub(before.len() + after.len())?;
    let mut out = match body {
        Body::Text(text) => escaped(before, text.into_bytes(), after, room)?,
        Body::Blob(bytes) => encoded(before, bytes, after, room)?,
    };
    out.extend_from_slice(after);
    Some(out)
}

/// Returns `before` and the escaped text. Few escapes are expected, as in lines of text; if there
/// are more, they are counted.
fn escaped(before: &[u8], text: Vec<u8>, after: &[u8], room: usize) -> Option<Vec<u8>> {
    if text.len() > room {
        return None;
    }
    let gap = text.len() / 16 + 8;
    let (mut out, from) = behind(before, text, gap, after);
    let (from, to) = escape_from(&mut out, from, before.len());
    let (from, to) = match out.len() - from {
        0 => (from, to),
        rest => {
            let end = to + rest + escape::growth(&out[from..]);
            if end - before.len() > room {
                return None;
            }
            reserve(&mut out, end + after.len());
            out.resize(end, 0);
            out.copy_within(from..from + rest, end - rest);
            escape_from(&mut out, end - rest, to)
        }
    };
    if from != out.len() {
        // A text whose length was counted wrongly is not sent.
        return None;
    }
    out.truncate(to);
    (to - before.len() <= room).then_some(out)
}

/// Escapes the text at `from` and writes it at `to`, until the text ends or the output would
/// overwrite the rest. Returns both positions.
fn escape_from(bytes: &mut [u8], mut from: usize, mut to: usize) -> (usize, usize) {
    loop {
        let plain = escape::plain_blocks(&bytes[from..]);
        bytes.copy_within(from..from + plain, to);
        (from, to) = (from + plain, to + plain);
        let Some(&byte) = bytes.get(from) else {
            return (from, to);
        };
        match escape::letter(byte) {
            Some(letter) if to < from => {
                bytes[to] = b'\\';
                bytes[to + 1] = letter;
                to += 2;
            }
            None if to + 5 <= from => {
                bytes[to..to + 6].copy_from_slice(&escape::long(byte));
                to += 6;
            }
            Some(_) | None => return (from, to),
        }
        from += 1;
    }
}

/// Returns `before` and the bytes in base64.
fn encoded(before: &[u8], bytes: Vec<u8>, after: &[u8], room: usize) -> Option<Vec<u8>> {
    /// The number of bytes encoded at once: a multiple of three, so that only the last piece is
    /// padded.
    const PIECE: usize = 3 << 10;

    let length = bytes.len().div_ceil(3) * 4;
    if length > room {
        return None;
    }
    let gap = length - bytes.len();
    let (mut out, from) = behind(before, bytes, gap, after);
    let mut piece = [0; PIECE];
    let mut to = before.len();
    for from in (from..out.len()).step_by(PIECE) {
        let end = out.len().min(from + PIECE);
        let piece = &mut piece[..end - from];
        piece.copy_from_slice(&out[from..end]);
        to += STANDARD
            .encode_slice(piece, &mut out[to..])
            .expect("there is room for what was counted");
    }
    Some(out)
}

/// Returns `before`, a gap of `gap` bytes and `content`, and the position of `content`, with room
/// for `after`. The caller encodes `content` towards the front: into the gap, and then over the
/// part that is already encoded.
fn behind(before: &[u8], content: Vec<u8>, gap: usize, after: &[u8]) -> (Vec<u8>, usize) {
    let (mut out, length) = (content, before.len() + gap);
    let content = out.len();
    reserve(&mut out, length + content + after.len());
    out.resize(length + content, 0);
    out.copy_within(..content, length);
    out[..before.len()].copy_from_slice(before);
    (out, length)
}

/// Makes room for `all` bytes in total, plus a quarter if `out` has to grow: see
/// [`escape::write_string`].
fn reserve(out: &mut Vec<u8>, all: usize) {
    if all > out.capacity() {
        out.reserve_exact(all + all / 4 - out.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The output of `serde_json`, without the quotes.
    fn expected(body: &Body) -> Vec<u8> {
        let value = serde_json::to_value(body).unwrap();
        let string = value.as_object().unwrap().values().next().unwrap();
        let string = string.to_string();
        string.as_bytes()[1..string.len() - 1].to_vec()
    }

    fn check(before: &str, body: Body, after: &str) {
        let inner = expected(&body);
        let expected = [before.as_bytes(), &inner, after.as_bytes()].concat();
        let encode = |body, most| encode(before.as_bytes(), body, after.as_bytes(), most);
        let length = expected.len();
        assert_eq!(encode(body.clone(), length - 1), None);
        assert_eq!(encode(body, length), Some(expected));
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
    fn however_much_longer_a_text_becomes_there_is_room() {
        for text in ["\u{1}", "\n", "\"a", "few in a long line\n"] {
            let text = text.repeat(10_000);
            check("{", Body::Text("plain".repeat(10_000) + &text), "}");
            check("{", Body::Text(text), "}");
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
            let encoded = encode(&[b'<'; 100], Body::Text(text), &[b'>'; 50], 1_000).unwrap();
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
