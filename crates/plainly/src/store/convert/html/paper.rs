//! Markdown as it is written: lines with what stands before each of them, and marks around words. All that it keeps is
//! bounded, however deep a page is nested. Knows nothing of HTML.

use std::fmt::{self, Write};

use super::super::Draft;

/// The most quotations, lists and items within each other that are told apart. Twenty levels are hard to read already.
const DEPTH: usize = 32;

/// What comes between what was written and what will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Break {
    None,
    Line,
    Paragraph,
}

/// What lines stand in.
enum Container {
    Quote,
    /// With the number of the next item, if they have numbers.
    List(Option<u32>),
    /// With its marker, until it is written, and the width of that.
    Item(Option<String>, usize),
}

/// What words stand in, each at most once.
struct Mark {
    kind: Kind,
    /// Whether its beginning was written. It is where there is something to mark.
    is_open: bool,
}

#[derive(PartialEq)]
enum Kind {
    Bold,
    Italic,
    Link(String),
}

/// Where Markdown is written to.
pub(super) struct Paper<'a, 'd> {
    draft: &'a mut Draft<'d>,
    is_empty: bool,
    gap: Break,
    has_space: bool,
    at_start: bool,
    heading: usize,
    in_cell: bool,
    containers: Vec<Container>,
    marks: Vec<Mark>,
}

