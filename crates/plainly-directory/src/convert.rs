//! Representations of files: converters make easy-to-read text from files that are not. They take the bytes of one file
//! and offer it in other formats, wherever it came from.

mod draft;

#[cfg(feature = "csv")]
mod csv;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "pdf")]
mod pdf;

#[cfg(any(feature = "csv", feature = "html"))]
use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

#[cfg(any(feature = "csv", feature = "html"))]
use encoding_rs::{Encoding, WINDOWS_1252};
use plainly::protocol::types::{Body, Meta, Representation, Resource, ResourceContents};

#[cfg(feature = "csv")]
pub use self::csv::Csv;
pub use self::draft::{Draft, StopReason};
#[cfg(feature = "html")]
pub use self::html::Html;
#[cfg(feature = "json")]
pub use self::json::Json;
#[cfg(feature = "pdf")]
pub use self::pdf::Pdf;
use super::describe;
use super::encoding::ENCODING;

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
/// use plainly_directory::convert::{Converter, Draft, Source};
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
///     fn convert(&self, source: Source<'_>, draft: &mut Draft<'_>) -> Result<(), Box<dyn Error + Send + Sync>> {
///         let mailbox = str::from_utf8(source.content)?;
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

    /// Writes the representation.
    fn convert(&self, source: Source<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError>;
}

/// The reason why a converter gives up: any error, which is logged.
pub type ConvertError = Box<dyn Error + Send + Sync>;

/// A file to be converted.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Source<'a> {
    /// The MIME type of the file, according to its name: its content may be anything.
    pub mime_type: &'a str,
    /// The complete content.
    pub content: &'a [u8],
}

/// The bytes that the representations of one file may still take.
#[derive(Clone, Copy)]
pub(super) struct Allowance<'a> {
    /// Bytes of all of them.
    pub(super) room: usize,
    /// Time for each of them.
    pub(super) time: Duration,
    /// Whether a reader still waits for them.
    pub(super) is_awaited: &'a dyn Fn() -> bool,
}

/// The converters of a store, in the order in which their work is offered.
#[derive(Clone, Debug, Default)]
pub(super) struct Converters {
    all: Vec<Arc<dyn Converter>>,
    /// Whether files are served only in the bytes that they have.
    is_as_is: bool,
}

impl<'a> Source<'a> {
    /// The content of a file, and its MIME type.
    #[must_use]
    pub fn new(mime_type: &'a str, content: &'a [u8]) -> Self {
        Self { mime_type, content }
    }
}

impl Converters {
    pub(super) fn add(&mut self, converter: impl Converter) {
        self.all.push(Arc::new(converter));
    }

    pub(super) fn as_is(&mut self, as_is: bool) {
        self.is_as_is = as_is;
    }

    /// The content of a file: text if it can be sent as text, which is noted in the resource if it is not in UTF-8.
    pub(super) fn body(&self, content: Vec<u8>, resource: &mut Resource) -> Body {
        if self.is_as_is {
            return Body::of_bytes(content);
        }
        let mime_type = resource.mime_type.as_deref().unwrap_or_default();
        let (body, encoding) = describe::body(content, mime_type);
        if let Some(encoding) = encoding {
            let meta = resource.meta.get_or_insert_default();
            meta.insert(ENCODING.to_owned(), encoding.into());
        }
        body
    }

    /// Adds to a file's metadata its formats, if more than one.
    pub(super) fn announce(&self, resource: &mut Resource) {
        let Some(own) = format(resource) else { return };
        let mut formats = vec![own];
        // Of nothing, nothing can be made.
        let of = self.of(resource).into_iter();
        let sure = of.filter(|(converter, _)| converter.is_announced() && resource.size != Some(0));
        formats.extend(sure.map(|(_, mime_type)| Representation::new(mime_type)));
        if formats.len() > 1 {
            list(&formats, &mut resource.meta);
        }
    }

