//! Percent-encoding, as URI templates use it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::operator::{Alphabet, RESERVED, UNRESERVED_MARKS};

/// The bytes that are encoded in most values.
const ALL_BUT_UNRESERVED: AsciiSet = without(NON_ALPHANUMERIC, UNRESERVED_MARKS);

/// The bytes that are encoded in literals, and in values of `{+x}` and `{#x}`.
const ALL_BUT_RESERVED: AsciiSet = without(&ALL_BUT_UNRESERVED, RESERVED);

const fn without(set: &AsciiSet, mut bytes: &[u8]) -> AsciiSet {
    // A copy, because every such set contains the percent sign, which begins encoded characters.
    let mut left = set.add(b'%');
    while let [byte, rest @ ..] = bytes {
        left = left.remove(*byte);
        bytes = rest;
    }
    left
}

/// Writes `text` and encodes every character that is not in the alphabet.
pub(super) fn encode(text: &str, alphabet: Alphabet, out: &mut String) {
    match alphabet {
        Alphabet::Unreserved => out.extend(utf8_percent_encode(text, &ALL_BUT_UNRESERVED)),
        Alphabet::Reserved => {
            // RFC 6570, section 3.2.3: characters that are already percent-encoded stay unchanged.
            for (index, piece) in text.split('%').enumerate() {
                if index > 0 {
                    let encoded = begins_with_hex(piece.as_bytes());
                    out.push_str(if encoded { "%" } else { "%25" });
                }
                out.extend(utf8_percent_encode(piece, &ALL_BUT_RESERVED));
            }
        }
    }
}

/// Decodes the text once. `None` if the result is not UTF-8.
pub(super) fn decode(text: &str) -> Option<String> {
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

/// The number of bytes of the character at the start of the text: one, or three for each of its own
/// bytes if it had to be encoded. `None` if the character is not allowed there or not in this form.
pub(super) fn width_of_first(text: &[u8], alphabet: Alphabet) -> Option<usize> {
    let first = *text.first()?;
    if first != b'%' {
        return alphabet.has(first).then_some(1);
    }
    let mut bytes = text.chunks_exact(3).map_while(encoded_byte);
    let first = bytes.next().filter(|byte| !alphabet.has(*byte))?;
    let mut char = [first, 0, 0, 0];
    let mut known = 1;
    // Reads to the end of the character, so that no value ever ends within one.
    while str::from_utf8(char.get(..known)?).is_err() {
        *char.get_mut(known)? = bytes.next()?;
        known += 1;
    }
    Some(known * 3)
}

/// The byte that these three characters stand for. Only the spelling that this crate writes is
/// accepted.
fn encoded_byte(text: &[u8]) -> Option<u8> {
    let digit = |char: u8| match char {
        b'0'..=b'9' => Some(char - b'0'),
        b'A'..=b'F' => Some(char - b'A' + 10),
        _ => None,
    };
    match text {
        [b'%', high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    }
}

/// Whether these two characters after a `%` make it an encoded byte.
pub(super) fn begins_with_hex(bytes: &[u8]) -> bool {
    matches!(bytes, [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}
