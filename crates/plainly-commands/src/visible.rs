//! Makes other parties' text safe for display: it can neither control the terminal nor look like
//! another text.

use plainly::errors::visible::is_invisible;

/// The text in one line, with escapes for control characters and for characters that change how
/// others are shown.
pub(crate) fn visible(text: &str) -> String {
    plainly::errors::visible::visible(text).into_owned()
}

/// The JSON, with escapes for all characters that [`visible`] escapes. JSON itself only requires
/// some of them.
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

/// Whether a character is deceptive anywhere in a text: it changes the direction of others, or is
/// invisible where a space or a sign is expected. Joiners are not, because they are a part of words
/// in some languages.
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
