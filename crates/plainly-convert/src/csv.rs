//! Converts tables of separated values to Markdown tables, record by record.

use std::fmt::{self, Write};

use csv::{ByteRecord, ReaderBuilder};

use super::encoding::decode;
use super::markdown::write_cell;
use super::{ConvertError, Converter, Draft, Original};

/// The characters that can separate values, the most likely first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Converts CSV and TSV to `text/markdown`: a table with the first record as its head. The
/// separator is the most frequent one in the first line.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Csv;

impl Csv {
    /// Creates the converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Converter for Csv {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        ["text/csv", "text/tab-separated-values"]
            .contains(&mime_type)
            .then_some("text/markdown")
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let text = decode(original.content, None);
        if text.len() > draft.room() {
            // A table is hardly ever shorter than its values, and a record that consists of
            // separators takes eight times its size.
            return Err("the table is too large".into());
        }
        let separator = match original.mime_type {
            "text/tab-separated-values" => b'\t',
            _ => separator(&text),
        };
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .has_headers(false)
            .from_reader(text.as_bytes());
        let mut record = ByteRecord::new();
        let mut is_head = true;
        while reader.read_byte_record(&mut record)? {
            row(&record, draft)?;
            if is_head {
                draft.write_char('|')?;
                for _ in &record {
                    draft.write_str(" --- |")?;
                }
                draft.write_char('\n')?;
                is_head = false;
            }
        }
        Ok(())
    }
}

/// Guesses the separator: the most frequent one in the first line.
fn separator(text: &str) -> u8 {
    let line = text.lines().next().unwrap_or_default().as_bytes();
    // Reversed, because `max_by_key` returns the last of equal ones.
    let [first, ..] = SEPARATORS;
    SEPARATORS
        .into_iter()
        .rev()
        .max_by_key(|separator| memchr::memchr_iter(*separator, line).count())
        .unwrap_or(first)
}

fn row(record: &ByteRecord, draft: &mut Draft<'_>) -> fmt::Result {
    draft.write_char('|')?;
    for value in record {
        draft.write_char(' ')?;
        // The reader works on bytes, but they are valid text because `text` was.
        write_cell(String::from_utf8_lossy(value).trim(), draft)?;
        draft.write_str(" |")?;
    }
    draft.write_char('\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::converted;

    #[test]
    fn records_become_rows() {
        for (csv, expected) in [
            ("a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |\n"),
            ("a;b\r\n1,5;2", "| a | b |\n| --- | --- |\n| 1,5 | 2 |\n"),
            ("a\tb\n1\t2", "| a | b |\n| --- | --- |\n| 1 | 2 |\n"),
            (
                "name,note\nx,\"two\r\nlines, a | and a \\ and \"\"quotes\"\"\"\n",
                "| name | note |\n| --- | --- |\n| x | two<br>lines, a \\| and a \\\\ and \"quotes\" |\n",
            ),
            (
                "a,b\nshort\nlonger,than,the head\n\n",
                "| a | b |\n| --- | --- |\n| short |\n| longer | than | the head |\n",
            ),
            ("\u{feff}größe\n1", "| größe |\n| --- |\n| 1 |\n"),
            ("", ""),
            ("\"never ends, a", "| never ends, a |\n| --- |\n"),
        ] {
            assert_eq!(
                converted(&Csv, "text/csv", csv.as_bytes()).unwrap(),
                expected,
                "{csv}"
            );
        }
    }

    #[test]
    fn tabs_separate_where_the_type_says_so() {
        assert_eq!(
            converted(&Csv, "text/tab-separated-values", b"a, b, c\td\n").unwrap(),
            "| a, b, c | d |\n| --- | --- |\n"
        );
    }

    #[test]
    fn other_encodings_are_read() {
        let utf16: Vec<u8> = [0xfeff]
            .into_iter()
            .chain("ä,b".encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        for csv in [b"\xe4,b".as_slice(), &utf16] {
            assert_eq!(
                converted(&Csv, "text/csv", csv).unwrap(),
                "| ä | b |\n| --- | --- |\n"
            );
        }
    }

    #[test]
    fn a_table_of_nothing_but_separators_ends() {
        let csv = ",".repeat(1 << 20);
        assert!(converted(&Csv, "text/csv", csv.as_bytes()).is_err());
    }
}
