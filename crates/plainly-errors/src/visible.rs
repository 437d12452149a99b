//! Makes untrusted text safe for display on a terminal or in a log, so that it can neither contain
//! terminal commands nor imitate other text.

use std::borrow::Cow;

/// The text in one line, with escapes for all control characters and for characters that change how
/// others are displayed.
///
/// ```
/// use plainly_errors::visible::visible;
///
/// assert_eq!(visible("é 世界"), "é 世界");
/// assert_eq!(visible("a\u{1b}[2J\n"), r"a\u{1b}[2J\n");
/// assert_eq!(visible("evil\u{202e}txt.exe"), r"evil\u{202e}txt.exe");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return text.into();
    }
    let mut shown = String::with_capacity(2 * text.len());
    for character in text.chars() {
        match is_invisible(character) {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown.into()
}

/// Whether a character displays nothing itself: a control character, or one that changes how others
/// are displayed. Combining marks, spaces and characters of another direction count as text.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    character.is_control() || is_format(character)
}

/// Whether the character changes the order or the appearance of others, or ends the line: the
/// general categories Cf, Zl and Zp of Unicode 17. Such characters can make one name look like
/// another.
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
            ("e\u{301} 一\u{3000}二 שלום", "e\u{301} 一\u{3000}二 שלום"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
    }
}
