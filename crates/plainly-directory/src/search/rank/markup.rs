//! Headings and text, line by line: in Markdown, in HTML, and in texts with underlined headings.

use super::html;
use super::terms::Terms;
use super::text::{RankedText, TextDraft};

/// The syntax of a text's headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) enum Syntax {
    Markdown,
    Html,
    Plain,
}

impl Syntax {
    pub(in crate::search) fn of(mime_type: Option<&str>) -> Self {
        match mime_type {
            Some("text/markdown" | "text/x-markdown") => Self::Markdown,
            Some("text/html" | "application/xhtml+xml") => Self::Html,
            Some(_) | None => Self::Plain,
        }
    }
}

/// Prepares the text at a path for ranking.
pub(in crate::search) fn ranked_text(
    path: &str,
    text: &str,
    syntax: Syntax,
    terms: &mut Terms,
) -> RankedText {
    let mut draft = TextDraft::new(path, terms);
    let end = match syntax {
        Syntax::Html => html::read(text, &mut draft),
        Syntax::Markdown | Syntax::Plain => lines(text, syntax, &mut draft),
    };
    draft.finish(end)
}

/// Adds the lines to the draft. Returns the number of lines.
fn lines(text: &str, syntax: Syntax, draft: &mut TextDraft<'_>) -> u32 {
    let mut number = 0;
    let mut fence = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let below = lines.peek().copied().unwrap_or_default();
        let is_markdown = syntax == Syntax::Markdown;
        let is_code = is_markdown && in_code(line, &mut fence);
        let heading = match is_code {
            true => None,
            false => underlined(line, below).or_else(|| numbered(line).filter(|_| is_markdown)),
        };
        match heading {
            Some((level, text)) => draft.heading(number, level, text),
            None => draft.text(number, line),
        }
        number += 1;
    }
    number
}

/// Whether the line belongs to a code block, which `fence` opened.
fn in_code<'a>(line: &'a str, fence: &mut Option<&'a str>) -> bool {
    let start = line.trim_start();
    let marks = start.trim_start_matches(['`', '~']);
    let mark = start.get(..start.len() - marks.len()).unwrap_or_default();
    match *fence {
        None if mark.len() >= 3 => *fence = Some(mark),
        Some(open) if mark.starts_with(open) && marks.trim().is_empty() => *fence = None,
        None => return false,
        Some(_) => {}
    }
    true
}

/// A heading that starts with as many `#` as its level.
fn numbered(line: &str) -> Option<(u8, &str)> {
    let text = line.trim_start_matches('#');
    let level = u8::try_from(line.len() - text.len()).ok()?;
    let is_heading = (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']));
    is_heading.then(|| (level, text.trim().trim_end_matches('#')))
}

/// A heading above a line of `=` or `-`.
fn underlined<'a>(line: &'a str, below: &str) -> Option<(u8, &'a str)> {
    let below = below.trim_end();
    let level = match below.as_bytes() {
        [b'=', b'=', b'=', ..] => 1,
        [b'-', b'-', b'-', ..] => 2,
        _ => return None,
    };
    let first = below.get(..1).unwrap_or_default();
    let is_line = below.trim_start_matches(first).is_empty();
    let is_text = line.starts_with(char::is_alphanumeric) && !line.contains('|');
    (is_line && is_text).then_some((level, line.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of each section, and of the headings above it.
    fn sections(text: &str, syntax: Syntax) -> Vec<(u32, u32, Vec<u32>)> {
        let text = ranked_text("a", text, syntax, &mut Terms::new());
        (0..)
            .map_while(|index| text.section(index))
            .map(|section| (section.first, section.end, text.above(section)))
            .collect()
    }

    #[test]
    fn a_section_ends_at_the_next_heading() {
        let text =
            "before\n# A\n1\n## B\n```sh\n# no heading\n```\n### C\n## D ##\nE\n=\nF\n===\nend\n";
        assert_eq!(
            sections(text, Syntax::Markdown),
            [
                (0, 1, vec![]),
                (1, 3, vec![]),
                (3, 7, vec![1]),
                (7, 8, vec![1, 3]),
                (8, 11, vec![1]),
                (11, 14, vec![]),
            ]
        );
        assert_eq!(
            sections("# a\nTitle\n---\nb", Syntax::Plain),
            [(0, 1, vec![]), (1, 4, vec![])]
        );
        assert_eq!(sections("", Syntax::Plain), []);
        let html = "<title>T</title>\n<p>a\n<h1 id='x'>A <b>b</b></h1><p>x\n<script>\n<h2>no</h2></script>\n<h2>C</h2>\n<!-- <h1>no</h1> -->";
        assert_eq!(
            sections(html, Syntax::Html),
            [(0, 2, vec![]), (2, 5, vec![]), (5, 7, vec![2])]
        );
        let beside = "<h1>A</h1><h2>B</h2>\n<p>a <h2>C</h2>\n";
        assert_eq!(
            sections(beside, Syntax::Html),
            [(0, 1, vec![]), (1, 2, vec![0])]
        );
    }

    #[test]
    fn a_long_heading_above_many_sections_takes_little_memory() {
        let words: String = (0..20_000).map(|word| format!(" {word:x}")).collect();
        let text = format!("#{words}\n{}", "## a\nb\n".repeat(1_000));
        let text = ranked_text("a", &text, Syntax::Markdown, &mut Terms::new());
        assert!(text.section(1_000).is_some());
        assert!(text.bytes() < 4 << 20, "{}", text.bytes());
    }

    #[test]
    fn a_long_section_is_cut_where_a_paragraph_ends() {
        let text = format!("# A\n{}\nend", "a b\n\n".repeat(50));
        let cut = sections(&text, Syntax::Markdown);
        assert_eq!(cut.first(), Some(&(0, 61, vec![])));
        assert_eq!(cut.last(), Some(&(61, 103, vec![0])));
        assert_eq!(
            sections(&"a\n".repeat(250), Syntax::Plain),
            [(0, 120, vec![]), (120, 240, vec![]), (240, 250, vec![])]
        );
    }
}
