//! The drafts of JSON Schema, in their order.

use serde_json::Value;

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Draft {
    /// The names in `$schema`, without prefix and suffix.
    const NAMES: [(&str, Self); 5] = [
        ("draft-04/schema", Self::Draft4),
        ("draft-06/schema", Self::Draft6),
        ("draft-07/schema", Self::Draft7),
        ("draft/2019-09/schema", Self::Draft201909),
        ("draft/2020-12/schema", Self::Draft202012),
    ];

    /// The draft that `$schema` of `root` names, or MCP's default if it is absent.
    pub(super) fn of(root: &Value) -> Result<Self, String> {
        let Some(named) = root.get("$schema") else {
            return Ok(Self::Draft202012);
        };
        let text = named.as_str().unwrap_or_default();
        // Authors write both schemes. They mean the same, because nothing is fetched.
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

    /// Whether a reference makes all other keywords beside it ineffective.
    pub(super) fn has_lone_references(self) -> bool {
        self <= Self::Draft7
    }
}
