//! Converts the tags of a page to Markdown. Stores the relevant open tags, in limited memory.
//! Independent of how lines are written.

use std::fmt;

use html5gum::StartTag;

use crate::Draft;
use crate::markdown::{Break, Paper, Rows};

/// Text that is collected to its end before it is written, because the marks around it depend on
/// it.
enum Verbatim {
    Block(String),
    Inline(String),
}

/// A page that is being read.
pub(super) struct Page<'a, 'd> {
    paper: Paper<'a, 'd>,
    /// The element whose content is left out, and the number of open elements of this name.
    skipped: Option<(Vec<u8>, usize)>,
    verbatim: Option<Verbatim>,
    /// The table that is being written. An outer table is only layout, so an inner one replaces it.
    table: Option<Rows>,
}

impl<'a, 'd> Page<'a, 'd> {
    pub(super) fn new(draft: &'a mut Draft<'d>) -> Self {
        Self {
            paper: Paper::new(draft),
            skipped: None,
            verbatim: None,
            table: None,
        }
    }

    /// Fails if the page is no longer needed.
    pub(super) fn check(&mut self) -> fmt::Result {
        self.paper.check()
    }

    pub(super) fn text(&mut self, text: &str) -> fmt::Result {
        match (&self.skipped, &mut self.verbatim) {
            (Some(_), _) => Ok(()),
            (None, Some(Verbatim::Block(code) | Verbatim::Inline(code))) => {
                code.push_str(text);
                Ok(())
            }
            (None, None) => self.paper.text(text),
        }
    }

    pub(super) fn start(&mut self, tag: &StartTag<()>) -> fmt::Result {
        let name = &**tag.name;
        if let Some((skipped, open)) = &mut self.skipped {
            if skipped == name && !tag.self_closing {
                *open += 1;
            }
            return Ok(());
        }
        if let Some(Verbatim::Block(code)) = &mut self.verbatim {
            if name == b"br" {
                code.push('\n');
            }
            return Ok(());
        }
        let attribute = |name: &[u8]| {
            let value = tag.attributes.get(name)?;
            Some(String::from_utf8_lossy(value).into_owned())
        };
        match name {
            b"script" | b"style" | b"title" | b"template" | b"svg" | b"noscript" | b"iframe" => {
                if !tag.self_closing {
                    self.skipped = Some((name.to_owned(), 1));
                }
                Ok(())
            }
            b"pre" | b"xmp" | b"plaintext" | b"textarea" => {
                self.close_verbatim()?;
                self.verbatim = Some(Verbatim::Block(String::new()));
                Ok(())
            }
            b"code" | b"kbd" | b"samp" | b"tt" => {
                if self.verbatim.is_none() {
                    self.verbatim = Some(Verbatim::Inline(String::new()));
                }
                Ok(())
            }
            b"b" | b"strong" => self.paper.bold(true),
            b"i" | b"em" => self.paper.italic(true),
            b"a" => self.paper.open_link(attribute(b"href")),
            b"img" => {
                self.close_verbatim()?;
                self.paper.image(attribute(b"alt"), attribute(b"src"))
            }
            _ if !is_block(name) => Ok(()),
            _ => {
                self.close_verbatim()?;
                let number = || attribute(b"start").and_then(|text| text.parse().ok());
                self.start_block(name, number().unwrap_or(1))
            }
        }
    }

    /// Starts a block. `number` is the first number of an ordered list.
    fn start_block(&mut self, name: &[u8], number: u32) -> fmt::Result {
        match name {
            b"ul" | b"menu" | b"dir" => self.paper.open_list(None),
            b"ol" => self.paper.open_list(Some(number)),
            b"li" => self.paper.open_item(),
            b"blockquote" => self.paper.open_quote(),
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => {
                let level = usize::from(name.last().copied().unwrap_or(b'1') - b'0');
                self.paper.heading(level)
            }
            b"hr" => self.paper.rule(),
            b"table" => {
                // The table around this one was only layout.
                self.paper.in_cell(false);
                self.table = Some(Rows::default());
                self.paper.end_block(Break::Paragraph)
            }
            b"tr" => self.start_row(),
            b"td" | b"th" => self.start_cell(),
            _ => self.paper.end_block(gap(name)),
        }
    }

