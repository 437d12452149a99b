//! HTML as Markdown: from tag to tag, without a tree. A tree of hostile HTML can be deeper than any stack and larger than any
//! memory (a formatting element that is never closed is opened anew in each paragraph); tags in their order are neither.

mod containers;
mod page;
mod paper;
mod tags;
mod words;

use self::page::Page;
use self::tags::{Token, tokens};
use super::{ConvertError, Converter, Draft, Source, decode};

/// The bytes of a page that are searched for the name of its encoding.
const HEAD: usize = 1024;

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

    fn convert(&self, source: Source<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let html = decode(source.content, charset(source.content));
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

/// The encoding that the beginning of the page names.
fn charset(content: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = b"charset=";
    let head = content.get(..HEAD).unwrap_or(content);
    let at = head
        .windows(KEY.len())
        .position(|found| found.eq_ignore_ascii_case(KEY))?;
    let name = head.get(at + KEY.len()..)?;
    let name = name
        .strip_prefix(b"\"")
        .or(name.strip_prefix(b"'"))
        .unwrap_or(name);
    name.split(|byte| b"\"'>;/ ".contains(byte)).next()
}

#[cfg(test)]
mod tests;
