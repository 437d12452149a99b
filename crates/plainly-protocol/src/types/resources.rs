//! Resources and their listings: the spec's page "Resources", with what SEP-2093 adds to it (collections, listing below
//! a URI, `resources/metadata`). URIs are the peers' words and stay as they were written.

use serde::{Deserialize, Serialize};

use super::common::{Annotations, Icon};
use super::contents::ResourceContents;
use super::json::Meta;
use super::pagination::Cursor;
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

/// The parameters of `resources/list`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourcesParams {
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
    /// The collection whose children to list (SEP-2093). Absent: what the server lists at its top.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

impl ListResourcesParams {
    /// The first page of the top.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets where to go on.
        cursor: impl Into<Cursor>;
        /// Sets the collection whose children to list.
        uri: impl Into<String>;
    }
}

/// The result of `resources/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourcesResult {
    /// The resources of this page.
    pub resources: Vec<Resource>,
    /// Where the next page begins. Absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ListResourcesResult {
    /// The last page, or the only one.
    pub fn new(resources: impl Into<Vec<Resource>>) -> Self {
        Self {
            resources: resources.into(),
            next_cursor: None,
            meta: None,
        }
    }

    setters! {
        /// Sets where the next page begins.
        next_cursor: impl Into<Cursor>;
        /// Sets the metadata of the result.
        meta: Meta;
    }
}

/// The parameters of `resources/templates/list`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourceTemplatesParams {
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
}

impl ListResourceTemplatesParams {
    /// The first page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets where to go on.
        cursor: impl Into<Cursor>;
    }
}

/// The result of `resources/templates/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourceTemplatesResult {
    /// The templates of this page.
    pub resource_templates: Vec<ResourceTemplate>,
    /// Where the next page begins. Absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ListResourceTemplatesResult {
    /// The last page, or the only one.
    pub fn new(resource_templates: impl Into<Vec<ResourceTemplate>>) -> Self {
        Self {
            resource_templates: resource_templates.into(),
            next_cursor: None,
            meta: None,
        }
    }

    setters! {
        /// Sets where the next page begins.
        next_cursor: impl Into<Cursor>;
        /// Sets the metadata of the result.
        meta: Meta;
    }
}

/// The result of `resources/read`. What several contents mean depends on whether the resource is a collection (SEP-2093).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadResourceResult {
    /// The content, its representations, or a collection's children.
    pub contents: Vec<ResourceContents>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ReadResourceResult {
    /// A result with these contents.
    pub fn new(contents: impl Into<Vec<ResourceContents>>) -> Self {
        Self {
            contents: contents.into(),
            meta: None,
        }
    }

    setters! {
        /// Sets the metadata of the result.
        meta: Meta;
    }
}

/// The result of `resources/metadata` (SEP-2093).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceMetadataResult {
    /// The resource, without its content.
    pub resource: Resource,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ResourceMetadataResult {
    /// A result with this resource.
    #[must_use]
    pub fn new(resource: Resource) -> Self {
        Self {
            resource,
            meta: None,
        }
    }

    setters! {
        /// Sets the metadata of the result.
        meta: Meta;
    }
}

/// Writes the parameters of a method that names one resource and nothing else.
macro_rules! one_uri {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct $name {
            /// The resource that is meant.
            pub uri: String,
        }

        impl $name {
            /// Names the resource.
            pub fn new(uri: impl Into<String>) -> Self {
                Self { uri: uri.into() }
            }
        }
    )*};
}

one_uri! {
    /// The parameters of `resources/read`.
    ReadResourceParams;
    /// The parameters of `resources/metadata` (SEP-2093).
    ResourceMetadataParams;
    /// The parameters of `resources/subscribe`, up to 2025-11-25.
    SubscribeParams;
    /// The parameters of `resources/unsubscribe`, up to 2025-11-25.
    UnsubscribeParams;
}
