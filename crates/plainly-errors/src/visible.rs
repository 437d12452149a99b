//! Text from others, made safe for display, on a terminal or in a log: it can neither be a command
//! to the terminal nor look like something else.

use std::borrow::Cow;

/// The text in one line, with every control character written out, and every one that changes how others are shown.
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

/// Whether a character shows nothing by itself: a control character, or one that changes how others are shown. A combining
/// mark, a blank, and a character of another direction are text.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    character.is_control() || is_format(character)
}

/// Whether it changes the order or the look of others, or ends the line: the general categories Cf, Zl and Zp of Unicode 17.
/// With them a name can look like another one.
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
