//! HTML as Markdown: from tag to tag, without a tree. A tree of hostile HTML can be deeper than any stack and larger than any
//! memory (a formatting element that is never closed is opened anew in each paragraph); tags in their order are neither.

mod page;
mod tags;

use self::page::Page;
use self::tags::{Token, tokens};
use super::{ConvertError, Converter, Draft, Original, declared_encoding};
use crate::encoding::decode;

/// The tags and texts read between two checks whether the page is still wanted: it may have nothing
/// to write.
const LOOK: usize = 4096;

/// `text/markdown` for HTML: headings, paragraphs, lists, quotations, code, tables, links and images. Scripts and styles are
/// left out.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Html;

impl Html {
    /// The converter.
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
