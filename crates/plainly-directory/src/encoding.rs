//! Decodes text that is not UTF-8: in the encoding of its byte order mark, the one that it
//! declares, or the most likely one. Content counts as text only if encoding the text again gives
//! the same bytes, so that nothing is lost.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};
use plainly_convert::declared_encoding;

/// The maximum number of bytes that a guess considers, starting at the first non-ASCII byte.
const GUESSED: usize = 64 << 10;

/// A decoded text.
pub(super) struct Decoded {
    pub(super) text: String,
    encoding: &'static Encoding,
}

impl Decoded {
    /// The name of the original encoding.
    pub(super) fn encoding(&self) -> String {
        self.encoding.name().to_ascii_lowercase()
    }
}

/// Decodes UTF-16 with a byte order mark, as written by Windows programs.
pub(super) fn utf_16(content: &[u8]) -> Option<Decoded> {
    let (encoding, mark) = Encoding::for_bom(content).filter(|(encoding, _)| *encoding != UTF_8)?;
    let text = decode(encoding, content.get(mark..)?)?;
    (!text.contains('\0')).then_some(Decoded { text, encoding })
}

/// Decodes text of this type in a legacy encoding, from before Unicode.
pub(super) fn legacy(content: &[u8], mime_type: &str) -> Option<Decoded> {
    if content.iter().any(is_control) || is_broken_utf_8(content) {
        return None;
    }
    let is_page = ["html", "xml"].iter().any(|page| mime_type.ends_with(page));
    let declared = declared_encoding(content).filter(|_| is_page);
    let declared = declared.and_then(Encoding::for_label);
    let declared = declared.filter(|encoding| encoding.is_ascii_compatible() && *encoding != UTF_8);
    declared
        .and_then(|encoding| lossless(encoding, content))
        .or_else(|| lossless(guess(content), content))
}

/// Whether the byte is a control character that text doesn't contain: all except white space,
/// backspace, bell and escape.
pub(super) fn is_control(byte: &u8) -> bool {
    matches!(byte, 0..=6 | 14..=26 | 28..=31 | 127)
}

/// Whether this is UTF-8 with a few errors, such as a log that was cut. Bytes in other encodings
/// hardly ever form UTF-8 characters.
fn is_broken_utf_8(content: &[u8]) -> bool {
    let (mut characters, mut errors) = (0, 0);
    for chunk in content.utf8_chunks() {
        characters += chunk.valid().chars().filter(|it| !it.is_ascii()).count();
        errors += usize::from(!chunk.invalid().is_empty());
    }
    characters > errors
}

fn guess(content: &[u8]) -> &'static Encoding {
    let start = content.iter().position(|byte| !byte.is_ascii());
    let rest = content.get(start.unwrap_or_default()..).unwrap_or_default();
    let head = rest.get(..GUESSED).unwrap_or(rest);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, head.len() == rest.len());
    detector.guess(None, Utf8Detection::Deny)
}

/// Decodes the content; `None` if encoding the text again doesn't give the same bytes.
fn lossless(encoding: &'static Encoding, content: &[u8]) -> Option<Decoded> {
    let text = decode(encoding, content)?;
    let (again, _, has_lost) = encoding.encode(&text);
    let is_same = !has_lost && *again == *content;
    // The C1 control characters stand for bytes that the encoding doesn't define.
    let has_control = text.contains(|it| matches!(it, '\u{80}'..='\u{9f}'));
    (is_same && !has_control).then_some(Decoded { text, encoding })
}

