//! Extracts the text of PDFs, by means of a library.

use std::fmt::Write;
use std::io;

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

use super::{ConvertError, Converter, Draft, Original};

/// Converts PDF to `text/plain`: its words, in the order in which they are painted. Scanned pages
/// have no text.
///
/// **Only for trusted files.** A crafted PDF can use any amount of memory and time, and nothing
/// inside this process can stop that. Read other files in a separate process with limits on both,
/// like `plainly serve`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Pdf;

impl Pdf {
    /// Creates the converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Converter for Pdf {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "application/pdf").then_some("text/plain")
    }

    fn has_pages(&self, mime_type: &str) -> bool {
        self.gives(mime_type).is_some()
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let mut document = Document::load_mem(original.content)?;
        if document.is_encrypted() {
            document.decrypt(NO_PASSWORD)?;
        }
        let total = u32::try_from(document.get_pages().len())?;
        for page in draft.select_pages(&original, total) {
            draft.begin_page()?;
            let mut text = Text(draft);
            let text: &mut dyn io::Write = &mut text;
            output_doc_page(&document, &mut PlainTextOutput::new(text), page)?;
        }
        Ok(())
    }

    fn has_titles(&self, mime_type: &str) -> bool {
        self.gives(mime_type).is_some()
    }

    fn write_title(
        &self,
        original: Original<'_>,
        draft: &mut Draft<'_>,
    ) -> Result<(), ConvertError> {
        let document = Document::load_metadata_mem_with_password(original.content, NO_PASSWORD)?;
        Ok(draft.write_str(document.title.as_deref().unwrap_or_default().trim())?)
    }
}

/// The password of documents that are only protected against changes.
const NO_PASSWORD: &str = "";

/// A draft as a writer for the library, which only writes whole strings.
struct Text<'a, 'd>(&'a mut Draft<'d>);

impl io::Write for Text<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PageRange;
    use crate::tests::converted;

    /// Creates a document with pages that have these painting operators.
    fn pdf(pages: &[&str]) -> Vec<u8> {
        titled("", pages)
    }

    /// Creates a document with this information dictionary.
    fn titled(info: &str, pages: &[&str]) -> Vec<u8> {
        let kids = (0..pages.len()).map(|at| format!("{} 0 R", 3 + 2 * at));
        let kids = kids.collect::<Vec<_>>().join(" ");
        let count = pages.len();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"),
        ];
        for painting in pages {
            let contents = objects.len() + 2;
            objects.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {contents} 0 R \
                 /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            ));
            let length = painting.len();
            objects.push(format!(
                "<< /Length {length} >>\nstream\n{painting}\nendstream"
            ));
        }
        let mut more = String::new();
        if !info.is_empty() {
            objects.push(info.to_owned());
            more = format!("/Info {} 0 R", objects.len());
        }
        let mut document = "%PDF-1.4\n".to_owned();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for (index, object) in objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", document.len());
            document += &format!("{} 0 obj\n{object}\nendobj\n", index + 1);
        }
        let at = document.len();
        let size = objects.len() + 1;
        document += &table;
        document +=
            &format!("trailer\n<< /Size {size} /Root 1 0 R {more} >>\nstartxref\n{at}\n%%EOF\n");
        document.into_bytes()
    }

    #[test]
    fn painted_words_are_text() {
        let painting = "BT /F 12 Tf 72 700 Td (Hello, reader.) Tj 0 -40 Td (Bye.) Tj ET";
        let text = converted(&Pdf, "application/pdf", &pdf(&[painting])).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["Hello, reader.", "Bye."]);
    }

    #[test]
    fn pages_are_read_by_themselves() {
        let pages = ["One.", "Two.", "Three."];
        let painted = pages.map(|word| format!("BT /F 12 Tf 72 700 Td ({word}) Tj ET"));
        let document = pdf(&painted.each_ref().map(String::as_str));
        for (range, words) in [
            (None, "One.Two.Three."),
            (PageRange::new(2, 2), "Two."),
            (PageRange::new(2, 9), "Two.Three."),
            (PageRange::new(4, 9), ""),
        ] {
            let mut original = Original::new("application/pdf", &document);
            original.pages = range;
            let mut draft = Draft::new(1 << 10);
            Pdf.convert(original, &mut draft).unwrap();
            assert_eq!(draft.total_pages(), Some(3));
            let text = draft.finish().unwrap();
            let found: String = text.split_whitespace().collect();
            assert_eq!(found, words, "{range:?}");
        }
    }

    #[test]
    fn a_title_is_that_of_its_information() {
        for (info, expected) in [
            ("", ""),
            ("<< /Author (A) >>", ""),
            ("<< /Title ( Year \\(2026\\) ) >>", "Year (2026)"),
            ("<< /Title <FEFF00FC> >>", "ü"),
        ] {
            let document = titled(info, &[""]);
            let mut draft = Draft::new(100);
            let original = Original::new("application/pdf", &document);
            Pdf.write_title(original, &mut draft).unwrap();
            assert_eq!(draft.finish().as_deref(), Ok(expected), "{info}");
        }
    }

    #[test]
    fn what_is_no_pdf_fails() {
        let good = pdf(&["BT /F 12 Tf (Hello) Tj ET"]);
        for broken in [
            b"".as_slice(),
            b"%PDF-1.4",
            b"text",
            &good[..good.len() / 2],
        ] {
            assert!(converted(&Pdf, "application/pdf", broken).is_err());
        }
    }
}
