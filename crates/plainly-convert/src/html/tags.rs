//! HTML as tags and texts in their order. Of a tag only those attributes are kept that mean something: a single tag can have
//! as many as a file has room for, and all of them would take many times that. Knows nothing of what they mean.

use std::collections::btree_map::Entry;
use std::mem;

use html5gum::emitters::callback::{Callback, CallbackEmitter, CallbackEvent};
use html5gum::{HtmlString, Span, Spanned, StartTag, Tokenizer};

/// The attributes that are kept.
const KEPT: [&[u8]; 4] = [b"href", b"src", b"alt", b"start"];

/// A piece of a page.
pub(super) enum Token {
    Start(StartTag<()>),
    /// With the name of the tag.
    End(Vec<u8>),
    Text(Vec<u8>),
    /// Nothing to write, so that the reader can stop in between.
    Passed,
}

/// The pieces of a page, one after the other.
pub(super) fn tokens(html: &str) -> impl Iterator<Item = Token> {
    let mut emitter = CallbackEmitter::new(Pieces::default());
    // Or what is in scripts and styles would be read as tags.
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
    /// The attribute whose value comes next, if it is kept.
    attribute: Option<HtmlString>,
}

impl Pieces {
    /// The first attribute of a name counts.
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
