//! Converters: text that is easy to read, made of files that are not. A [`Converter`] reads the bytes of one file, and
//! writes them in another format into a [`Draft`]. [`Converting`] adds converters to a store.
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

/// Makes another representation of a file.
///
/// It runs on a thread that may block. Whatever goes wrong, the file itself is served: an error or a panic is logged and its
/// representation left out. A text that stays empty is left out without a word, so a converter that has nothing to add just
/// returns.
///
/// What the file holds may be of anybody's making. An overflow of the stack, memory without bound or a loop without end takes
/// the whole server with it: a converter bounds its recursion and its memory itself, or works in another process.
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
    /// The MIME type that it converts files of this type to; `None` if it doesn't convert them.
    fn gives(&self, mime_type: &str) -> Option<&str>;

    /// Whether metadata states it of every such file. False for a converter that leaves many as they are: then only
    /// reading tells.
    fn is_announced(&self) -> bool {
        true
    }

    /// Whether files of this type have pages. Then it writes only those of [`Original::pages`], and
    /// states with [`Draft::select_pages`] how many there are.
    fn has_pages(&self, mime_type: &str) -> bool {
        let _ = mime_type;
        false
    }

    /// Writes the representation.
    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError>;

    /// Whether files of this type state their title, which [`write_title`](Self::write_title) then writes.
    fn has_titles(&self, mime_type: &str) -> bool {
        let _ = mime_type;
        false
    }

    /// Writes the title, if the file states one.
    fn write_title(
        &self,
        original: Original<'_>,
        draft: &mut Draft<'_>,
    ) -> Result<(), ConvertError> {
        let _ = (original, draft);
        Ok(())
    }
}

/// The reason why a converter gives up: any error, which is logged. After an [`io::Error`](std::io::Error) of the operating
/// system, or one that is [`Interrupted`](std::io::ErrorKind::Interrupted), the next reader has the file converted again.
pub type ConvertError = Box<dyn Error + Send + Sync>;

/// A file to be converted.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Original<'a> {
    /// The MIME type of the file, according to its name: its content may be anything.
    pub mime_type: &'a str,
    /// The complete content.
    pub content: &'a [u8],
    /// The pages that are wanted; `None` for the whole file.
    pub pages: Option<PageRange>,
}

impl<'a> Original<'a> {
    /// The content of a file, and its MIME type.
    #[must_use]
    pub fn new(mime_type: &'a str, content: &'a [u8]) -> Self {
        Self {
            mime_type,
            content,
            pages: None,
        }
    }

    /// Only these pages of it.
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

    /// The output of a converter for content, at most 1 MiB.
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
