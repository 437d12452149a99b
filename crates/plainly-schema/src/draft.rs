//! The drafts of JSON Schema, in their order.

use serde_json::Value;

/// A draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Draft {
    /// As `$schema` names them, without what comes before and after.
    const NAMES: [(&str, Self); 5] = [
        ("draft-04/schema", Self::Draft4),
        ("draft-06/schema", Self::Draft6),
        ("draft-07/schema", Self::Draft7),
        ("draft/2019-09/schema", Self::Draft201909),
        ("draft/2020-12/schema", Self::Draft202012),
    ];

    /// The draft that `$schema` of `root` names; without it, MCP's default.
    pub(super) fn of(root: &Value) -> Result<Self, String> {
        let Some(named) = root.get("$schema") else {
            return Ok(Self::Draft202012);
        };
        let text = named.as_str().unwrap_or_default();
        // Authors write either, and as nothing is fetched they mean the same.
        let scheme = ["http://", "https://"].into_iter();
        let path = scheme
            .filter_map(|scheme| text.strip_prefix(scheme)?.strip_prefix("json-schema.org/"))
            .next()
            .map(|path| path.strip_suffix('#').unwrap_or(path));
        let draft = Self::NAMES.iter().find(|(name, _)| Some(*name) == path);
        draft.map(|(_, draft)| *draft).ok_or_else(|| {
            format!("/$schema: {named} is not a known draft, from draft-04 to draft/2020-12")
        })
    }

    /// The keyword for the base of references.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Draft4 => "id",
            Self::Draft6 | Self::Draft7 | Self::Draft201909 | Self::Draft202012 => "$id",
        }
    }

    /// Whether nothing counts beside a reference.
    pub(super) fn has_lone_references(self) -> bool {
        self <= Self::Draft7
    }
}
