//! JSON strings: writing them with the necessary escapes, and decoding escapes.
//!
//! Every reply is written with this writer; the envelope decodes keys, methods and ids with this
//! reader. Neither interprets the text.

use std::borrow::Cow;

/// Appends `text` to `out` as a JSON string, quotes included.
///
/// Escapes only the characters that RFC 8259, section 7, requires: the quote, the backslash and the
/// characters below U+0020, with the short form where there is one. The output is identical to that
/// of `serde_json`.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    // A quarter more for escapes. Few texts need it, and memory that is never written to costs
    // nothing. Without it `out` was moved, and glibc returned the memory to the system, because it
    // does so with free memory of twice the largest block that it has handed out, as a text of 1
    // MiB and its reply were each time. Allocating it again took 1 ms of 1.6.
    out.reserve(text.len() + text.len() / 4 + 2);
    out.push(b'"');
    if is_short_and_plain(text.as_bytes()) {
        out.extend_from_slice(text.as_bytes());
    } else {
        write_inner(out, text);
    }
    out.push(b'"');
}

/// Appends the text between the quotes.
pub(crate) fn write_inner(out: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let (plain, tail) = rest.split_at(plain_blocks(rest));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = tail.split_first() else {
            break;
        };
        write_escape(out, byte);
        rest = after;
    }
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    match letter(byte) {
        Some(letter) => out.extend_from_slice(&[b'\\', letter]),
        None => out.extend_from_slice(&long(byte)),
    }
}

/// The letter of the short escape of `byte`, if it has one.
pub(crate) const fn letter(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => return None,
    })
}

/// The escape of any other control character.
pub(crate) fn long(control: u8) -> [u8; 6] {
    let digit = |nibble: u8| nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
    let [high, low] = [digit(control >> 4), digit(control & 15)];
    [b'\\', b'u', b'0', b'0', high, low]
}

/// The number of bytes by which `text` is longer once it is escaped.
pub(crate) fn growth(text: &[u8]) -> usize {
    let growth = |&byte: &u8| match letter(byte) {
        Some(_) => 1,
        None if byte < 0x20 => 5,
        None => 0,
    };
    text.iter().map(growth).sum()
}

/// The text of `token`, a JSON value, if it is a string.
pub(crate) fn text(token: &str) -> Option<Cow<'_, str>> {
    let inner = token.strip_prefix('"')?.strip_suffix('"')?;
    Some(decode(inner))
}

/// Decodes the inside of a JSON string.
///
/// Expects text that the envelope's scan has accepted. For any other text it returns some string
/// and does not panic.
pub(crate) fn decode(inner: &str) -> Cow<'_, str> {
    // This check takes half of the time that a search for a backslash alone takes.
    if plain_run(inner.as_bytes()) == inner.len() {
        return Cow::Borrowed(inner);
    }
    let Some((plain, mut rest)) = inner.split_once('\\') else {
        return Cow::Borrowed(inner);
    };
    let mut text = String::with_capacity(inner.len());
    text.push_str(plain);
    loop {
        let mut chars = rest.chars();
        text.push(match chars.next() {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let (character, after) = decode_unicode(chars.as_str());
                chars = after.chars();
                character
            }
            Some(itself) => itself,
            None => break,
        });
        let Some((plain, after)) = chars.as_str().split_once('\\') else {
            text.push_str(chars.as_str());
            break;
        };
        text.push_str(plain);
        rest = after;
    }
    Cow::Owned(text)
}

/// The character of a `\u` escape, or of the surrogate pair that two of them form, and the text
/// after it.
fn decode_unicode(digits: &str) -> (char, &str) {
    let unit = |text: &str| {
        text.get(..4)
            .and_then(|hex| u16::from_str_radix(hex, 16).ok())
    };
    let after = digits.get(4..).unwrap_or_default();
    let first = unit(digits).unwrap_or_default();
    if !(0xd800..0xdc00).contains(&first) {
        return (
            char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER),
            after,
        );
    }
    let second = after.strip_prefix("\\u").and_then(unit).unwrap_or_default();
    let character = char::decode_utf16([first, second])
        .next()
        .and_then(Result::ok);
    (
        character.unwrap_or(char::REPLACEMENT_CHARACTER),
        after.get(6..).unwrap_or_default(),
    )
}

/// The number of bytes at the start of `bytes` that need no escape in a JSON string: up to a quote,
/// a backslash or a character below U+0020. Fast for short strings, even if long text follows them.
///
/// Never inlined, because its callers have many values to keep in registers and it needs a few for
/// its own constants.
#[inline(never)]
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let run = bytes.len() - rest.len();
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return run + special.trailing_zeros() as usize / 8;
        }
        if run == SHORT {
            return run + plain_blocks(rest);
        }
        rest = after;
    }
    plain_tail(bytes)
}

/// The length of the longest keys of the protocol. Starting to check by blocks takes as long as
/// checking this many bytes by words.
const SHORT: usize = 48;
const BLOCK: usize = 16;