    pub(super) fn end(&mut self, name: &[u8]) -> fmt::Result {
        if let Some((skipped, open)) = &mut self.skipped {
            if skipped == name {
                *open -= 1;
            }
            // An element that is never closed ends with the page.
            if *open == 0 || name == b"body" || name == b"html" {
                self.skipped = None;
            }
            return Ok(());
        }
        let closes = match &self.verbatim {
            Some(Verbatim::Block(_)) => matches!(name, b"pre" | b"xmp" | b"textarea"),
            Some(Verbatim::Inline(_)) => {
                is_block(name) || matches!(name, b"code" | b"kbd" | b"samp" | b"tt")
            }
            None => true,
        };
        if !closes {
            return Ok(());
        }
        self.close_verbatim()?;
        match name {
            b"b" | b"strong" => self.paper.bold(false),
            b"i" | b"em" => self.paper.italic(false),
            b"a" => self.paper.close_link(),
            b"ul" | b"ol" | b"menu" | b"dir" => self.paper.close_list(),
            b"li" => self.paper.close_item(),
            b"blockquote" => self.paper.close_quote(),
            b"tr" => self.end_row(),
            b"table" => {
                self.end_row()?;
                self.table = None;
                self.paper.end_block(Break::Paragraph)
            }
            _ if !is_block(name) => Ok(()),
            _ => self.paper.end_block(gap(name)),
        }
    }

    /// Closes all open elements.
    pub(super) fn finish(mut self) -> fmt::Result {
        self.close_verbatim()?;
        self.end_row()?;
        self.paper.finish()
    }

    fn close_verbatim(&mut self) -> fmt::Result {
        match self.verbatim.take() {
            Some(Verbatim::Block(code)) => self.paper.code_block(&code),
            Some(Verbatim::Inline(code)) => self.paper.code(&code),
            None => Ok(()),
        }
    }

    fn start_row(&mut self) -> fmt::Result {
        self.end_row()?;
        self.paper.end_block(Break::Line)
    }

    fn start_cell(&mut self) -> fmt::Result {
        match &mut self.table {
            Some(rows) => rows.start_cell(&mut self.paper),
            None => self.paper.end_block(Break::Paragraph),
        }
    }

    fn end_row(&mut self) -> fmt::Result {
        match &mut self.table {
            Some(rows) => rows.end_row(&mut self.paper),
            None => Ok(()),
        }
    }
}

/// Whether an element is a block, separate from the text around it.
fn is_block(name: &[u8]) -> bool {
    matches!(
        name,
        b"address"
            | b"article"
            | b"aside"
            | b"blockquote"
            | b"body"
            | b"br"
            | b"button"
            | b"caption"
            | b"center"
            | b"dd"
            | b"details"
            | b"dialog"
            | b"dir"
            | b"div"
            | b"dl"
            | b"dt"
            | b"fieldset"
            | b"figcaption"
            | b"figure"
            | b"footer"
            | b"form"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"head"
            | b"header"
            | b"hgroup"
            | b"hr"
            | b"html"
            | b"legend"
            | b"li"
            | b"main"
            | b"menu"
            | b"nav"
            | b"ol"
            | b"optgroup"
            | b"option"
            | b"p"
            | b"pre"
            | b"search"
            | b"section"
            | b"select"
            | b"summary"
            | b"table"
            | b"td"
            | b"th"
            | b"tr"
            | b"ul"
    )
}

/// The break before and after a block.
fn gap(name: &[u8]) -> Break {
    match name {
        b"br" | b"button" | b"dd" | b"dt" | b"optgroup" | b"option" => Break::Line,
        _ => Break::Paragraph,
    }
}
