//! The lists of a document: which of them have numbers, and where those begin.

use std::collections::HashMap;

use super::super::ConvertError;
use crate::archive::Archive;
use crate::xml::{Node, attribute};

/// The levels that a list has.
pub(super) const LEVELS: u32 = 9;

/// A level of a list.
#[derive(Clone, Copy, Debug)]
struct Level {
    has_numbers: bool,
    start: u32,
}

/// All lists, by their identifiers.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// The levels of definitions.
    levels: HashMap<(u32, u32), Level>,
    /// The definition of each list.
    definitions: HashMap<u32, u32>,
    /// The first number of each list whose definition begins with another.
    starts: HashMap<(u32, u32), u32>,
}

impl Numbering {
    pub(super) fn read(
        &mut self,
        archive: &mut Archive<'_>,
        name: &str,
    ) -> Result<(), ConvertError> {
        let Some(mut xml) = archive.xml(name)? else {
            return Ok(());
        };
        let (mut definition, mut list, mut level) = (0, 0, 0);
        while let Some(node) = xml.next()? {
            let Node::Start(tag) = node else { continue };
            let number = |name| -> Result<u32, ConvertError> {
                Ok(attribute(&tag, name)?
                    .and_then(|value| value.parse().ok())
                    .unwrap_or_default())
            };
            match tag.local_name().as_ref() {
                "abstractNum" => definition = number("abstractNumId")?,
                "lvl" => {
                    level = number("ilvl")?;
                    let begun = Level {
                        has_numbers: true,
                        start: 1,
                    };
                    self.levels.insert((definition, level), begun);
                }
                "start" => {
                    if let Some(known) = self.levels.get_mut(&(definition, level)) {
                        known.start = number("val")?;
                    }
                }
                "numFmt" => {
                    let format = attribute(&tag, "val")?.unwrap_or_default();
                    if let Some(known) = self.levels.get_mut(&(definition, level)) {
                        known.has_numbers = !matches!(&*format, "bullet" | "none");
                    }
                }
                "num" => {
                    list = number("numId")?;
                    // Levels within are of this list alone, which hardly any has.
                    definition = u32::MAX;
                }
                "abstractNumId" => {
                    self.definitions.insert(list, number("val")?);
                }
                "lvlOverride" => level = number("ilvl")?,
                "startOverride" => {
                    self.starts.insert((list, level), number("val")?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The number of a list's first item on a level, if it has numbers.
    pub(super) fn start(&self, list: u32, level: u32) -> Option<u32> {
        let definition = self.definitions.get(&list)?;
        let known = self.levels.get(&(*definition, level))?;
        let start = self.starts.get(&(list, level)).copied();
        known.has_numbers.then_some(start.unwrap_or(known.start))
    }
}
