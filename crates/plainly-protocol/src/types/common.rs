//! Types that many pages of the spec share: [`Implementation`]s, [`Icon`]s, [`Annotations`] for the host, and [`Cursor`]s.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::record::record;

record! {
    /// A client or a server by name and version (Lifecycle, "Implementation"). Self-reported: good for display and logs,
    /// never for decisions of trust.
    pub struct Implementation {
        /// The name for programs, and for display where there is no title.
        pub name: String,
        /// The version of this program, in its own scheme.
        pub version: String,
        /// The display name.
        pub title: Option<String>,
        /// A description of the program, in a sentence.
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
        /// The MIME type, where that of the source is missing or generic.
        pub mime_type: Option<String>,
        /// The sizes the image is good for: `48x48` and the like, or `any`. Absent means any.
        pub sizes: Option<Vec<String>>,
        /// The background the image is drawn for. Absent means any.
        pub theme: Option<IconTheme>,
    }

    /// An icon for any size and theme.
    pub fn new(src: impl Into<String>);
}

/// The background an [`Icon`] is drawn for.
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
    /// Hints for the host on how to use or show a thing (Resources, "Annotations").
    #[derive(Default)]
    pub struct Annotations {
        /// The roles it is for.
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

/// An opaque position in a listing. Empty text is a cursor like any other: only an absent one ends the listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(String);

impl Cursor {
    /// The text as it goes over the wire.
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
