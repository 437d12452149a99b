//! Test documents, and their conversion.

use std::io::{Cursor, Write};

use plainly_convert::{ConvertError, Converter, Draft, Original, Sheets, Word};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub(crate) const DOCX: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
pub(crate) const ODS: &str = "application/vnd.oasis.opendocument.spreadsheet";
pub(crate) const XLS: &str = "application/vnd.ms-excel";

/// The Markdown of a document, at most 1 MiB.
pub(crate) fn converted(mime_type: &str, content: &[u8]) -> Result<String, ConvertError> {
    let converters: [&dyn Converter; 2] = [&Word::new(), &Sheets::new()];
    let converter = converters
        .into_iter()
        .find(|converter| converter.gives(mime_type).is_some());
    let mut draft = Draft::new(1 << 20);
    converter
        .unwrap()
        .convert(Original::new(mime_type, content), &mut draft)?;
    Ok(draft.finish()?)
}

/// The reason why a document is not converted; empty if it is.
pub(crate) fn refused(mime_type: &str, content: &[u8]) -> String {
    converted(mime_type, content)
        .err()
        .map(|why| why.to_string())
        .unwrap_or_default()
}

/// The archive of a document, built file by file.
pub(crate) struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    pub(crate) fn new() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())))
    }

    pub(crate) fn with(mut self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.0
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        self.0.write_all(content.as_ref()).unwrap();
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0.finish().unwrap().into_inner()
    }

    /// A Word document, without its text.
    pub(crate) fn word() -> Self {
        Self::new().with(
            "_rels/.rels",
            relationships(&[("officeDocument", "word/document.xml")]),
        )
    }

    /// An Excel workbook with one sheet, without its cells.
    pub(crate) fn excel() -> Self {
        Self::new()
            .with("_rels/.rels", relationships(&[("officeDocument", "xl/workbook.xml")]))
            .with("xl/_rels/workbook.xml.rels", relationships(&[("worksheet", "worksheets/sheet1.xml")]))
            .with(
                "xl/workbook.xml",
                r#"<workbook xmlns:r="r"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
            )
    }

    /// An OpenDocument workbook, without its sheets.
    pub(crate) fn open_document() -> Self {
        Self::new().with("mimetype", ODS)
    }
}

/// The relationships of a part, given as types and targets.
pub(crate) fn relationships(parts: &[(&str, &str)]) -> String {
    let rows = (1..).zip(parts).map(|(number, (kind, target))| {
        let kind =
            format!("http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}");
        let mode = if kind.ends_with("/hyperlink") {
            r#" TargetMode="External""#
        } else {
            ""
        };
        format!(r#"<Relationship Id="rId{number}" Type="{kind}" Target="{target}"{mode}/>"#)
    });
    format!(
        "<Relationships>{}</Relationships>",
        rows.collect::<String>()
    )
}

/// A Word document with this text.
pub(crate) fn word(body: &str) -> Vec<u8> {
    let parts = [
        ("styles", "styles.xml"),
        ("numbering", "/word/numbering.xml"),
        ("footnotes", "footnotes.xml"),
        ("endnotes", "endnotes.xml"),
        ("hyperlink", "https://example.com/a?b=1&amp;c"),
    ];
    Archive::word()
        .with("word/_rels/document.xml.rels", relationships(&parts))
        .with("word/document.xml", format!("<w:document><w:body>{body}</w:body></w:document>"))
        .with("word/styles.xml", include_str!("styles.xml"))
        .with("word/numbering.xml", include_str!("numbering.xml"))
        .with("word/footnotes.xml", include_str!("footnotes.xml"))
        .with(
            "word/endnotes.xml",
            "<w:endnotes><w:endnote w:id=\"2\"><w:p><w:r><w:t>An endnote.</w:t></w:r></w:p></w:endnote></w:endnotes>",
        )
        .finish()
}

/// A Word paragraph with these properties.
pub(crate) fn paragraph(properties: &str, text: &str) -> String {
    format!(
        "<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"
    )
}

/// An Excel workbook with one sheet of these rows.
pub(crate) fn excel(rows: &str) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    Archive::excel()
        .with("xl/worksheets/sheet1.xml", sheet)
        .finish()
}

/// An OpenDocument workbook with these sheets.
pub(crate) fn open_document(sheets: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>\
         </office:document-content>"
    );
    Archive::open_document()
        .with("content.xml", content)
        .finish()
}
