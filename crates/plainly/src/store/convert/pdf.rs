//! The text of a PDF. Everything hard is the library's.

use std::error::Error;
use std::fmt::Write;
use std::io;

use pdf_extract::{Document, PlainTextOutput, output_doc};

use super::{Converter, Draft, Source};

/// `text/plain` for PDF: its words in the order in which they are painted. Scanned pages have none.
///
/// **Only for files of people you trust.** A PDF can be made so that reading it takes any amount of memory and time, which
/// nothing within this process can stop. For all others have it read in a process of its own that is limited in both, as
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

    fn convert(
        &self,
        source: Source<'_>,
        draft: &mut Draft<'_>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let mut document = Document::load_mem(source.content)?;
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
