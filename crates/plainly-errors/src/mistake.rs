//! A mistake in data that a peer sent, with its path. The type is the same for parameters,
//! arguments and answers, in protocol errors and in tool results.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::visible::visible;

/// A fault of a value, with its path.
///
/// ```
/// use plainly_errors::Mistake;
///
/// let mistake = Mistake::new("/uri", r#"5 is not of type "string""#);
/// assert_eq!(mistake.to_string(), r#"/uri: 5 is not of type "string""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Mistake {
    /// The path, as a JSON Pointer; empty for the value as a whole. Its middle is removed if it is
    /// very long.
    pub path: String,
    /// The fault: the value found, the value expected, and a similar name if there is one.
    pub message: String,
}

impl Mistake {
    /// A mistake with this path and this message.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            path: match path.len() {
                0..=LONGEST_PATH => path,
                // The peer chooses the names of members.
                _ => shortened(&path, LONGEST_PATH).into_owned(),
            },
            message: visible(&message.into()).into_owned(),
        }
    }

    /// Returns this mistake for an outer value, which has the faulty value as its member `name`.
    ///
    /// ```
    /// use plainly_errors::Mistake;
    ///
    /// let mistake = Mistake::new("/size", "it is missing");
    /// assert_eq!(mistake.under("a/b").path, "/a~1b/size");
    /// ```
    #[must_use]
    pub fn under(self, name: &str) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        Self::new(format!("/{name}{}", self.path), self.message)
    }

    /// All mistakes in one line.
    ///
    /// ```
    /// use plainly_errors::Mistake;
    ///
    /// let mistakes = [Mistake::new("", "it is empty"), Mistake::new("/a", "it is missing")];
    /// assert_eq!(Mistake::list(&mistakes), "it is empty; /a: it is missing");
    /// ```
    #[must_use]
    pub fn list(mistakes: &[Self]) -> String {
        let sentences: Vec<String> = mistakes.iter().map(Self::to_string).collect();
        sentences.join("; ")
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.message),
            path => write!(f, "{}: {}", visible(path), self.message),
        }
    }
}

/// The maximum length of a path in bytes.
const LONGEST_PATH: usize = 512;

/// The maximum number of bytes that a message repeats of a peer's name, URI or header.
pub(crate) const LONGEST_QUOTE: usize = 256;

/// `text` in the form that data may repeat: with its middle removed if it has more than 256 bytes.
///
/// ```
/// use plainly_errors::mistake::quoted;
///
/// assert_eq!(quoted("note://a"), "note://a");
/// assert!(quoted(&"a".repeat(5_000)).len() < 300);
/// ```
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    shortened(text, LONGEST_QUOTE)
}

/// `text` in the form that a sentence may repeat: [quoted] and [visible], so that it can't move the
/// cursor or begin a line.
///
/// ```
/// use plainly_errors::mistake::printable;
///
/// assert_eq!(printable("note://a"), "note://a");
/// assert_eq!(printable("a\u{1b}[2J\n"), r"a\u{1b}[2J\n");
/// ```
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    match quoted(text) {
        Cow::Borrowed(text) => visible(text),
        Cow::Owned(text) => visible(&text).into_owned().into(),
    }
}

/// The result of [`quoted`], in quotation marks.
#[must_use]
pub fn in_quotes(text: &str) -> String {
    format!("{:?}", quoted(text))
}

/// `text`, with its middle removed if it has more than `most` bytes.
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let (before, _) = text.split_at(text.floor_char_boundary(most / 2));
    let (_, after) = text.split_at(text.ceil_char_boundary(text.len() - most / 2));
    format!("{before}…{after}").into()
}
