//! A resource without its content, and a template of resources: the data types of the spec's page "Resources", with what
//! SEP-2093 adds (collections).

use serde::{Deserialize, Serialize};

use super::common::{Annotations, Icon};
use super::json::Meta;
use super::setters::setters;

/// A resource, without its content (Resources, "Resource"). Also what a `resource_link` in a tool's result holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// The identity of the resource.
    pub uri: String,
    /// The name for programs, and for people where there is no title.
    pub name: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the resource is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The MIME type; of the preferred representation where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The size of the raw content in bytes, before any encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Whether this is a collection, whose contents are other resources. Absent: the server doesn't say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_collection: Option<bool>,
    /// Icons to show beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Hints for the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Metadata of the resource.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Resource {
    /// A resource known by URI and name only.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            is_collection: None,
            icons: None,
            annotations: None,
            meta: None,
        }
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what the resource is.
        description: impl Into<String>;
        /// Sets the MIME type.
        mime_type: impl Into<String>;
        /// Sets the size of the raw content in bytes.
        size: u64;
        /// Sets whether this is a collection.
        is_collection: bool;
        /// Sets the icons.
        icons: impl Into<Vec<Icon>>;
        /// Sets the hints for the host.
        annotations: Annotations;
        /// Sets the metadata of the resource.
        meta: Meta;
    }
}

/// A family of resources whose URIs follow a template (Resources, "Resource Templates").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The template of the URIs (RFC 6570).
    pub uri_template: String,
    /// The name for programs, and for people where there is no title.
    pub name: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the resources are, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The MIME type, if it is the same for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Icons to show beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Hints for the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Metadata of the template.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ResourceTemplate {
    /// A template with a name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: None,
            annotations: None,
            meta: None,
        }
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what the resources are.
        description: impl Into<String>;
        /// Sets the MIME type of all of them.
        mime_type: impl Into<String>;
        /// Sets the icons.
        icons: impl Into<Vec<Icon>>;
        /// Sets the hints for the host.
        annotations: Annotations;
        /// Sets the metadata of the template.
        meta: Meta;
    }
}
