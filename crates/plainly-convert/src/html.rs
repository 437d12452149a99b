//! Converts HTML to Markdown tag by tag, without a tree. A tree of hostile HTML can be deeper than
//! the stack and larger than the memory, because each paragraph opens an unclosed formatting
//! element again. A sequence of tags can't.

mod page;
mod tags;

use self::page::Page;
use self::tags::{Token, tokens};
use super::{ConvertError, Converter, Draft, Original, declared_encoding};
use crate::encoding::decode;

/// The number of tags and texts read between two checks whether the page is still needed, because
/// the page may have nothing to write.
const LOOK: usize = 4096;

/// Converts HTML to `text/markdown`: headings, paragraphs, lists, quotations, code, tables, links
/// and images. Scripts and styles are left out.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Html;

impl Html {
    /// Creates the converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Converter for Html {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        ["text/html", "application/xhtml+xml"]
            .contains(&mime_type)
            .then_some("text/markdown")
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let html = decode(original.content, declared_encoding(original.content));
        let mut page = Page::new(draft);
        for (index, token) in tokens(&html).enumerate() {
            if index % LOOK == 0 {
                page.check()?;
            }
            match token {
                Token::Start(tag) => page.start(&tag)?,
                Token::End(name) => page.end(&name)?,
                Token::Text(text) => page.text(&String::from_utf8_lossy(&text))?,
                Token::Passed => {}
            }
        }
        Ok(page.finish()?)
    }
}

#[cfg(test)]
mod tests;