fn decode(encoding: &'static Encoding, content: &[u8]) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(content)?;
    Some(text.into_owned())
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_KR, KOI8_U, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};
    use proptest::prelude::*;

    use super::*;

    /// The text of content, and the name of its encoding.
    fn text(content: &[u8], mime_type: &str) -> Option<(String, String)> {
        legacy(content, mime_type).map(|decoded| (decoded.encoding(), decoded.text))
    }

    #[test]
    fn texts_of_before_unicode_are_read() {
        for (encoding, original) in [
            (WINDOWS_1252, "café"),
            (WINDOWS_1252, "// Größe in Metern – „ungefähr“, 5 €"),
            (WINDOWS_1250, "Příliš žluťoučký kůň úpěl ďábelské ódy"),
            (WINDOWS_1251, "Съешь же ещё этих мягких французских булок"),
            (KOI8_U, "Съешь же ещё этих мягких французских булок"),
            (SHIFT_JIS, "これは日本語のテキストです。"),
            (EUC_KR, "다람쥐 헌 쳇바퀴에 타고파"),
            (BIG5, "這是一個用繁體中文寫的文件"),
        ] {
            let (content, _, has_lost) = encoding.encode(original);
            assert!(!has_lost);
            let expected = (encoding.name().to_ascii_lowercase(), original.to_owned());
            assert_eq!(text(&content, "text/plain"), Some(expected));
        }
    }

    #[test]
    fn a_guess_is_made_of_what_is_not_ascii() {
        let before = "x".repeat(2 * GUESSED);
        let after = "これは日本語のテキストです。".repeat(GUESSED);
        let original = before + &after;
        let (content, ..) = SHIFT_JIS.encode(&original);
        let expected = Some(("shift_jis".to_owned(), original.clone()));
        assert_eq!(text(&content, "text/plain"), expected);
    }

    #[test]
    fn what_a_page_declares_comes_before_a_guess() {
        let page: &[u8] = b"<meta charset=koi8-r>caf\xe9";
        let xml: &[u8] = b"<?xml version='1.0' encoding='ISO-8859-2'?><a>\xb1</a>";
        let wrong: &[u8] = b"<meta charset=shift_jis>caf\xe9";
        let impossible: &[u8] = b"<meta charset=utf-16>caf\xe9";
        for (content, mime_type, encoding) in [
            (page, "text/html", "koi8-r"),
            (page, "text/plain", "windows-1252"),
            (xml, "image/svg+xml", "iso-8859-2"),
            (wrong, "text/html", "windows-1252"),
            (impossible, "text/html", "windows-1252"),
        ] {
            let found = text(content, mime_type).map(|(encoding, _)| encoding);
            assert_eq!(found.as_deref(), Some(encoding), "{content:?}");
        }
    }

    #[test]
    fn what_would_lose_something_is_no_text() {
        for content in [
            b"caf\xe9\0".as_slice(),
            b"\x01\x02caf\xe9",
            b"caf\xe9\x7f",
            // Undefined in Windows-1252.
            b"caf\xe9 \x81",
            // UTF-8 with an error.
            "Grüße aus München, \u{fffd}"
                .as_bytes()
                .strip_suffix(b"\xbd")
                .unwrap(),
        ] {
            assert_eq!(text(content, "text/plain"), None, "{content:?}");
        }
    }

    #[test]
    fn utf_16_has_a_mark() {
        let text = |content| utf_16(content).map(|decoded| (decoded.encoding(), decoded.text));
        let found = |encoding: &str| Some((encoding.to_owned(), "hü".to_owned()));
        assert_eq!(text(b"\xff\xfeh\0\xfc\0"), found("utf-16le"));
        assert_eq!(text(b"\xfe\xff\0h\0\xfc"), found("utf-16be"));
        for content in [
            b"\xef\xbb\xbfh".as_slice(),
            b"h\0",
            b"\xff\xfeh",
            b"\xff\xfe\0\xd8",
        ] {
            assert_eq!(text(content), None, "{content:?}");
        }
    }

    proptest! {
        #[test]
        fn text_becomes_the_bytes_that_it_was(content: Vec<u8>, page: bool) {
            let mime_type = if page { "text/html" } else { "text/plain" };
            if let Some(decoded) = legacy(&content, mime_type) {
                prop_assert_eq!(&*decoded.encoding.encode(&decoded.text).0, &*content);
            }
        }
    }
}
