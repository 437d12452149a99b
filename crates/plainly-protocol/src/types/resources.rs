//! Listing, reading and describing resources: the requests of the specification's page "Resources",
//! with the additions of SEP-2093 (listing below a URI, `resources/metadata`). URIs are kept as the
//! peer wrote them.

use super::common::Cursor;
use super::contents::ResourceContents;
use super::json::Meta;
use super::record::record;
use super::resource::{Resource, ResourceTemplate};

record! {
    /// The parameters of `resources/list`.
    #[derive(Default)]
    pub struct ListResourcesParams {
        /// The position to continue from.
        pub cursor: Option<Cursor>,
        /// The collection whose children to list (SEP-2093). Absent means the server's top level.
        pub uri: Option<String>,
    }

    /// Requests the first page of the top level.
    pub fn new();
}

record! {
    /// The parameters of `resources/directory/read` (SEP-2640).
    #[derive(Eq)]
    pub struct ReadDirectoryParams {
        /// The directory whose children to list.
        pub uri: String,
        /// The position to continue from.
        pub cursor: Option<Cursor>,
    }

    /// Requests the first page of the directory.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The result of `resources/list`, and of `resources/directory/read` (SEP-2640).
    pub struct ListResourcesResult {
        /// The resources of this page.
        pub resources: Vec<Resource>,
        /// The position of the next page. Absent on the last.
        pub next_cursor: Option<Cursor>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// The last page, or the only one.
    pub fn new(resources: impl Into<Vec<Resource>>);
}

record! {
    /// The parameters of `resources/templates/list`.
    #[derive(Default)]
    pub struct ListResourceTemplatesParams {
        /// The position to continue from.
        pub cursor: Option<Cursor>,
    }

    /// Requests the first page.
    pub fn new();
}

record! {
    /// The result of `resources/templates/list`.
    pub struct ListResourceTemplatesResult {
        /// The templates of this page.
        pub resource_templates: Vec<ResourceTemplate>,
        /// The position of the next page. Absent on the last.
        pub next_cursor: Option<Cursor>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// The last page, or the only one.
    pub fn new(resource_templates: impl Into<Vec<ResourceTemplate>>);
}

record! {
    /// The result of `resources/read`. The meaning of several contents depends on whether the
    /// resource is a collection (SEP-2093).
    pub struct ReadResourceResult {
        /// The content, its representations, or a collection's children.
        pub contents: Vec<ResourceContents>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result with these contents.
    pub fn new(contents: impl Into<Vec<ResourceContents>>);
}

record! {
    /// The result of `resources/metadata` (SEP-2093).
    pub struct ResourceMetadataResult {
        /// The resource, without its content.
        pub resource: Resource,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result with this resource.
    pub fn new(resource: Resource);
}

record! {
    /// The parameters of `resources/read`.
    #[derive(Eq)]
    pub struct ReadResourceParams {
        /// The URI of the resource.
        pub uri: String,
    }

    /// Requests the resource with this URI.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The parameters of `resources/metadata` (SEP-2093).
    #[derive(Eq)]
    pub struct ResourceMetadataParams {
        /// The URI of the resource.
        pub uri: String,
    }

    /// Requests the metadata of the resource with this URI.
    pub fn new(uri: impl Into<String>);
}
