//! Text of the peer, for display in logs and error messages.

use std::fmt;

use plainly_errors::visible::is_invisible;

/// Text with its invisible characters escaped, so that it can't move a terminal's cursor or imitate
/// a line of a log.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "it is the text and nothing else")]
pub struct EscapedText<'a>(pub &'a str);

impl fmt::Display for EscapedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if is_invisible(character) {
                write!(f, "{}", character.escape_default())?;
            } else {
                fmt::Write::write_char(f, character)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_a_terminal_raw() {
        let text = "é\u{1b}[2J\r\nfake\u{7f}\u{9b}1m \"quoted\"\u{202e}";
        assert_eq!(
            EscapedText(text).to_string(),
            r#"é\u{1b}[2J\r\nfake\u{7f}\u{9b}1m "quoted"\u{202e}"#
        );
    }
}
