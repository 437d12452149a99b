//! The text of a PDF. Everything hard is the library's.

use std::fmt::Write;
use std::io;

use pdf_extract::{Document, PlainTextOutput, output_doc};

use super::{ConvertError, Converter, Draft, Original};

/// Converts PDF to `text/plain`: its words, in the order in which they are painted. Scanned pages have none.
///
/// **Only for files from people you trust.** A PDF can be crafted so that reading it takes any amount of memory and time,
/// which nothing inside this process can stop. For other files, read it in a separate process with limits on both, as
/// `plainly serve` does.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Pdf;

impl Pdf {
    /// The converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Converter for Pdf {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "application/pdf").then_some("text/plain")
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let mut document = Document::load_mem(original.content)?;
        if document.is_encrypted() {
            // Many are, so that nobody changes them, and need no password for reading.
            document.decrypt("")?;
        }
        let mut text = Text(draft);
        let text: &mut dyn io::Write = &mut text;
        Ok(output_doc(&document, &mut PlainTextOutput::new(text))?)
    }
}

/// A draft as the library wants it: it writes whole strings only.
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
    use crate::tests::converted;

    /// A document of one page, which is painted so.
    fn pdf(painting: &str) -> Vec<u8> {
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R \
             /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
                .to_owned(),
            format!("<< /Length {} >>\nstream\n{painting}\nendstream", painting.len()),
        ];
        let mut document = "%PDF-1.4\n".to_owned();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for (index, object) in objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", document.len());
            document += &format!("{} 0 obj\n{object}\nendobj\n", index + 1);
        }
        let at = document.len();
        let size = objects.len() + 1;
        document += &table;
        document += &format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n");
        document.into_bytes()
    }

    #[test]
    fn painted_words_are_text() {
        let painting = "BT /F 12 Tf 72 700 Td (Hello, reader.) Tj 0 -40 Td (Bye.) Tj ET";
        let text = converted(&Pdf, "application/pdf", &pdf(painting)).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["Hello, reader.", "Bye."]);
    }

    #[test]
    fn what_is_no_pdf_fails() {
        let good = pdf("BT /F 12 Tf (Hello) Tj ET");
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
