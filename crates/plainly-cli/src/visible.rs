//! What others say, where people read it. It can neither be a command to the terminal nor look like something else.

/// The text in one line, its control characters written out.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut shown, character| {
            if character.is_control() {
                shown.extend(character.escape_default());
            } else {
                shown.push(character);
            }
            shown
        })
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn control_characters_are_written_out() {
        let cases = [
            ("plain é 世界 \"quoted\" \\", "plain é 世界 \"quoted\" \\"),
            ("a\tb\nc\r", r"a\tb\nc\r"),
            (
                "\u{1b}[2J\u{7}\u{7f}\u{9b}1m",
                r"\u{1b}[2J\u{7}\u{7f}\u{9b}1m",
            ),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
    }
}
