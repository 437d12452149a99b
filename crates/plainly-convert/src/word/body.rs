//! Converts the text of a document and its notes to Markdown.

use std::collections::HashMap;
use std::fmt;

use quick_xml::events::BytesStart;

use super::super::{ConvertError, Draft};
use super::numbering::{LEVELS, Numbering};
use super::parts::Part;
use super::styles::{Styles, heading, is_on};
use crate::archive::Archive;
use crate::markdown::{Break, Paper, Rows};
use crate::xml::{Node, attribute};

/// The maximum number of columns that a cell spans.
const SPAN: usize = 64;

/// The number of elements read between two checks whether the text is still needed.
const LOOK: usize = 4096;

/// The properties of a paragraph.
#[derive(Default)]
struct Paragraph {
    style: Option<String>,
    list: Option<u32>,
    level: u32,
    /// The heading level that the paragraph sets itself.
    heading: Option<usize>,
    is_begun: bool,
}

/// The properties of a piece of text.
#[derive(Default)]
struct Run {
    style: Option<String>,
    bold: Option<bool>,
    italic: Option<bool>,
    is_hidden: bool,
}

/// The element whose properties are being read.
#[derive(PartialEq)]
enum Stated {
    Nothing,
    Paragraph,
    Run,
}

/// A text that is being read.
pub(super) struct Body<'a, 'd> {
    paper: Paper<'a, 'd>,
    styles: &'a Styles,
    numbering: &'a Numbering,
    paragraph: Paragraph,
    run: Run,
    stated: Stated,
    in_heading: bool,
    in_text: bool,
    /// The number of open elements, starting with the one that is left out.
    skipped: usize,
    /// The list and level of each open list.
    lists: Vec<(u32, u32)>,
    /// The number of the next item for each list and level.
    next: HashMap<(u32, u32), u32>,
    rows: Option<Rows>,
    /// The number of open tables. A nested table becomes text of its cell.
    tables: usize,
    /// The number of additional columns that the cell spans.
    span: usize,
    /// The number of each referenced note, by whether it is an endnote, and its identifier.
    notes: HashMap<(bool, String), usize>,
}

impl<'a, 'd> Body<'a, 'd> {
    pub(super) fn new(
        draft: &'a mut Draft<'d>,
        styles: &'a Styles,
        numbering: &'a Numbering,
    ) -> Self {
        Self {
            paper: Paper::new(draft),
            styles,
            numbering,
            paragraph: Paragraph::default(),
            run: Run::default(),
            stated: Stated::Nothing,
            in_heading: false,
            in_text: false,
            skipped: 0,
            lists: Vec::new(),
            next: HashMap::new(),
            rows: None,
            tables: 0,
            span: 0,
            notes: HashMap::new(),
        }
    }

