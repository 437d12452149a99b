//! Writes words and addresses as Markdown. Only escapes characters that would have a special
//! meaning, because the text should stay readable. Independent of the line around them.

use std::fmt::{self, Write};

/// The context of a word.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// Whether the word is at the beginning of a line.
    pub(super) begins_line: bool,
    /// Whether the word is in the text of a link.
    pub(super) in_link: bool,
    /// Whether the word is in a table cell.
    pub(super) in_cell: bool,
}

/// Writes a word with characters escaped that would have a special meaning.
pub(super) fn write_word(word: &str, place: Context, to: &mut impl Write) -> fmt::Result {
    if place.begins_line && begins_block(word) {
        to.write_char('\\')?;
    }
    // Brackets have no special meaning elsewhere.
    let has_link = place.in_link || word.contains("](") || word.contains("]:");
    let mut letters = word.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let is_special = match letter {
            '`' | '*' => true,
            '\\' => next.is_some_and(|next| next.is_ascii_punctuation()),
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)),
            '[' | ']' => has_link,
            '_' => at == 0 || next.is_none(),
            '|' => place.in_cell,
            _ => false,
        };
        if is_special {
            to.write_char('\\')?;
        }
        to.write_char(letter)?;
    }
    Ok(())
}

/// Writes words on one line, escaped.
pub(crate) fn write_line(text: &str, to: &mut impl Write) -> fmt::Result {
    let place = Context {
        begins_line: false,
        in_link: false,
        in_cell: false,
    };
    for (index, word) in text.split_whitespace().enumerate() {
        to.write_str(if index == 0 { "" } else { " " })?;
        write_word(word, place, to)?;
    }
    Ok(())
}

/// Whether a word at the beginning of a line would start a block.
fn begins_block(word: &str) -> bool {
    let is_all = |letters: &str| word.chars().all(|letter| letters.contains(letter));
    word.starts_with('>') || is_all("#") || is_all("-") || is_all("+") || is_all("=")
}

/// The fence around code: more backticks than any run in the code, and at least `least`.
pub(crate) fn fence(code: &str, least: usize) -> String {
    let runs = code.split(|letter| letter != '`').map(str::len);
    "`".repeat(runs.max().map_or(0, |longest| longest + 1).max(least))
}

/// The target of a link; `None` if it stays on the page, runs a script or embeds its content.
pub(super) fn destination(target: &str) -> Option<String> {
    let target = target.trim();
    let is = |scheme: &str| {
        target
            .get(..scheme.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(scheme))
    };
    if target.is_empty() || target.starts_with('#') || is("javascript:") || is("data:") {
        return None;
    }
    let mut safe = String::with_capacity(target.len());
    for letter in target.chars() {
        match letter {
            ' ' => safe.push_str("%20"),
            '(' => safe.push_str("%28"),
            ')' => safe.push_str("%29"),
            '<' => safe.push_str("%3C"),
            '>' => safe.push_str("%3E"),
            '|' => safe.push_str("%7C"),
            letter if letter.is_control() => {}
            letter => safe.push(letter),
        }
    }
    Some(safe)
}