impl<'a, 'd> Paper<'a, 'd> {
    pub(super) fn new(draft: &'a mut Draft<'d>) -> Self {
        Self {
            draft,
            is_empty: true,
            gap: Break::None,
            has_space: false,
            at_start: true,
            heading: 0,
            in_cell: false,
            containers: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Words, whatever white space is between them.
    pub(super) fn text(&mut self, text: &str) -> fmt::Result {
        let is_space = |letter: char| letter.is_ascii_whitespace();
        self.has_space |= text.starts_with(is_space);
        let mut words = text.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            self.begin()?;
            self.word(word)?;
            self.has_space = words.peek().is_some() || text.ends_with(is_space);
        }
        Ok(())
    }

    pub(super) fn bold(&mut self, on: bool) -> fmt::Result {
        self.switch(Kind::Bold, on)
    }

    pub(super) fn italic(&mut self, on: bool) -> fmt::Result {
        self.switch(Kind::Italic, on)
    }

    pub(super) fn open_link(&mut self, target: Option<String>) -> fmt::Result {
        self.close_link()?;
        match target.as_deref().and_then(destination) {
            Some(target) => self.switch(Kind::Link(target), true),
            None => Ok(()),
        }
    }

    pub(super) fn close_link(&mut self) -> fmt::Result {
        self.close(|kind| matches!(kind, Kind::Link(_)))
    }

    pub(super) fn image(&mut self, alt: Option<String>, source: Option<String>) -> fmt::Result {
        let alt = alt.unwrap_or_default();
        let Some(source) = source.as_deref().and_then(destination) else {
            return self.text(&alt);
        };
        self.begin()?;
        self.draft.write_str("![")?;
        for (index, word) in alt.split_ascii_whitespace().enumerate() {
            self.draft.write_str(if index == 0 { "" } else { " " })?;
            self.word(word)?;
        }
        write!(self.draft, "]({source})")
    }

    /// Code within a line.
    pub(super) fn code(&mut self, code: &str) -> fmt::Result {
        let words: Vec<&str> = code.split_ascii_whitespace().collect();
        if words.is_empty() {
            return Ok(());
        }
        let mut line = words.join(" ");
        if self.in_cell {
            line = line.replace('|', "\\|");
        }
        self.begin()?;
        let fence = "`".repeat(longest_run(&line) + 1);
        let pad = if line.starts_with('`') || line.ends_with('`') {
            " "
        } else {
            ""
        };
        write!(self.draft, "{fence}{pad}{line}{pad}{fence}")
    }

    /// Code on lines of its own.
    pub(super) fn code_block(&mut self, code: &str) -> fmt::Result {
        if self.in_cell {
            return self.code(code);
        }
        let code = code.strip_prefix('\n').unwrap_or(code).trim_end();
        if code.is_empty() {
            return Ok(());
        }
        self.end_block(Break::Paragraph)?;
        self.begin_line()?;
        let prefix = self.prefix();
        let fence = "`".repeat((longest_run(code) + 1).max(3));
        self.draft.write_str(&fence)?;
        for line in code.lines() {
            let line = format!("{prefix}{line}");
            write!(self.draft, "\n{}", line.trim_end())?;
        }
        write!(self.draft, "\n{prefix}{fence}")?;
        self.end_block(Break::Paragraph)
    }

    pub(super) fn heading(&mut self, level: usize) -> fmt::Result {
        self.end_block(Break::Paragraph)?;
        if !self.in_cell {
            self.heading = level;
        }
        Ok(())
    }

    pub(super) fn rule(&mut self) -> fmt::Result {
        self.end_block(Break::Paragraph)?;
        if !self.in_cell {
            self.begin_line()?;
            self.draft.write_str("---")?;
        }
        self.end_block(Break::Paragraph)
    }

    /// What belongs to the structure of a table.
    pub(super) fn mark(&mut self, mark: &str) -> fmt::Result {
        self.suspend_marks()?;
        self.has_space = false;
        self.begin_line()?;
        self.draft.write_str(mark)
    }

    /// Within a cell nothing begins a line.
    pub(super) fn in_cell(&mut self, in_cell: bool) {
        self.in_cell = in_cell;
    }

    pub(super) fn open_quote(&mut self) -> fmt::Result {
        self.end_block(Break::Paragraph)?;
        self.push(Container::Quote);
        Ok(())
    }

    pub(super) fn close_quote(&mut self) -> fmt::Result {
        self.leave(|container| matches!(container, Container::Quote));
        self.end_block(Break::Paragraph)
    }

    /// A list, and the number of its first item if they have numbers.
    pub(super) fn open_list(&mut self, number: Option<u32>) -> fmt::Result {
        self.end_block(self.around_list())?;
        self.push(Container::List(number));
        Ok(())
    }

    pub(super) fn close_list(&mut self) -> fmt::Result {
        self.leave(|container| matches!(container, Container::List(_)));
        self.end_block(self.around_list())
    }

    pub(super) fn open_item(&mut self) -> fmt::Result {
        self.close_item()?;
        let marker = match self.containers.last_mut() {
            Some(Container::List(Some(number))) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            Some(_) | None => "- ".to_owned(),
        };
        let width = marker.len();
        self.push(Container::Item(Some(marker), width));
        Ok(())
    }

    /// Ends the item of the innermost list, or any where there is no list.
    pub(super) fn close_item(&mut self) -> fmt::Result {
        let innermost = self
            .containers
            .iter()
            .rev()
            .find_map(|container| match container {
                Container::List(_) => Some(false),
                Container::Item(..) => Some(true),
                Container::Quote => None,
            });
        if innermost == Some(true) {
            self.leave(|container| matches!(container, Container::Item(..)));
        }
        self.end_block(Break::Line)
    }

    /// Lets what follows stand apart.
    pub(super) fn end_block(&mut self, gap: Break) -> fmt::Result {
        if self.in_cell {
            self.has_space = true;
            return Ok(());
        }
        self.suspend_marks()?;
        self.heading = 0;
        self.gap = self.gap.max(gap);
        Ok(())
    }

    pub(super) fn finish(mut self) -> fmt::Result {
        self.suspend_marks()?;
        if self.is_empty {
            Ok(())
        } else {
            self.draft.write_char('\n')
        }
    }

    /// A list within an item continues it.
    fn around_list(&self) -> Break {
        match self.containers.last() {
            Some(Container::Item(..)) => Break::Line,
            Some(Container::Quote | Container::List(_)) | None => Break::Paragraph,
        }
    }

    fn push(&mut self, container: Container) {
        // What is deeper stands where its surroundings do.
        if self.containers.len() < DEPTH {
            self.containers.push(container);
        }
    }

    /// Leaves the innermost container of a kind, and what is in it.
    fn leave(&mut self, is_meant: impl Fn(&Container) -> bool) {
        if let Some(at) = self.containers.iter().rposition(is_meant) {
            self.containers.truncate(at);
        }
    }

    fn switch(&mut self, kind: Kind, on: bool) -> fmt::Result {
        let is_on = self.marks.iter().any(|mark| mark.kind == kind);
        if on && !is_on {
            self.marks.push(Mark {
                kind,
                is_open: false,
            });
        } else if !on && is_on {
            self.close(|other| *other == kind)?;
        }
        Ok(())
    }

    /// Ends a mark. Those within it end too, and go on after it.
    fn close(&mut self, is_meant: impl Fn(&Kind) -> bool) -> fmt::Result {
        let Some(at) = self.marks.iter().position(|mark| is_meant(&mark.kind)) else {
            return Ok(());
        };
        self.suspend(at)?;
        self.marks.remove(at);
        Ok(())
    }

    fn suspend_marks(&mut self) -> fmt::Result {
        self.suspend(0)
    }

    /// Writes the ends of marks, from the innermost to that at `from`.
    fn suspend(&mut self, from: usize) -> fmt::Result {
        for mark in self
            .marks
            .iter_mut()
            .skip(from)
            .rev()
            .filter(|mark| mark.is_open)
        {
            mark.is_open = false;
            match &mark.kind {
                Kind::Bold => self.draft.write_str("**")?,
                Kind::Italic => self.draft.write_str("*")?,
                Kind::Link(target) => write!(self.draft, "]({target})")?,
            }
        }
        Ok(())
    }

    /// Writes what comes before a word.
    fn begin(&mut self) -> fmt::Result {
        self.begin_line()?;
        if self.has_space && !self.at_start {
            self.draft.write_char(' ')?;
        }
        self.has_space = false;
        for mark in self.marks.iter_mut().filter(|mark| !mark.is_open) {
            mark.is_open = true;
            self.draft.write_str(match mark.kind {
                Kind::Bold => "**",
                Kind::Italic => "*",
                Kind::Link(_) => "[",
            })?;
            self.at_start = false;
        }
        Ok(())
    }

    /// Writes the gap, and what stands before a line.
    fn begin_line(&mut self) -> fmt::Result {
        if self.gap == Break::None && !self.is_empty {
            return Ok(());
        }
        if !self.is_empty {
            self.draft.write_char('\n')?;
            if self.gap == Break::Paragraph {
                let is_written =
                    |container: &&Container| !matches!(container, Container::Item(Some(_), _));
                let prefix: String = self
                    .containers
                    .iter()
                    .take_while(is_written)
                    .map(before)
                    .collect();
                writeln!(self.draft, "{}", prefix.trim_end())?;
            }
        }
        for container in &mut self.containers {
            self.draft.write_str(&before(container))?;
            if let Container::Item(marker, _) = container {
                *marker = None;
            }
        }
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

    /// What stands before a line that continues.
    fn prefix(&self) -> String {
        self.containers.iter().map(before).collect()
    }

    /// Writes a word so that it is nothing but that.
    fn word(&mut self, word: &str) -> fmt::Result {
        if self.at_start && begins_block(word) {
            self.draft.write_char('\\')?;
        }
        self.at_start = false;
        let last = word.len() - 1;
        for (at, letter) in word.char_indices() {
            let is_special = match letter {
                '\\' | '`' | '*' | '[' | ']' | '<' => true,
                '_' => at == 0 || at == last,
                '|' => self.in_cell,
                _ => false,
            };
            if is_special {
                self.draft.write_char('\\')?;
            }
            self.draft.write_char(letter)?;
        }
        Ok(())
    }
}

/// What a container sets before a line.
fn before(container: &Container) -> String {
    match container {
        Container::Quote => "> ".to_owned(),
        Container::List(_) => String::new(),
        Container::Item(Some(marker), _) => marker.clone(),
        Container::Item(None, width) => " ".repeat(*width),
    }
}

/// Whether a word at the beginning of a line would make something else of it.
fn begins_block(word: &str) -> bool {
    let is_all = |letters: &str| word.chars().all(|letter| letters.contains(letter));
    word.starts_with('>') || is_all("#") || is_all("-") || is_all("+") || is_all("=")
}

fn longest_run(code: &str) -> usize {
    code.split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

/// Where a link leads: nowhere if it stays on the page, runs a script or holds what it leads to.
fn destination(target: &str) -> Option<String> {
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
