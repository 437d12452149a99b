//! The styles of a document: which ones are headings or lists, and which make text bold or italic.

use std::collections::HashMap;

use super::super::ConvertError;
use crate::archive::Archive;
use crate::xml::{Node, attribute};

/// The maximum number of styles searched for a property, each based on the next. They may form a
/// circle.
const CHAIN: usize = 16;

/// The properties of a style.
#[derive(Clone, Debug, Default)]
struct Style {
    based_on: Option<String>,
    /// The level of a heading, from 1; 0 for text that is not a heading.
    heading: Option<usize>,
    list: Option<u32>,
    bold: Option<bool>,
    italic: Option<bool>,
}

/// All styles, by their identifiers.
#[derive(Debug, Default)]
pub(super) struct Styles(HashMap<String, Style>);

impl Styles {
    pub(super) fn read(
        &mut self,
        archive: &mut Archive<'_>,
        name: &str,
    ) -> Result<(), ConvertError> {
        let Some(mut xml) = archive.xml(name)? else {
            return Ok(());
        };
        let mut current = None;
        while let Some(node) = xml.next()? {
            match (node, &mut current) {
                (Node::Start(tag), None) if tag.local_name().as_ref() == "style" => {
                    let id = attribute(&tag, "styleId")?.unwrap_or_default();
                    current = Some((id, Style::default()));
                }
                (Node::Start(tag), Some((_, style))) => {
                    let value = attribute(&tag, "val")?;
                    style.learn(tag.local_name().as_ref(), value);
                }
                (Node::End(tag), Some(_)) if tag.local_name().as_ref() == "style" => {
                    self.0.extend(current.take());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The heading level of paragraphs with this style.
    pub(super) fn heading(&self, id: &str) -> Option<usize> {
        let level = match self.0.get(id) {
            Some(_) => self.find(id, |style| style.heading),
            // A document without styles still uses their common names.
            None => named_heading(id),
        };
        level.filter(|level| *level > 0)
    }

    /// The list of paragraphs with this style.
    pub(super) fn list(&self, id: &str) -> Option<u32> {
        self.find(id, |style| style.list)
    }

    /// Whether text of this style is bold.
    pub(super) fn is_bold(&self, id: &str) -> bool {
        self.find(id, |style| style.bold).unwrap_or_default()
    }

    /// Whether text of this style is italic.
    pub(super) fn is_italic(&self, id: &str) -> bool {
        self.find(id, |style| style.italic).unwrap_or_default()
    }

    /// The property of a style, or else of a style that it is based on.
    fn find<T>(&self, id: &str, says: impl Fn(&Style) -> Option<T>) -> Option<T> {
        let mut style = self.0.get(id);
        for _ in 0..CHAIN {
            let found = style?;
            if let Some(said) = says(found) {
                return Some(said);
            }
            style = self.0.get(found.based_on.as_ref()?);
        }
        None
    }
}

impl Style {
    /// Stores an element of the style.
    fn learn(&mut self, element: &str, value: Option<String>) {
        match element {
            "name" => {
                let named = value.as_deref().and_then(named_heading);
                self.heading = named.or(self.heading);
            }
            "basedOn" => self.based_on = value,
            "outlineLvl" => self.heading = heading(value.as_deref()).or(self.heading),
            "numId" => self.list = value.and_then(|id| id.parse().ok()),
            "b" => self.bold = Some(is_on(value.as_deref())),
            "i" => self.italic = Some(is_on(value.as_deref())),
            _ => {}
        }
    }
}

/// The heading level for an outline level. Nine outline levels are headings, the tenth is text.
pub(super) fn heading(outline: Option<&str>) -> Option<usize> {
    let level: usize = outline?.parse().ok()?;
    Some(if level < 9 { (level + 1).min(6) } else { 0 })
}

/// The heading level by the name of a style. Built-in styles have the same names in every language.
fn named_heading(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(1);
    }
    let level: usize = name.strip_prefix("heading")?.trim().parse().ok()?;
    (1..=9).contains(&level).then_some(level.min(6))
}

/// Whether a switch is on. A switch without a value is on.
pub(super) fn is_on(value: Option<&str>) -> bool {
    !matches!(value, Some("0" | "false" | "off" | "none"))
}