    /// The file as it is, and after it what could be made of it.
    pub(super) fn contents(
        &self,
        mut resource: Resource,
        body: Body,
        allowance: Allowance<'_>,
    ) -> Vec<ResourceContents> {
        let of = self.of(&resource);
        if of.is_empty() {
            return vec![ResourceContents::new(resource, body)];
        }
        let mut derived = Vec::new();
        let mut left = allowance;
        for (converter, mime_type) in of {
            if let Some(text) = attempt(converter, &resource, body.as_bytes(), left) {
                left.room -= text.len();
                derived.push((mime_type.to_owned(), text));
            }
        }
        let mut formats: Vec<_> = format(&resource).into_iter().collect();
        formats.extend(derived.iter().map(|(mime_type, text)| {
            Representation::new(mime_type.as_str()).size(text.len() as u64)
        }));
        list(&formats, &mut resource.meta);
        let derived = derived.into_iter().map(|(mime_type, text)| {
            let size = text.len() as u64;
            let mut resource = resource.clone().mime_type(mime_type).size(size);
            resource
                .meta
                .as_mut()
                .and_then(|meta| meta.remove(ENCODING));
            ResourceContents::new(resource, text)
        });
        let mut contents: Vec<_> = derived.collect();
        contents.insert(0, ResourceContents::new(resource, body));
        contents
    }

    /// The converters that make something of the resource, each with the MIME type it makes: every type once, and not its own.
    fn of(&self, resource: &Resource) -> Vec<(&dyn Converter, &str)> {
        let own = resource.mime_type.as_deref();
        let Some(own) = own.filter(|_| !self.is_as_is) else {
            return Vec::new();
        };
        let mut found: Vec<(&dyn Converter, &str)> = Vec::new();
        for converter in &self.all {
            let Some(gives) = converter.gives(own) else {
                continue;
            };
            let mut known = found.iter().map(|(_, known)| *known).chain([own]);
            if !known.any(|known| known.eq_ignore_ascii_case(gives)) {
                found.push((&**converter, gives));
            }
        }
        found
    }
}

/// The format that a file has by itself.
fn format(resource: &Resource) -> Option<Representation> {
    let mut format = Representation::new(resource.mime_type.as_deref()?);
    format.size = resource.size;
    Some(format)
}

fn list(formats: &[Representation], meta: &mut Option<Meta>) {
    Representation::list(formats, meta.get_or_insert_default());
}

/// Runs the converter over the content; `None`, and a warning where something went wrong, if nothing.
fn attempt(
    converter: &dyn Converter,
    resource: &Resource,
    content: &[u8],
    allowance: Allowance<'_>,
) -> Option<String> {
    let source = Source::new(resource.mime_type.as_deref()?, content);
    let mut draft = Draft::new(allowance.room)
        .within(allowance.time)
        .awaited(allowance.is_awaited);
    // A draft is whole after each piece, and a converter that is left in pieces fails again.
    let ended = catch_unwind(AssertUnwindSafe(|| converter.convert(source, &mut draft)));
    let why: ConvertError = match (ended, draft.finish()) {
        (Err(_), _) => "the converter panicked".into(),
        (Ok(_), Err(stopped)) => stopped.into(),
        (Ok(Err(error)), Ok(_)) => error,
        (Ok(Ok(())), Ok(text)) => return (!text.trim().is_empty()).then_some(text),
    };
    tracing::warn!(
        uri = resource.uri,
        ?converter,
        error = &*why as &dyn Error,
        "could not make another representation of this file"
    );
    None
}

/// The bytes of a file as text: in the encoding of its byte order mark, in UTF-8 if it is valid,
/// else in the encoding of that name, or else in Windows-1252. Bytes that can't be decoded are
/// replaced.
#[cfg(any(feature = "csv", feature = "html"))]
fn decode<'a>(content: &'a [u8], name: Option<&[u8]>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(content) {
        return encoding.decode_without_bom_handling(&content[mark..]).0;
    }
    if let Ok(text) = str::from_utf8(content) {
        return text.into();
    }
    let encoding = name.and_then(Encoding::for_label).unwrap_or(WINDOWS_1252);
    encoding.decode_without_bom_handling(content).0
}

#[cfg(all(
    test,
    any(feature = "html", feature = "csv", feature = "json", feature = "pdf")
))]
mod tests {
    use super::*;

    /// The output of a converter for content, at most 1 MiB.
    pub(super) fn converted(
        converter: &dyn Converter,
        mime_type: &str,
        content: &[u8],
    ) -> Result<String, ConvertError> {
        assert!(converter.gives(mime_type).is_some(), "{mime_type}");
        let mut draft = Draft::new(1 << 20);
        converter.convert(Source::new(mime_type, content), &mut draft)?;
        Ok(draft.finish()?)
    }
}
