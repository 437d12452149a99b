//! Excel workbooks, read by a library.

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

/// The maximum number of letters in a column's name.
const LETTERS: usize = 3;

/// The maximum number of digits in a row's number. Also limits the number of strings, which may
/// exceed the number of rows.
const DIGITS: usize = 7;

/// Writes a workbook of the format since 2007, cell by cell.
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

/// Writes a workbook of the format before 2007.
pub(super) fn write_old(original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
    // The library panics on truncated files.
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

/// The names of the requested sheets. Sheets that are a single chart or a macro have no cells, and
/// don't count as pages.
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

/// Rejects numbers that the library would trust: the number of strings, for which it reserves
/// memory, and cell addresses.
fn check(tag: &BytesStart<'_>) -> Result<(), ConvertError> {
    let (key, is_sound): (_, fn(&str) -> bool) = match tag.local_name().as_ref() {
        "sst" => ("uniqueCount", |count| count.len() <= DIGITS),
        "c" | "row" => ("r", is_address),
        "dimension" => ("ref", |range| range.split(':').all(is_address)),
        _ => return Ok(()),
    };
    // If there are two such attributes, the library may read the other one.
    for value in attributes(tag, key) {
        let value = value?;
        if !is_sound(&value) {
            return Err(format!("no sheet has the {key} {value}").into());
        }
    }
    Ok(())
}

/// Whether the text has no more letters and digits than the address of the last cell, `XFD1048576`.
fn is_address(text: &str) -> bool {
    let digits = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    text.len() - digits.len() <= LETTERS && digits.len() <= DIGITS
}

/// A value as readable text.
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
