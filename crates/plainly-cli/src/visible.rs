//! Text from others, made safe to show to people: it can neither be a command to the terminal nor look like something else.

/// The text in one line, its control characters and what changes how others are shown written out.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut shown, character| {
            if character.is_control() || is_format(character) {
                shown.extend(character.escape_default());
            } else {
                shown.push(character);
            }
            shown
        })
}

/// The same JSON, with escapes for what [`visible`] writes out: JSON itself has them for some of it only.
pub(crate) fn visible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_control() || is_format(character) {
            let units = character.encode_utf16(&mut [0; 2]).to_vec();
            shown.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character turns others around, wherever it stands in their line.
pub(crate) fn turns(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character shows nothing and changes the order or the look of others, or ends the line: the general categories Cf,
/// Zl and Zp of Unicode 17. With them a name can look like another one.
fn is_format(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_changes_how_a_text_looks_is_written_out() {
        let cases = [
            ("plain é 世界 \"quoted\" \\", "plain é 世界 \"quoted\" \\"),
            ("a\tb\nc\r", r"a\tb\nc\r"),
            (
                "\u{1b}[2J\u{7}\u{7f}\u{9b}1m",
                r"\u{1b}[2J\u{7}\u{7f}\u{9b}1m",
            ),
            ("evil\u{202e}txt.exe", r"evil\u{202e}txt.exe"),
            (
                "a\u{200b}b\u{2066}c\u{2069}",
                r"a\u{200b}b\u{2066}c\u{2069}",
            ),
            (
                "a\u{2028}b\u{feff}\u{e0041}",
                r"a\u{2028}b\u{feff}\u{e0041}",
            ),
            // A combining mark, a blank, and a character of the other direction are text.
            ("e\u{301} 一\u{3000}二 שלום", "e\u{301} 一\u{3000}二 שלום"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
    }
}
