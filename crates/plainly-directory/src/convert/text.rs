//! Bytes of a text in an encoding that nobody told. Knows nothing of what the text is written in.

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};

/// The text: in the encoding that its byte order mark says, in UTF-8 if it is that, else in the encoding of that name or what
/// Windows used in the west. What can't be decoded is replaced.
pub(super) fn decode<'a>(content: &'a [u8], name: Option<&[u8]>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return encoding.decode_without_bom_handling(&content[mark..]).0;
    }
    if let Ok(text) = str::from_utf8(content) {
        return text.into();
    }
    let encoding = name.and_then(Encoding::for_label).unwrap_or(WINDOWS_1252);
    encoding.decode_without_bom_handling(content).0
}
