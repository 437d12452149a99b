//! Types that many pages of the specification use: [`Implementation`]s, [`Icon`]s, [`Annotations`]
//! for the host, and [`Cursor`]s.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::record::record;

record! {
    /// The name and version of a client or a server (Lifecycle, "Implementation"). Self-reported:
    /// suitable for display and logs, but not for decisions about trust.
    pub struct Implementation {
        /// The name for programs, also displayed if there is no title.
        pub name: String,
        /// The version of this program, in its own scheme.
        pub version: String,
        /// The display name.
        pub title: Option<String>,
        /// A description of the program in one sentence.
        pub description: Option<String>,
        /// Icons to show beside the name.
        pub icons: Option<Vec<Icon>>,
        /// The URL of the program's site.
        pub website_url: Option<String>,
    }

    /// An implementation known by name and version only.
    pub fn new(name: impl Into<String>, version: impl Into<String>);
}

record! {
    /// An icon that a user interface can show (Base Protocol, "`icons`").
    pub struct Icon {
        /// The URL of the image: an `https:` or a `data:` URI.
        pub src: String,
        /// The MIME type, if that of the source is missing or generic.
        pub mime_type: Option<String>,
        /// The sizes that the image is suitable for, such as `48x48` or `any`. Absent means any.
        pub sizes: Option<Vec<String>>,
        /// The background that the image is drawn for. Absent means any.
        pub theme: Option<IconTheme>,
    }

    /// An icon for any size and theme.
    pub fn new(src: impl Into<String>);
}

/// The background that an [`Icon`] is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum IconTheme {
    /// For a light background.
    Light,
    /// For a dark background.
    Dark,
}

record! {
    /// Hints for the host on how to use or show an item (Resources, "Annotations").
    #[derive(Default)]
    pub struct Annotations {
        /// The roles that the item is meant for.
        pub audience: Option<Vec<Role>>,
        /// The importance, from 0 (optional) to 1 (required).
        pub priority: Option<f64>,
        /// The time of the last change, as ISO 8601.
        pub last_modified: Option<String>,
    }

    /// Empty annotations.
    pub fn new();
}

/// A side of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// An opaque position in a listing. An empty text is a valid cursor: only an absent one ends the
/// listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(String);

impl Cursor {
    /// The text on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<String> for Cursor {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Cursor {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

/// Reads `null` as absent.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