/// Whether `bytes` is a short text without characters to escape. Most keys have at most two words,
/// which may overlap.
#[inline]
fn is_short_and_plain(bytes: &[u8]) -> bool {
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) if bytes.len() <= 16 => {
            let [first, last] = [first, last].map(|word| special_bytes(u64::from_le_bytes(*word)));
            first | last == 0
        }
        _ => bytes.len() <= SHORT && plain_run(bytes) == bytes.len(),
    }
}

/// Like `plain_run`, for long texts. It first checks whole blocks, which the compiler turns into
/// vector instructions with one lane for each byte, then words.
pub(crate) fn plain_blocks(bytes: &[u8]) -> usize {
    let plain = |block: &[u8; BLOCK]| {
        let plain = block.iter().map(|&byte| distance(byte) != 0);
        plain.fold(true, |all, one| all & one)
    };
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    let run = BLOCK * blocks.iter().take_while(|block| plain(block)).count();
    run + plain_run(bytes.get(run..).unwrap_or_default())
}

const fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// The distance of a byte from the next one that needs an escape, so that a single comparison is
/// enough. In vectors that takes half of the time of three comparisons. The quote and the control
/// characters are handled as in [`special_bytes`].
fn distance(byte: u8) -> u8 {
    (byte ^ (b'"' ^ 0x20))
        .saturating_sub(0x20)
        .min(byte ^ b'\\')
}

/// Like `plain_run`, for a text that is plain except for at most its last seven bytes. A separate
/// function, so that the code for most strings is small.
#[inline(never)]
fn plain_tail(bytes: &[u8]) -> usize {
    if let Some(last) = bytes.last_chunk::<8>() {
        // The word overlaps bytes that are known to be plain.
        return bytes.len() - 8 + first_special(u64::from_le_bytes(*last));
    }
    let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) else {
        return bytes.iter().take_while(|&&byte| is_plain(byte)).count();
    };
    // Many keys and values of the protocol are this short. Two halves, which may overlap, make a
    // word.
    let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
    match first_special(first | last << 32) {
        in_first @ 0..4 => in_first,
        in_last => bytes.len() + in_last - 8,
    }
}

/// The index of the first byte of the word that needs an escape; 8 if there is none.
fn first_special(word: u64) -> usize {
    special_bytes(word).trailing_zeros() as usize / 8
}

/// Checks eight bytes at once. The lowest bit that is set is the top bit of the first byte that
/// needs an escape. Higher bits mean nothing, because the subtractions borrow.
const fn special_bytes(word: u64) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const TOP: u64 = EACH << 7;
    // Flipping this bit puts the quote directly after the control characters, so that one
    // subtraction finds both.
    let turned = word ^ (EACH * (b'"' ^ 0x20) as u64);
    let quote_or_control = turned.wrapping_sub(EACH * 0x21);
    let backslash = (word ^ (EACH * b'\\' as u64)).wrapping_sub(EACH);
    // A subtraction sets the top bit of a smaller byte. In a byte that is not ASCII that bit was
    // already set.
    (quote_or_control | backslash) & !word & TOP
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        write_string(&mut out, text);
        out
    }

    #[test]
    fn writes_every_character_of_the_first_two_planes_as_serde_json_does() {
        for character in ('\0'..='\u{1ffff}').chain(['\u{10ffff}']) {
            let text = String::from(character);
            assert_eq!(written(&text), serde_json::to_vec(&text).unwrap());
        }
    }

    #[test]
    fn finds_the_first_special_byte_wherever_it_stands() {
        for length in 0..200 {
            for at in 0..length {
                for special in [b'"', b'\\', 0, b'\n', 0x1f] {
                    let mut bytes = vec![0x7f; length];
                    bytes[at] = special;
                    assert_eq!(plain_run(&bytes), at);
                }
            }
            assert_eq!(plain_run(&vec![0x80; length]), length);
        }
    }

    #[test]
    fn decodes_every_kind_of_escape() {
        let cases = [
            ("", ""),
            ("plain", "plain"),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"n\u0061me", "name"),
            (r"\u0000", "\0"),
            (r"\uD83D\ude00!", "😀!"),
            (r"\ufffe\\u0041", "\u{fffe}\\u0041"),
        ];
        for (inner, text) in cases {
            assert_eq!(decode(inner), text);
        }
    }

    #[test]
    fn decoding_what_the_scan_refuses_does_not_panic() {
        for inner in [
            r"\",
            r"\u",
            r"\u00",
            r"\ud800",
            r"\ud800\u",
            r"\ud800\u00e9",
            r"\udc00",
            r"\u12é4",
        ] {
            decode(inner);
        }
    }

    proptest! {
        #[test]
        fn writes_what_serde_json_writes(text in r#"([ -~]{0,40}|["\\\x00-\x1f]|\PC|[^a])*"#) {
            prop_assert_eq!(written(&text), serde_json::to_vec(&text).unwrap());
        }

        #[test]
        fn decodes_what_was_written(text: String) {
            let out = String::from_utf8(written(&text)).unwrap();
            prop_assert_eq!(decode(&out[1..out.len() - 1]), text);
        }

        #[test]
        fn decoding_any_text_does_not_panic(text in r"(\\|u|[0-9a-fA-F]|\\ud[89c]00|.)*") {
            decode(&text);
        }
    }
}
