//! Text from others, made safe for display: it can neither be a command to the terminal nor look
//! like something else.

use plainly::errors::visible::is_invisible;

/// The text in one line, its control characters and what changes how others are shown written out.
pub(crate) fn visible(text: &str) -> String {
    plainly::errors::visible::visible(text).into_owned()
}

/// This JSON, with escapes for the characters that [`visible`] writes out: JSON itself has them
/// for some only.
pub(crate) fn visible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if is_invisible(character) {
            let units = character.encode_utf16(&mut [0; 2]).to_vec();
            shown.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character deceives wherever it stands in a text: it turns others around, or shows nothing where a blank or a sign
/// is expected. Joiners are a part of words in some languages.
pub(crate) fn deceives(character: char) -> bool {
    matches!(
        character,
        '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}
