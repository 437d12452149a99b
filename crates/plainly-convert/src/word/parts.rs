//! The parts of a document and their relationships to other parts and to addresses.

use std::collections::HashMap;

use super::super::ConvertError;
use crate::archive::Archive;
use crate::xml::{Node, attribute};

/// The kinds of parts that are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Document,
    Styles,
    Numbering,
    Footnotes,
    Endnotes,
}

/// The end of each relationship's type, with its kind.
const KINDS: [(&str, Kind); 5] = [
    ("/officeDocument", Kind::Document),
    ("/styles", Kind::Styles),
    ("/numbering", Kind::Numbering),
    ("/footnotes", Kind::Footnotes),
    ("/endnotes", Kind::Endnotes),
];

/// A part, by its name in the archive.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    parts: Vec<(Kind, String)>,
    /// The addresses of links, by their identifiers.
    links: HashMap<String, String>,
}

impl Part {
    /// Reads the relationships of the archive as a whole.
    pub(super) fn root(archive: &mut Archive<'_>) -> Result<Self, ConvertError> {
        Self::read(archive, String::new())
    }

    pub(super) fn read(archive: &mut Archive<'_>, name: String) -> Result<Self, ConvertError> {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
        let separator = if folder.is_empty() { "" } else { "/" };
        let relationships = format!("{folder}{separator}_rels/{file}.rels");
        let prefix = format!("{folder}{separator}");
        let mut part = Self {
            name,
            parts: Vec::new(),
            links: HashMap::new(),
        };
        let Some(mut xml) = archive.xml(&relationships)? else {
            return Ok(part);
        };
        while let Some(node) = xml.next()? {
            let Node::Start(tag) = node else { continue };
            let Some(target) = attribute(&tag, "Target")? else {
                continue;
            };
            if attribute(&tag, "TargetMode")?.as_deref() == Some("External") {
                let id = attribute(&tag, "Id")?.unwrap_or_default();
                part.links.insert(id, target);
                continue;
            }
            let kind = attribute(&tag, "Type")?.unwrap_or_default();
            if let Some((_, kind)) = KINDS.iter().find(|(end, _)| kind.ends_with(end)) {
                let target = match target.strip_prefix('/') {
                    Some(absolute) => absolute.to_owned(),
                    None => format!("{prefix}{target}"),
                };
                part.parts.push((*kind, target));
            }
        }
        Ok(part)
    }

    /// The name of the related part of this kind.
    pub(super) fn target_of(&self, kind: Kind) -> Option<String> {
        let found = self.parts.iter().find(|(other, _)| *other == kind);
        found.map(|(_, name)| name.clone())
    }

    /// The address of a link.
    pub(super) fn link(&self, id: &str) -> Option<&String> {
        self.links.get(id)
    }
}
