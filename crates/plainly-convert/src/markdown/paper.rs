//! Writes Markdown: lines with their prefixes, and marks around words.

use std::fmt::{self, Write};

use super::containers::Containers;
use super::words::{Context, destination, fence, write_word};
use crate::Draft;

/// The space between the previous text and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Break {
    None,
    Line,
    Paragraph,
}

/// A mark around words, open at most once.
struct Mark {
    kind: Kind,
    /// Whether the beginning of the mark is written. It is written before the first marked word.
    is_open: bool,
}

#[derive(PartialEq)]
enum Kind {
    Bold,
    Italic,
    Link(String),
}

/// The Markdown written so far, and its open parts.
pub(crate) struct Paper<'a, 'd> {
    draft: &'a mut Draft<'d>,
    containers: Containers,
    marks: Vec<Mark>,
    is_empty: bool,
    /// The break before the next word.
    gap: Break,
    has_space: bool,
    /// Whether the line only has its prefix so far.
    at_start: bool,
    /// The level of the heading that starts with the next word.
    heading: usize,
    in_cell: bool,
}

impl<'a, 'd> Paper<'a, 'd> {
    pub(crate) fn new(draft: &'a mut Draft<'d>) -> Self {
        Self {
            draft,
            containers: Containers::new(),
            marks: Vec::new(),
            is_empty: true,
            gap: Break::None,
            has_space: false,
            at_start: true,
            heading: 0,
            in_cell: false,
        }
    }

    pub(crate) fn check(&mut self) -> fmt::Result {
        self.draft.check()
    }

