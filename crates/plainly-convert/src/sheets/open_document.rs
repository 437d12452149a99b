//! OpenDocument workbooks, with the last displayed text of each cell.

use std::io::BufRead;
use std::ops::Range;

use quick_xml::events::BytesStart;

use super::super::{ConvertError, Draft, Original};
use super::write_heading;
use crate::archive::Archive;
use crate::markdown::{Table, TableError};
use crate::xml::{Node, Xml, attribute};

/// The file that contains all sheets.
const CONTENT: &str = "content.xml";

/// Writes a workbook, cell by cell.
pub(super) fn write(original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
    let mut archive = Archive::open(original.content, draft, |_| Ok(()))?;
    let mut total = 0;
    let mut xml = archive.xml(CONTENT)?.ok_or("it has no content.xml")?;
    while next_sheet(&mut xml)?.is_some() {
        total += 1;
        pass_sheet(&mut xml)?;
    }
    drop(xml);
    let pages = draft.select_pages(&original, total);
    let mut xml = archive.xml(CONTENT)?.ok_or("it has no content.xml")?;
    for page in 1..=*pages.end() {
        let Some(name) = next_sheet(&mut xml)? else {
            break;
        };
        if pages.contains(&page) {
            write_heading(&name, page == *pages.start(), draft)?;
            write_sheet(&mut xml, draft)?;
        } else {
            pass_sheet(&mut xml)?;
        }
    }
    Ok(())
}

/// Reads up to the next sheet, and returns its name.
fn next_sheet(xml: &mut Xml<impl BufRead>) -> Result<Option<String>, ConvertError> {
    while let Some(node) = xml.next()? {
        if let Node::Start(tag) = node
            && tag.local_name().as_ref() == "table"
        {
            return Ok(Some(attribute(&tag, "name")?.unwrap_or_default()));
        }
    }
    Ok(None)
}

/// Skips the rest of a sheet.
fn pass_sheet(xml: &mut Xml<impl BufRead>) -> Result<(), ConvertError> {
    let mut open = 1_usize;
    while open > 0 {
        match xml.next()? {
            Some(Node::Start(_)) => open += 1,
            Some(Node::End(_)) => open -= 1,
            Some(Node::Text(_) | Node::Passed) => {}
            None => break,
        }
    }
    Ok(())
}

/// A row that is being read.
#[derive(Default)]
struct Row {
    /// The values that are not empty, each with its columns.
    values: Vec<(Range<usize>, String)>,
    /// The number of columns read so far.
    columns: usize,
    repeated: usize,
}

/// A cell that is being read.
#[derive(Default)]
struct Cell {
    text: String,
    /// The value, for a cell without text.
    value: Option<String>,
    paragraphs: usize,
    repeated: usize,
}

/// Writes the rows up to the end of the table.
fn write_sheet(xml: &mut Xml<impl BufRead>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
    let mut table = Table::new(draft);
    let mut row = Row::default();
    let mut cell = None;
    let (mut in_paragraph, mut skipped) = (false, 0_usize);
    while let Some(node) = xml.next()? {
        match node {
            Node::Start(_) if skipped > 0 => skipped += 1,
            Node::End(_) if skipped > 0 => skipped -= 1,
            Node::Start(tag) => match (tag.local_name().as_ref(), &mut cell) {
                ("table-row", None) => row = Row::new(&tag)?,
                ("table-cell" | "covered-table-cell", None) => cell = Some(Cell::new(&tag)?),
                ("p" | "h", Some(cell)) => {
                    in_paragraph = true;
                    cell.start_paragraph();
                }
                ("s" | "tab", Some(cell)) => cell.text.push(' '),
                ("line-break", Some(cell)) => cell.text.push('\n'),
                // Comments, images and nested tables are skipped.
                ("annotation" | "frame" | "shapes" | "forms" | "table" | "ruby-text", _) => {
                    skipped = 1
                }
                _ => {}
            },
            Node::Text(text) if in_paragraph && skipped == 0 => {
                if let Some(cell) = &mut cell {
                    cell.text.push_str(&text);
                }
            }
            Node::End(tag) => match tag.local_name().as_ref() {
                "p" | "h" => in_paragraph = false,
                "table-cell" | "covered-table-cell" => row.take(cell.take()),
                "table-row" => row.write(&mut table)?,
                "table" => break,
                _ => {}
            },
            Node::Text(_) | Node::Passed => {}
        }
    }
    Ok(table.finish()?)
}

impl Row {
    fn new(tag: &BytesStart<'_>) -> Result<Self, ConvertError> {
        Ok(Self {
            repeated: repeated(tag, "number-rows-repeated")?,
            ..Self::default()
        })
    }

    fn take(&mut self, cell: Option<Cell>) {
        let Some(cell) = cell else { return };
        let columns = self.columns..self.columns.saturating_add(cell.repeated);
        self.columns = columns.end;
        let text = match cell.paragraphs {
            0 => cell.value.unwrap_or_default(),
            _ => cell.text,
        };
        if !text.trim().is_empty() {
            self.values.push((columns, text));
        }
    }

    fn write(&self, table: &mut Table<'_, '_>) -> Result<(), TableError> {
        if self.values.is_empty() {
            return Ok(());
        }
        for _ in 0..self.repeated {
            for (columns, value) in &self.values {
                for column in columns.clone() {
                    table.cell(column, value)?;
                }
            }
            table.end_row()?;
        }
        Ok(())
    }
}

impl Cell {
    fn new(tag: &BytesStart<'_>) -> Result<Self, ConvertError> {
        let mut value = None;
        for key in [
            "string-value",
            "date-value",
            "time-value",
            "boolean-value",
            "value",
        ] {
            if value.is_none() {
                value = attribute(tag, key)?;
            }
        }
        Ok(Self {
            value,
            repeated: repeated(tag, "number-columns-repeated")?,
            ..Self::default()
        })
    }

    fn start_paragraph(&mut self) {
        if self.paragraphs > 0 {
            self.text.push('\n');
        }
        self.paragraphs += 1;
    }
}

/// The number of times that a row or cell is repeated.
fn repeated(tag: &BytesStart<'_>, key: &str) -> Result<usize, ConvertError> {
    Ok(match attribute(tag, key)? {
        Some(times) => times.parse()?,
        None => 1,
    })
}
