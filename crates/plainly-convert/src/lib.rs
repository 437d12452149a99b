//! Converters: produce text that is easy to read from other files. A [`Converter`] reads the bytes
//! of one file, and writes another format to a [`Draft`]. [`Converting`] adds converters to a
//! store.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `html` | no | [`Html`]: HTML as Markdown |
//! | `csv` | no | [`Csv`]: CSV and TSV as Markdown tables |
//! | `json` | no | [`Json`]: JSON without line breaks indented |
//! | `pdf` | no | [`Pdf`]: the text of PDFs |
//! | `word` | no | [`Word`]: Word documents as Markdown |
//! | `sheets` | no | [`Sheets`]: workbooks as Markdown tables |
//! | `notebook` | no | [`Notebook`]: Jupyter notebooks as Markdown |

#[cfg(any(feature = "word", feature = "sheets"))]
mod archive;
mod converting;
mod draft;
mod encoding;
#[cfg(any(
    feature = "html",
    feature = "csv",
    feature = "word",
    feature = "sheets",
    feature = "notebook"
))]
mod markdown;
#[cfg(any(feature = "word", feature = "sheets"))]
mod xml;

#[cfg(feature = "csv")]
mod csv;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "notebook")]
mod notebook;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "sheets")]
mod sheets;
#[cfg(feature = "word")]
mod word;

use std::error::Error;
use std::fmt;

pub use self::converting::Converting;
#[cfg(feature = "csv")]
pub use self::csv::Csv;
pub use self::draft::{Draft, StopReason};
pub use self::encoding::declared_encoding;
#[cfg(feature = "html")]
pub use self::html::Html;
#[cfg(feature = "json")]
pub use self::json::Json;
#[cfg(feature = "notebook")]
pub use self::notebook::Notebook;
#[cfg(feature = "pdf")]
pub use self::pdf::Pdf;
#[cfg(feature = "sheets")]
pub use self::sheets::Sheets;
#[cfg(feature = "word")]
pub use self::word::Word;
pub use plainly_protocol::part::PageRange;

/// A converter of files to another representation.
///
/// It runs on a thread that may block. If it fails or panics, the error is logged, and only the
/// original file is served. An empty text is left out without an error, so a converter that has
/// nothing to add just returns.
///
/// Files may be hostile. A stack overflow, unlimited memory use or an endless loop would stop the
/// whole server, so a converter must limit its recursion and memory, or run in a separate process.
///
/// ```
/// use std::error::Error;
/// use std::fmt::Write;
///
/// use plainly_convert::{Converter, Draft, Original};
///
/// /// The subjects of the messages in a mailbox.
/// #[derive(Debug)]
/// struct Subjects;
///
/// impl Converter for Subjects {
///     fn gives(&self, mime_type: &str) -> Option<&str> {
///         (mime_type == "application/mbox").then_some("text/plain")
///     }
///
///     fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
///         let mailbox = str::from_utf8(original.content)?;
///         for subject in mailbox.lines().filter_map(|line| line.strip_prefix("Subject: ")) {
///             writeln!(draft, "{subject}")?;
///         }
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not make representations of files",
    note = "implement `Converter` for it: which MIME type it makes of which, and how"
)]
pub trait Converter: Send + Sync + fmt::Debug + 'static {
    /// The MIME type that files of this type are converted to; `None` if they are not converted.
    fn gives(&self, mime_type: &str) -> Option<&str>;

    /// Whether metadata lists the format for every file of such a type. False for a converter that
    /// leaves many files unconverted; the format is then listed only after reading.
    fn is_announced(&self) -> bool {
        true
    }

    /// Whether files of this type have pages. If so, the converter only writes [`Original::pages`],
    /// and sets their total number with [`Draft::select_pages`].
    fn has_pages(&self, mime_type: &str) -> bool {
        let _ = mime_type;
        false
    }

    /// Writes the representation.
    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError>;

    /// Whether files of this type contain a title, which [`write_title`](Self::write_title) writes.
    fn has_titles(&self, mime_type: &str) -> bool {
        let _ = mime_type;
        false
    }

    /// Writes the title, if the file contains one.
    fn write_title(
        &self,
        original: Original<'_>,
        draft: &mut Draft<'_>,
    ) -> Result<(), ConvertError> {
        let _ = (original, draft);
        Ok(())
    }
}

/// The error of a converter, which is logged. After an [`io::Error`](std::io::Error) of the
/// operating system, or one that is [`Interrupted`](std::io::ErrorKind::Interrupted), the next
/// reader has the file converted again.
pub type ConvertError = Box<dyn Error + Send + Sync>;

/// A file to be converted.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Original<'a> {
    /// The MIME type according to the file's name. The content may be anything.
    pub mime_type: &'a str,
    /// The complete content.
    pub content: &'a [u8],
    /// The requested pages; `None` for the whole file.
    pub pages: Option<PageRange>,
}

impl<'a> Original<'a> {
    /// Creates an original from a MIME type and the content.
    #[must_use]
    pub fn new(mime_type: &'a str, content: &'a [u8]) -> Self {
        Self {
            mime_type,
            content,
            pages: None,
        }
    }

    /// Limits the conversion to these pages.
    #[must_use]
    pub fn pages(mut self, pages: PageRange) -> Self {
        self.pages = Some(pages);
        self
    }
}

#[cfg(all(
    test,
    any(
        feature = "html",
        feature = "csv",
        feature = "json",
        feature = "pdf",
        feature = "word",
        feature = "sheets",
        feature = "notebook"
    )
))]
mod tests {
    use super::*;

    /// The converter's output for the content, at most 1 MiB.
    pub(crate) fn converted(
        converter: &dyn Converter,
        mime_type: &str,
        content: &[u8],
    ) -> Result<String, ConvertError> {
        assert!(converter.gives(mime_type).is_some(), "{mime_type}");
        let mut draft = Draft::new(1 << 20);
        converter.convert(Original::new(mime_type, content), &mut draft)?;
        Ok(draft.finish()?)
    }
}
