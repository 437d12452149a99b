//! Words and addresses as Markdown: with a backslash wherever it would take a letter for more than that, and nowhere else,
//! since they are to be read. Knows nothing of the line around them.

use std::fmt::{self, Write};

/// The surroundings of a word.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// At the beginning of a line.
    pub(super) begins_line: bool,
    /// In the text of a link.
    pub(super) in_link: bool,
    /// In a cell of a table.
    pub(super) in_cell: bool,
}

/// Writes a word so that it is nothing but that.
pub(super) fn write_word(word: &str, place: Context, to: &mut impl Write) -> fmt::Result {
    if place.begins_line && begins_block(word) {
        to.write_char('\\')?;
    }
    // Else brackets are only that.
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

/// Writes words on one line.
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

/// Whether a word at the beginning of a line would make something else of it.
fn begins_block(word: &str) -> bool {
    let is_all = |letters: &str| word.chars().all(|letter| letters.contains(letter));
    word.starts_with('>') || is_all("#") || is_all("-") || is_all("+") || is_all("=")
}

/// The fence around code: backticks, at least `least`, that don't stand in it.
pub(crate) fn fence(code: &str, least: usize) -> String {
    let runs = code.split(|letter| letter != '`').map(str::len);
    "`".repeat(runs.max().map_or(0, |longest| longest + 1).max(least))
}

/// The target of a link: none if it stays on the page, runs a script or holds what it leads to.
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
