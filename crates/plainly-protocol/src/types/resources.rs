//! Listing, reading and describing resources: the requests of the spec's page "Resources", with what SEP-2093 adds to it
//! (listing below a URI, `resources/metadata`). URIs are the peers' words and stay as they were written.

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
        /// The collection whose children to list (SEP-2093). Absent: what the server lists at its top.
        pub uri: Option<String>,
    }

    /// The first page of the top.
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

    /// The first page of the directory.
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

    /// The first page.
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
    /// The result of `resources/read`. What several contents mean depends on whether the resource is a collection (SEP-2093).
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
        /// The resource that is meant.
        pub uri: String,
    }

    /// Names the resource.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The parameters of `resources/metadata` (SEP-2093).
    #[derive(Eq)]
    pub struct ResourceMetadataParams {
        /// The resource that is meant.
        pub uri: String,
    }

    /// Names the resource.
    pub fn new(uri: impl Into<String>);
}
