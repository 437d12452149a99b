//! HTML as a sequence of tags and texts. Only relevant attributes are stored, because a single tag
//! can have as many as fit into a file, and storing all of them would take many times that.
//! Independent of their meaning.

use std::collections::btree_map::Entry;
use std::mem;

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{HtmlString, Span, Spanned, StartTag, Tokenizer};

/// The attributes that are stored.
const KEPT: [&[u8]; 4] = [b"href", b"src", b"alt", b"start"];

/// A piece of a page.
pub(super) enum Token {
    Start(StartTag<()>),
    /// The end tag with this name.
    End(Vec<u8>),
    Text(Vec<u8>),
    /// Nothing to write. Lets the reader stop in between.
    Passed,
}

/// The tokens of a page.
pub(super) fn tokens(html: &str) -> impl Iterator<Item = Token> {
    let mut emitter = CallbackEmitter::new(Pieces::default());
    // Otherwise the content of scripts and styles would be read as tags.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).map(|token| {
        let Ok(token) = token;
        token
    })
}

/// The tag that is being read.
#[derive(Default)]
struct Pieces {
    tag: StartTag<()>,
    /// The attribute whose value follows, if it is stored.
    attribute: Option<HtmlString>,
}

impl Pieces {
    /// Starts an attribute. Only the first one of each name is used.
    fn attribute(&mut self, name: &[u8]) {
        self.attribute = None;
        if !KEPT.contains(&name) {
            return;
        }
        let name = HtmlString(name.to_owned());
        if let Entry::Vacant(new) = self.tag.attributes.entry(name.clone()) {
            new.insert(Spanned::default());
            self.attribute = Some(name);
        }
    }

    fn value(&mut self, value: &[u8]) {
        if let Some(name) = &self.attribute
            && let Some(attribute) = self.tag.attributes.get_mut(name)
        {
            attribute.value.extend_from_slice(value);
        }
    }
}

impl Callback<Token, ()> for Pieces {
    fn handle_event(&mut self, event: CallbackEvent<'_>, _: Span<()>) -> Option<Token> {
        Some(match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = StartTag {
                    name: HtmlString(name.to_owned()),
                    ..StartTag::default()
                };
                return None;
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute(name);
                Token::Passed
            }
            CallbackEvent::AttributeValue { value } => {
                self.value(value);
                return None;
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                self.tag.self_closing = self_closing;
                Token::Start(mem::take(&mut self.tag))
            }
            CallbackEvent::EndTag { name } => Token::End(name.to_owned()),
            CallbackEvent::String { value } => Token::Text(value.to_owned()),
            CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => Token::Passed,
        })
    }
}
