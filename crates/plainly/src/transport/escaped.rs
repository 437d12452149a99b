//! The peer's text where people read it: in logs and error messages.

use std::fmt;

/// Text with its control characters written out, so that it can't move a terminal's cursor or fake a line of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if character.is_control() {
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
        let text = "é\u{1b}[2J\r\nfake\u{7f}\u{9b}1m \"quoted\"";
        assert_eq!(
            Escaped(text).to_string(),
            r#"é\u{1b}[2J\r\nfake\u{7f}\u{9b}1m "quoted""#
        );
    }
}
