//! Converts Word documents to Markdown tag by tag: headings, paragraphs, lists, tables, links, and
//! footnotes at the end.

mod body;
mod numbering;
mod parts;
mod styles;

use self::body::Body;
use self::numbering::Numbering;
use self::parts::{Kind, Part};
use self::styles::Styles;
use super::archive::Archive;
use super::{ConvertError, Converter, Draft, Original};

/// Converts Word documents (`.docx`) to `text/markdown`: headings, paragraphs, lists, tables,
/// links, bold and italic text, footnotes and endnotes. Leaves out deleted and hidden text,
/// headers, footers and comments. Images are represented by their descriptions.
///
/// Rejects a document that unpacks to more than 256 MiB or 100 times its size, and XML with
/// entities or nested deeper than 64 elements. Never follows a macro, field or link.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Word;

impl Word {
    /// Creates the converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Converter for Word {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
            .then_some("text/markdown")
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let mut archive = Archive::open(original.content, draft, |_| Ok(()))?;
        let root = Part::root(&mut archive)?;
        let name = root.target_of(Kind::Document);
        let name = name.ok_or("it says of no file that it is the document")?;
        let document = Part::read(&mut archive, name)?;
        let mut styles = Styles::default();
        if let Some(name) = document.target_of(Kind::Styles) {
            styles.read(&mut archive, &name)?;
        }
        let mut numbering = Numbering::default();
        if let Some(name) = document.target_of(Kind::Numbering) {
            numbering.read(&mut archive, &name)?;
        }
        let mut body = Body::new(draft, &styles, &numbering);
        body.read(&mut archive, &document)?;
        for kind in [Kind::Footnotes, Kind::Endnotes] {
            if let Some(name) = document.target_of(kind) {
                let notes = Part::read(&mut archive, name)?;
                body.read(&mut archive, &notes)?;
            }
        }
        Ok(body.finish()?)
    }
}
