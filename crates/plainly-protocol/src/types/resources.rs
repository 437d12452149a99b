//! Listing, reading and describing resources: the requests of the spec's page "Resources", with what SEP-2093 adds to it
//! (listing below a URI, `resources/metadata`). URIs are the peers' words and stay as they were written.

use serde::{Deserialize, Serialize};

use super::contents::ResourceContents;
use super::json::Meta;
use super::pagination::Cursor;
use super::resource::{Resource, ResourceTemplate};
use super::setters::setters;

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

/// The parameters of `resources/directory/read` (SEP-2640).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadDirectoryParams {
    /// The directory whose children to list.
    pub uri: String,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
}

impl ReadDirectoryParams {
    /// The first page of the directory.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            cursor: None,
        }
    }

    setters! {
        /// Sets where to go on.
        cursor: impl Into<Cursor>;
    }
}

/// The result of `resources/list`, and of `resources/directory/read` (SEP-2640).
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

pub(super) use one_uri;

one_uri! {
    /// The parameters of `resources/read`.
    ReadResourceParams;
    /// The parameters of `resources/metadata` (SEP-2093).
    ResourceMetadataParams;
}
