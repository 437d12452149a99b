//! The lists of a document: which ones are ordered, and their first numbers.

use std::collections::HashMap;

use super::super::ConvertError;
use crate::archive::Archive;
use crate::xml::{Node, attribute};

/// The number of levels in a list.
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
    /// The levels of each definition.
    levels: HashMap<(u32, u32), Level>,
    /// The definition of each list.
    definitions: HashMap<u32, u32>,
    /// The first number of a list's level, if it differs from its definition.
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
                    // Levels that follow belong to this list alone. They are rare, and are ignored
                    // by this number.
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

    /// The number of the first item on a list's level; `None` if the level isn't ordered.
    pub(super) fn start(&self, list: u32, level: u32) -> Option<u32> {
        let definition = self.definitions.get(&list)?;
        let known = self.levels.get(&(*definition, level))?;
        let start = self.starts.get(&(list, level)).copied();
        known.has_numbers.then_some(start.unwrap_or(known.start))
    }
}