    /// Writes words, with any white space between them.
    pub(crate) fn text(&mut self, text: &str) -> fmt::Result {
        self.has_space |= text.starts_with(is_space);
        let mut words = text.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            self.begin()?;
            let place = Context {
                begins_line: self.at_start,
                in_link: self.marks.iter().any(|mark| is_link(&mark.kind)),
                in_cell: self.in_cell,
            };
            write_word(word, place, self.draft)?;
            self.at_start = false;
            self.has_space = words.peek().is_some() || text.ends_with(is_space);
        }
        Ok(())
    }

    pub(crate) fn bold(&mut self, on: bool) -> fmt::Result {
        self.switch(Kind::Bold, on)
    }

    pub(crate) fn italic(&mut self, on: bool) -> fmt::Result {
        self.switch(Kind::Italic, on)
    }

    pub(crate) fn open_link(&mut self, target: Option<String>) -> fmt::Result {
        self.close_link()?;
        match target.as_deref().and_then(destination) {
            Some(target) => self.switch(Kind::Link(target), true),
            None => Ok(()),
        }
    }

    pub(crate) fn close_link(&mut self) -> fmt::Result {
        self.close(is_link)
    }

    /// Writes Markdown without escaping it, within a line.
    pub(crate) fn verbatim(&mut self, markdown: &str) -> fmt::Result {
        self.begin()?;
        self.at_start = false;
        self.draft.write_str(markdown)
    }

    pub(crate) fn image(&mut self, alt: Option<String>, source: Option<String>) -> fmt::Result {
        let alt = alt.unwrap_or_default();
        let Some(source) = source.as_deref().and_then(destination) else {
            return self.text(&alt);
        };
        self.begin()?;
        self.draft.write_str("![")?;
        let place = Context {
            begins_line: false,
            in_link: true,
            in_cell: self.in_cell,
        };
        for (index, word) in alt.split_ascii_whitespace().enumerate() {
            self.draft.write_str(if index == 0 { "" } else { " " })?;
            write_word(word, place, self.draft)?;
        }
        self.at_start = false;
        write!(self.draft, "]({source})")
    }

    /// Writes code within a line.
    pub(crate) fn code(&mut self, code: &str) -> fmt::Result {
        // Words are added one by one, because a list of them would take many times their size.
        let mut line = String::new();
        for word in code.split_ascii_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if line.is_empty() {
            return Ok(());
        }
        if self.in_cell {
            line = line.replace('|', "\\|");
        }
        self.begin()?;
        let fence = fence(&line, 1);
        let touches = line.starts_with('`') || line.ends_with('`');
        let pad = if touches { " " } else { "" };
        self.at_start = false;
        write!(self.draft, "{fence}{pad}{line}{pad}{fence}")
    }

    /// Writes a code block.
    pub(crate) fn code_block(&mut self, code: &str) -> fmt::Result {
        if self.in_cell {
            return self.code(code);
        }
        let code = code.strip_prefix('\n').unwrap_or(code).trim_end();
        if code.is_empty() {
            return Ok(());
        }
        self.end_block(Break::Paragraph)?;
        self.begin_line()?;
        let (prefix, fence) = (self.containers.prefix(), fence(code, 3));
        self.draft.write_str(&fence)?;
        for line in code.lines() {
            let line = format!("{prefix}{line}");
            write!(self.draft, "\n{}", line.trim_end())?;
        }
        write!(self.draft, "\n{prefix}{fence}")?;
        self.end_block(Break::Paragraph)
    }

    pub(crate) fn heading(&mut self, level: usize) -> fmt::Result {
        self.end_block(Break::Paragraph)?;
        if !self.in_cell {
            self.heading = level;
        }
        Ok(())
    }

    pub(crate) fn rule(&mut self) -> fmt::Result {
        self.end_block(Break::Paragraph)?;
        if !self.in_cell {
            self.begin_line()?;
            self.draft.write_str("---")?;
        }
        self.end_block(Break::Paragraph)
    }

    /// Writes a part of a table's structure, which ends all marks.
    pub(crate) fn mark(&mut self, mark: &str) -> fmt::Result {
        self.suspend(0)?;
        self.marks.clear();
        self.has_space = false;
        self.begin_line()?;
        self.draft.write_str(mark)?;
        self.at_start = true;
        Ok(())
    }

    /// Sets whether the text is in a table cell, where blocks can't start a line.
    pub(crate) fn in_cell(&mut self, in_cell: bool) {
        self.in_cell = in_cell;
    }

    pub(crate) fn open_quote(&mut self) -> fmt::Result {
        self.end_block(Break::Paragraph)?;
        self.containers.open_quote();
        Ok(())
    }

    pub(crate) fn close_quote(&mut self) -> fmt::Result {
        self.containers.close_quote();
        self.end_block(Break::Paragraph)
    }

    /// Opens a list. An ordered list has the number of its first item.
    pub(crate) fn open_list(&mut self, number: Option<u32>) -> fmt::Result {
        self.end_block(self.around_list())?;
        self.containers.open_list(number);
        Ok(())
    }

    pub(crate) fn close_list(&mut self) -> fmt::Result {
        self.containers.close_list();
        self.end_block(self.around_list())
    }

    pub(crate) fn open_item(&mut self) -> fmt::Result {
        self.close_item()?;
        self.containers.open_item();
        Ok(())
    }

    /// Opens the text of a footnote, which is formatted like an item.
    pub(crate) fn open_note(&mut self, number: usize) -> fmt::Result {
        self.end_block(Break::Paragraph)?;
        self.containers.open_note(number);
        Ok(())
    }

    pub(crate) fn close_item(&mut self) -> fmt::Result {
        self.containers.close_item();
        self.end_block(Break::Line)
    }

    /// Ends a block, with a break before the next text.
    pub(crate) fn end_block(&mut self, gap: Break) -> fmt::Result {
        if self.in_cell {
            self.has_space = true;
            return Ok(());
        }
        self.suspend(0)?;
        self.heading = 0;
        self.gap = self.gap.max(gap);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> fmt::Result {
        self.suspend(0)?;
        if self.is_empty {
            return Ok(());
        }
        self.draft.write_char('\n')
    }

    fn around_list(&self) -> Break {
        if self.containers.is_in_item() {
            Break::Line
        } else {
            Break::Paragraph
        }
    }

    fn switch(&mut self, kind: Kind, on: bool) -> fmt::Result {
        let is_on = self.marks.iter().any(|mark| mark.kind == kind);
        if on && !is_on {
            let is_open = false;
            self.marks.push(Mark { kind, is_open });
        } else if !on && is_on {
            self.close(|other| *other == kind)?;
        }
        Ok(())
    }

    /// Closes a mark. Marks inside it are suspended, and continue after it.
    fn close(&mut self, is_meant: impl Fn(&Kind) -> bool) -> fmt::Result {
        let Some(at) = self.marks.iter().position(|mark| is_meant(&mark.kind)) else {
            return Ok(());
        };
        self.suspend(at)?;
        self.marks.remove(at);
        Ok(())
    }

    /// Writes the ends of marks, from the innermost to the one at `from`. The next word opens them
    /// again.
    fn suspend(&mut self, from: usize) -> fmt::Result {
        let marks = self.marks.iter_mut().skip(from).rev();
        for mark in marks.filter(|mark| mark.is_open) {
            mark.is_open = false;
            match &mark.kind {
                Kind::Bold => self.draft.write_str("**")?,
                Kind::Italic => self.draft.write_str("*")?,
                Kind::Link(target) => write!(self.draft, "]({target})")?,
            }
        }
        Ok(())
    }

    /// Writes the break, spaces and marks before a word.
    fn begin(&mut self) -> fmt::Result {
        self.begin_line()?;
        if self.has_space && !self.at_start {
            self.draft.write_char(' ')?;
        }
        self.has_space = false;
        for mark in self.marks.iter_mut().filter(|mark| !mark.is_open) {
            mark.is_open = true;
            self.at_start = false;
            self.draft.write_str(match mark.kind {
                Kind::Bold => "**",
                Kind::Italic => "*",
                Kind::Link(_) => "[",
            })?;
        }
        Ok(())
    }

    /// Writes the break, and the prefix of the line after it.
    fn begin_line(&mut self) -> fmt::Result {
        if self.gap == Break::None && !self.is_empty {
            return Ok(());
        }
        if !self.is_empty {
            self.draft.write_char('\n')?;
        }
        if !self.is_empty && self.gap == Break::Paragraph {
            writeln!(self.draft, "{}", self.containers.between().trim_end())?;
        }
        self.draft.write_str(&self.containers.begin())?;
        if self.heading > 0 {
            write!(self.draft, "{} ", "#".repeat(self.heading))?;
        }
        self.heading = 0;
        self.gap = Break::None;
        self.is_empty = false;
        self.has_space = false;
        self.at_start = true;
        Ok(())
    }
}

fn is_link(kind: &Kind) -> bool {
    matches!(kind, Kind::Link(_))
}

fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace()
}