    /// Reads a part of the document to its end.
    pub(super) fn read(
        &mut self,
        archive: &mut Archive<'_>,
        part: &Part,
    ) -> Result<(), ConvertError> {
        let Some(mut xml) = archive.xml(&part.name)? else {
            return Err("it has not all the files that it says it has".into());
        };
        let mut count = 0_usize;
        while let Some(node) = xml.next()? {
            count += 1;
            if count.is_multiple_of(LOOK) {
                self.paper.check()?;
            }
            match node {
                Node::Start(tag) if self.skipped == 0 => self.start(&tag, part)?,
                Node::Start(_) => self.skipped += 1,
                Node::End(_) if self.skipped > 0 => self.skipped -= 1,
                Node::End(tag) => self.end(tag.local_name().as_ref())?,
                Node::Text(text) if self.in_text && self.skipped == 0 => self.text(&text)?,
                Node::Text(_) | Node::Passed => {}
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> fmt::Result {
        self.close_lists(0)?;
        self.paper.finish()
    }

    fn start(&mut self, tag: &BytesStart<'_>, part: &Part) -> Result<(), ConvertError> {
        let name = tag.local_name();
        match name.as_ref() {
            // Deleted text, duplicates, and elements that are not text are left out.
            "del" | "moveFrom" | "delText" | "instrText" | "Fallback" | "sectPr" | "rPrChange"
            | "pPrChange" | "tblPr" | "trPr" => self.skipped = 1,
            "rPr" if self.stated == Stated::Paragraph => self.skipped = 1,
            "p" => {
                self.paragraph = Paragraph::default();
                self.paper.end_block(Break::Line)?;
            }
            "pPr" => self.stated = Stated::Paragraph,
            "r" => {
                self.begin_paragraph()?;
                self.run = Run::default();
            }
            "rPr" => self.stated = Stated::Run,
            "t" => self.in_text = true,
            "tab" if self.stated == Stated::Nothing => self.text(" ")?,
            "noBreakHyphen" => self.text("-")?,
            "br" | "cr" if self.in_heading => self.text(" ")?,
            "br" | "cr" => self.paper.end_block(Break::Line)?,
            "hyperlink" => {
                self.begin_paragraph()?;
                let id = attribute(tag, "id")?.unwrap_or_default();
                self.paper.open_link(part.link(&id).cloned())?;
            }
            "docPr" => self.paper.image(attribute(tag, "descr")?, None)?,
            "tbl" => self.start_table()?,
            "tc" if self.tables == 1 => self.start_cell()?,
            "gridSpan" if self.tables == 1 => {
                let columns = attribute(tag, "val")?.and_then(|value| value.parse().ok());
                self.span = columns.unwrap_or(1_usize).clamp(1, SPAN) - 1;
            }
            "footnoteReference" => self.refer(false, tag)?,
            "endnoteReference" => self.refer(true, tag)?,
            "footnote" => self.start_note(false, tag)?,
            "endnote" => self.start_note(true, tag)?,
            name => self.learn(name, attribute(tag, "val")?),
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> fmt::Result {
        match name {
            "p" if self.lists.is_empty() => self.end_paragraph(Break::Paragraph),
            "p" => self.end_paragraph(Break::Line),
            "pPr" | "rPr" => {
                self.stated = Stated::Nothing;
                Ok(())
            }
            "t" => {
                self.in_text = false;
                Ok(())
            }
            "hyperlink" => self.paper.close_link(),
            "tbl" => self.end_table(),
            "tc" if self.tables == 1 => self.end_cell(),
            "tr" if self.tables == 1 => match &mut self.rows {
                Some(rows) => rows.end_row(&mut self.paper),
                None => Ok(()),
            },
            "footnote" | "endnote" => {
                self.close_lists(0)?;
                self.paper.close_item()?;
                self.paper.end_block(Break::Paragraph)
            }
            _ => Ok(()),
        }
    }

    /// Stores a property of the paragraph or the piece of text.
    fn learn(&mut self, element: &str, value: Option<String>) {
        let on = || Some(is_on(value.as_deref()));
        match (&self.stated, element) {
            (Stated::Paragraph, "outlineLvl") => self.paragraph.heading = heading(value.as_deref()),
            (Stated::Paragraph, "pStyle") => self.paragraph.style = value,
            (Stated::Paragraph, "numId") => {
                self.paragraph.list = value.and_then(|id| id.parse().ok());
            }
            (Stated::Paragraph, "ilvl") => {
                let level: Option<u32> = value.and_then(|level| level.parse().ok());
                self.paragraph.level = level.unwrap_or_default().min(LEVELS - 1);
            }
            (Stated::Run, "rStyle") => self.run.style = value,
            (Stated::Run, "b") => self.run.bold = on(),
            (Stated::Run, "i") => self.run.italic = on(),
            (Stated::Run, "vanish") => self.run.is_hidden = is_on(value.as_deref()),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> fmt::Result {
        if self.run.is_hidden {
            return Ok(());
        }
        let style = self.run.style.as_deref().unwrap_or_default();
        let is_bold = self.run.bold.unwrap_or_else(|| self.styles.is_bold(style));
        let is_italic = self
            .run
            .italic
            .unwrap_or_else(|| self.styles.is_italic(style));
        self.paper.bold(is_bold && !self.in_heading)?;
        self.paper.italic(is_italic)?;
        self.paper.text(text)
    }

    /// Starts the paragraph at its first text, because many paragraphs have no text.
    fn begin_paragraph(&mut self) -> fmt::Result {
        if self.paragraph.is_begun || self.tables > 0 {
            return Ok(());
        }
        self.paragraph.is_begun = true;
        let style = self.paragraph.style.as_deref().unwrap_or_default();
        let stated = self
            .paragraph
            .heading
            .or_else(|| self.styles.heading(style));
        if let Some(level) = stated.filter(|level| *level > 0) {
            self.close_lists(0)?;
            self.in_heading = true;
            return self.paper.heading(level);
        }
        let list = self.paragraph.list.or_else(|| self.styles.list(style));
        match list.filter(|list| *list > 0) {
            Some(list) => self.start_item(list, self.paragraph.level),
            None => self.close_lists(0),
        }
    }

    fn end_paragraph(&mut self, gap: Break) -> fmt::Result {
        self.in_heading = false;
        self.paper.bold(false)?;
        self.paper.italic(false)?;
        self.paper.end_block(gap)
    }

    fn start_item(&mut self, list: u32, level: u32) -> fmt::Result {
        let deeper = |open: &(u32, u32)| open.1 > level || (open.1 == level && open.0 != list);
        let kept = self.lists.iter().take_while(|open| !deeper(open)).count();
        self.close_lists(kept)?;
        let number = self.numbering.start(list, level).map(|start| {
            let next = self.next.entry((list, level)).or_insert(start);
            *next = next.saturating_add(1);
            *next - 1
        });
        for deeper in level + 1..LEVELS {
            self.next.remove(&(list, deeper));
        }
        if self.lists.last() != Some(&(list, level)) {
            self.paper.open_list(number)?;
            self.lists.push((list, level));
        }
        self.paper.open_item()
    }

    /// Closes the innermost lists, until `kept` are open.
    fn close_lists(&mut self, kept: usize) -> fmt::Result {
        while self.lists.len() > kept {
            self.lists.pop();
            self.paper.close_list()?;
        }
        Ok(())
    }

    fn start_table(&mut self) -> fmt::Result {
        self.tables += 1;
        if self.tables == 1 {
            self.close_lists(0)?;
            self.paper.end_block(Break::Paragraph)?;
            self.rows = Some(Rows::default());
        }
        Ok(())
    }

    fn end_table(&mut self) -> fmt::Result {
        self.tables = self.tables.saturating_sub(1);
        if self.tables == 0 {
            self.rows = None;
            self.paragraph = Paragraph::default();
            self.paper.end_block(Break::Paragraph)?;
        }
        Ok(())
    }

    fn start_cell(&mut self) -> fmt::Result {
        self.span = 0;
        match &mut self.rows {
            Some(rows) => rows.start_cell(&mut self.paper),
            None => Ok(()),
        }
    }

    /// Adds empty cells for the additional columns that the cell spans.
    fn end_cell(&mut self) -> fmt::Result {
        for _ in 0..std::mem::take(&mut self.span) {
            self.start_cell()?;
        }
        Ok(())
    }

    fn refer(&mut self, is_endnote: bool, tag: &BytesStart<'_>) -> Result<(), ConvertError> {
        let id = attribute(tag, "id")?.unwrap_or_default();
        let count = self.notes.len();
        let number = self.notes.entry((is_endnote, id)).or_insert(count + 1);
        Ok(self.paper.verbatim(&format!("[^{number}]"))?)
    }

    /// Starts the text of a note. A note without a reference is left out.
    fn start_note(&mut self, is_endnote: bool, tag: &BytesStart<'_>) -> Result<(), ConvertError> {
        let id = attribute(tag, "id")?.unwrap_or_default();
        match self.notes.get(&(is_endnote, id)).copied() {
            Some(number) => {
                self.close_lists(0)?;
                self.paper.open_note(number)?;
            }
            None => self.skipped = 1,
        }
        Ok(())
    }
}
