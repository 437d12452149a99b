//! What many pages of the spec share: who is speaking ([`Implementation`]), [`Icon`]s, and [`Annotations`] for the host.

use serde::{Deserialize, Serialize};

use super::setters::setters;

/// A client or a server by name and version (Lifecycle, "Implementation"). Self-reported: good for display and logs,
/// never for decisions of trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Implementation {
    /// The name for programs, and for people where there is no title.
    pub name: String,
    /// The version of this program, in its own scheme.
    pub version: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the program does, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Icons to show beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// The URL of the program's site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
}

impl Implementation {
    /// An implementation known by name and version only.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            icons: None,
            website_url: None,
        }
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what the program does.
        description: impl Into<String>;
        /// Sets the icons.
        icons: impl Into<Vec<Icon>>;
        /// Sets the URL of the program's site.
        website_url: impl Into<String>;
    }
}

/// An icon that a user interface can show (Base Protocol, "`icons`").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    /// Where the image is: an `https:` or a `data:` URI.
    pub src: String,
    /// The MIME type, where that of the source is missing or generic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The sizes the image is good for: `48x48` and the like, or `any`. Absent means any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<String>>,
    /// The background the image is drawn for. Absent means any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
}

impl Icon {
    /// An icon for any size and theme.
    pub fn new(src: impl Into<String>) -> Self {
        Self {
            src: src.into(),
            mime_type: None,
            sizes: None,
            theme: None,
        }
    }

    setters! {
        /// Sets the MIME type of the image.
        mime_type: impl Into<String>;
        /// Sets the sizes the image is good for.
        sizes: impl Into<Vec<String>>;
        /// Sets the background the image is drawn for.
        theme: IconTheme;
    }
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

/// Hints for the host on how to use or show a thing (Resources, "Annotations").
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Annotations {
    /// Whom it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<Vec<Role>>,
    /// How important it is, from 0 (optional) to 1 (required).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When it was last changed, as ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl Annotations {
    /// Annotations that say nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets whom it is for.
        audience: impl Into<Vec<Role>>;
        /// Sets how important it is, from 0 to 1.
        priority: f64;
        /// Sets when it was last changed, as ISO 8601.
        last_modified: impl Into<String>;
    }
}

/// A side of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}
