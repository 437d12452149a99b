//! Decodes text that is not UTF-8.

#[cfg(any(feature = "csv", feature = "html"))]
use std::borrow::Cow;

#[cfg(any(feature = "csv", feature = "html"))]
use encoding_rs::{Encoding, WINDOWS_1252};

/// The number of bytes of a page that are searched for the name of its encoding.
const HEAD: usize = 1024;

/// The name of the encoding that an HTML or XML page declares in its first bytes.
#[must_use]
pub fn declared_encoding(content: &[u8]) -> Option<&[u8]> {
    let head = content.get(..HEAD).unwrap_or(content);
    let after = |key: &[u8]| {
        let at = head
            .windows(key.len())
            .position(|found| found.eq_ignore_ascii_case(key))?;
        head.get(at + key.len()..)
    };
    let name = match head.starts_with(b"<?xml") {
        true => after(b"encoding=").or_else(|| after(b"charset="))?,
        false => after(b"charset=")?,
    };
    let name = name
        .strip_prefix(b"\"")
        .or(name.strip_prefix(b"'"))
        .unwrap_or(name);
    name.split(|byte| b"\"'>;/ ".contains(byte)).next()
}

/// Decodes a file: in the encoding of its byte order mark, in UTF-8 if it is valid, in the encoding
/// called `name`, or in Windows-1252. Bytes that can't be decoded are replaced.
#[cfg(any(feature = "csv", feature = "html"))]
pub(crate) fn decode<'a>(content: &'a [u8], name: Option<&[u8]>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return encoding.decode_without_bom_handling(&content[mark..]).0;
    }
    if let Ok(text) = str::from_utf8(content) {
        return text.into();
    }
    let encoding = name.and_then(Encoding::for_label).unwrap_or(WINDOWS_1252);
    encoding.decode_without_bom_handling(content).0
}
