//! Office documents with well-formed XML of any content.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use plainly_convert::{Converter, Draft, Original};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A piece of XML. Names and values are chosen from lists by index.
#[derive(Arbitrary, Debug)]
pub enum Piece<'a> {
    /// Starts an element with an attribute.
    Start(u8, u8, u8),
    End,
    Text(&'a str),
}

/// The lists of names and values.
pub struct Words {
    pub elements: &'static [&'static str],
    pub attributes: &'static [&'static str],
    pub values: &'static [&'static str],
}

/// The XML of these pieces. Open elements are closed at the end.
pub fn xml(root: &str, pieces: &[Piece<'_>], words: &Words) -> String {
    let mut xml = format!("<{root}>");
    let mut open = Vec::new();
    let pick = |list: &[&'static str], at: u8| list[usize::from(at) % list.len()];
    for piece in pieces {
        match piece {
            Piece::Start(element, attribute, value) => {
                let element = pick(words.elements, *element);
                let (attribute, value) = (
                    pick(words.attributes, *attribute),
                    pick(words.values, *value),
                );
                let _ = write!(xml, "<{element} {attribute}=\"{value}\">");
                open.push(element);
            }
            Piece::End => {
                if let Some(element) = open.pop() {
                    let _ = write!(xml, "</{element}>");
                }
            }
            Piece::Text(text) => xml.extend(text.chars().filter(|letter| !"<&".contains(*letter))),
        }
    }
    for element in open.into_iter().rev() {
        let _ = write!(xml, "</{element}>");
    }
    let _ = write!(xml, "</{root}>");
    xml
}

/// An archive with these files.
pub fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in files {
        archive.start_file(*name, stored).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The relationships of a part, given as types and targets.
pub fn relationships(parts: &[(&str, &str)]) -> String {
    let rows = (1..).zip(parts).map(|(number, (kind, target))| {
        format!("<Relationship Id=\"rId{number}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}\" Target=\"{target}\"/>")
    });
    format!(
        "<Relationships>{}</Relationships>",
        rows.collect::<String>()
    )
}

/// The Markdown of a file, if it can be converted. Checks that it is within its limit, and contains
/// no terminal commands.
pub fn converted(
    converter: &impl Converter,
    mime_type: &str,
    content: &[u8],
    room: usize,
) -> Option<String> {
    converter.gives(mime_type)?;
    let mut draft = Draft::new(room);
    converter
        .convert(Original::new(mime_type, content), &mut draft)
        .ok()?;
    let text = draft.finish().ok()?;
    assert!(text.len() <= room);
    assert!(!text.contains(|letter: char| letter.is_control() && !"\n\t".contains(letter)));
    Some(text)
}
