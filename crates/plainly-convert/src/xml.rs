//! Reads XML tag by tag, without a tree. Entities can't expand, and the depth is limited.

use std::borrow::Cow;
use std::io::BufRead;

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesEnd, BytesRef, BytesStart, Event};

use super::ConvertError;

/// The maximum number of open elements. A table in a text box in a table needs about forty.
const DEPTH: usize = 64;

/// A piece of XML.
pub(crate) enum Node<'a> {
    /// A start tag.
    Start(BytesStart<'a>),
    /// An end tag, also for an element without content.
    End(BytesEnd<'a>),
    Text(Cow<'a, str>),
    /// A comment or similar, which is skipped.
    Passed,
}

/// A document that is being read.
pub(crate) struct Xml<R> {
    reader: quick_xml::Reader<R>,
    buffer: Vec<u8>,
    depth: usize,
}

impl<R: BufRead> Xml<R> {
    pub(crate) fn new(content: R) -> Self {
        let mut reader = quick_xml::Reader::from_reader(content);
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            buffer: Vec::new(),
            depth: 0,
        }
    }

    /// The next node; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Node<'_>>, ConvertError> {
        self.buffer.clear();
        Ok(Some(
            match self.reader.read_event_into(&mut self.buffer)? {
                Event::Start(tag) | Event::Empty(tag) => {
                    self.depth += 1;
                    if self.depth > DEPTH {
                        return Err(
                            format!("its XML is nested deeper than {DEPTH} elements").into()
                        );
                    }
                    Node::Start(tag)
                }
                Event::End(tag) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::End(tag)
                }
                Event::Text(text) => Node::Text(text.into_inner()),
                Event::CData(text) => Node::Text(text.into_inner()),
                Event::GeneralRef(reference) => Node::Text(resolved(&reference)?),
                Event::DocType(_) => {
                    return Err("its XML has a document type, which may define entities".into());
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => Node::Passed,
                Event::Eof if self.depth > 0 => return Err("its XML ends within an element".into()),
                Event::Eof => return Ok(None),
            },
        ))
    }
}

/// The character for a reference.
fn resolved(reference: &BytesRef<'_>) -> Result<Cow<'static, str>, ConvertError> {
    if let Some(letter) = reference.resolve_char_ref()? {
        return Ok(letter.to_string().into());
    }
    match resolve_predefined_entity(&reference.xml10_content()) {
        Some(letter) => Ok(letter.into()),
        None => Err("its XML has an entity of its own".into()),
    }
}

/// The value of an attribute, in any namespace.
pub(crate) fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, ConvertError> {
    attributes(tag, name).next().transpose()
}

/// The values of all attributes of this name. There should be only one.
pub(crate) fn attributes(
    tag: &BytesStart<'_>,
    name: &str,
) -> impl Iterator<Item = Result<String, ConvertError>> {
    // The check for duplicate attributes would take too long if there are many.
    let mut attributes = tag.attributes();
    attributes.with_checks(false);
    attributes.filter_map(move |attribute| {
        let attribute = match attribute {
            Ok(attribute) => attribute,
            Err(error) => return Some(Err(error.into())),
        };
        let is_named = attribute.key.local_name().as_ref() == name;
        is_named.then(|| {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
            Ok(value.into_owned())
        })
    })
}
