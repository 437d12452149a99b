//! Workbooks of Excel. All that is hard is the library's.

use std::borrow::Cow;
use std::io::{Cursor, Read, Seek};
use std::panic;

use calamine::{Data, DataRef, Reader, SheetType, Xls, Xlsx};
use quick_xml::events::BytesStart;

use super::super::{ConvertError, Draft, Original};
use super::value::{date, number};
use super::write_heading;
use crate::archive::Archive;
use crate::markdown::Table;
use crate::xml::attributes;

/// The letters that name a column.
const LETTERS: usize = 3;

/// The digits that number a row, of which there are fewer than there may be strings.
const DIGITS: usize = 7;

/// Writes a workbook from 2007 on, cell by cell.
pub(super) fn write(original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
    Archive::open(original.content, draft, check)?;
    let mut workbook = Xlsx::new(Cursor::new(original.content))?;
    for (index, name) in wanted(&workbook, &original, draft).iter().enumerate() {
        write_heading(name, index == 0, draft)?;
        let mut cells = workbook.worksheet_cells_reader(name)?;
        let mut table = Table::new(draft);
        let mut row = 0;
        while let Some(cell) = cells.next_cell()? {
            let (at, column) = cell.get_position();
            if at != row {
                table.end_row()?;
                row = at;
            }
            let value = cell.get_value();
            if let DataRef::SharedString(text) = value {
                table.cell(column as usize, text)?;
            } else {
                table.cell(column as usize, &shown(&value.clone().into()))?;
            }
        }
        table.finish()?;
    }
    Ok(())
}

/// Writes a workbook before 2007.
pub(super) fn write_old(original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
    // The library panics where a file is cut off.
    let opened = panic::catch_unwind(|| Xls::new(Cursor::new(original.content)));
    let mut workbook = opened.map_err(|_| "it is not what a workbook is")??;
    for (index, name) in wanted(&workbook, &original, draft).iter().enumerate() {
        write_heading(name, index == 0, draft)?;
        let range = workbook.worksheet_range(name)?;
        let mut table = Table::new(draft);
        for row in range.rows() {
            for (column, value) in row.iter().enumerate() {
                table.cell(column, &shown(value))?;
            }
            table.end_row()?;
        }
        table.finish()?;
    }
    Ok(())
}

/// The names of the sheets that are wanted. Those without cells are one chart or a macro, and no pages.
fn wanted<R: Read + Seek>(
    workbook: &impl Reader<R>,
    original: &Original<'_>,
    draft: &mut Draft<'_>,
) -> Vec<String> {
    let all = workbook.sheets_metadata().iter();
    let with_cells: Vec<_> = all
        .filter(|sheet| sheet.typ == SheetType::WorkSheet)
        .collect();
    let total = with_cells.len().try_into().unwrap_or(u32::MAX);
    let pages = draft.select_pages(original, total);
    let numbered = (1..).zip(with_cells);
    let wanted = numbered.filter(|(page, _)| pages.contains(page));
    wanted.map(|(_, sheet)| sheet.name.clone()).collect()
}

/// Refuses numbers that the library would take for granted: of the strings that it makes room for, and of cells.
fn check(tag: &BytesStart<'_>) -> Result<(), ConvertError> {
    let (key, is_sound): (_, fn(&str) -> bool) = match tag.local_name().as_ref() {
        "sst" => ("uniqueCount", |count| count.len() <= DIGITS),
        "c" | "row" => ("r", is_address),
        "dimension" => ("ref", |range| range.split(':').all(is_address)),
        _ => return Ok(()),
    };
    // The library may read another one of two.
    for value in attributes(tag, key) {
        let value = value?;
        if !is_sound(&value) {
            return Err(format!("no sheet has the {key} {value}").into());
        }
    }
    Ok(())
}

/// Whether this is no longer than the last cell's address, `XFD1048576`.
fn is_address(text: &str) -> bool {
    let digits = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    text.len() - digits.len() <= LETTERS && digits.len() <= DIGITS
}

/// A value as it is read.
fn shown(value: &Data) -> Cow<'_, str> {
    match value {
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => text.into(),
        Data::Float(value) => number(*value).into(),
        Data::DateTime(value) => date(value).into(),
        Data::Int(value) => value.to_string().into(),
        Data::Bool(true) => "TRUE".into(),
        Data::Bool(false) => "FALSE".into(),
        Data::Error(error) => error.to_string().into(),
        Data::Empty => "".into(),
    }
}
