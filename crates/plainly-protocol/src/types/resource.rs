//! A resource without its content, and a template of resources: the data types of the spec's page "Resources", with what
//! SEP-2093 adds (collections).

use serde::Deserialize;
use serde_json::json;

use super::common::{Annotations, Icon};
use super::json::Meta;
use super::natural;
use super::record::record;

record! {
    /// A resource, without its content (Resources, "Resource"). Also what a `resource_link` in a tool's result holds.
    pub struct Resource {
        /// The identity of the resource.
        pub uri: String,
        /// The name for programs, and for display where there is no title.
        pub name: String,
        /// The display name.
        pub title: Option<String>,
        /// A description of the resource for the model.
        pub description: Option<String>,
        /// The MIME type; of the preferred representation where there are several.
        pub mime_type: Option<String>,
        /// The size of the raw content in bytes, before any encoding.
        #[serde(default, deserialize_with = "natural::optional")]
        pub size: Option<u64>,
        /// Whether this is a collection, whose contents are other resources. Absent: unknown.
        pub is_collection: Option<bool>,
        /// The requests that it supports. Absent: unknown.
        pub capabilities: Option<ResourceCapabilities>,
        /// Icons to show beside the name.
        pub icons: Option<Vec<Icon>>,
        /// Hints for the host.
        pub annotations: Option<Annotations>,
        /// Metadata of the resource.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A resource known by URI and name only.
    pub fn new(uri: impl Into<String>, name: impl Into<String>);
}

record! {
    /// The requests that a resource supports, in the words of newer drafts of SEP-2093.
    #[derive(Default, Eq)]
    pub struct ResourceCapabilities {
        /// Whether its children can be listed, as those of a collection. Absent: unknown.
        pub list: Option<bool>,
        /// Whether its changes can be reported to clients. Absent: unknown.
        pub subscribe: Option<bool>,
    }

    /// None is known.
    pub fn new();
}

record! {
    /// A family of resources whose URIs follow a template (Resources, "Resource Templates").
    pub struct ResourceTemplate {
        /// The template of the URIs (RFC 6570).
        pub uri_template: String,
        /// The name for programs, and for display where there is no title.
        pub name: String,
        /// The display name.
        pub title: Option<String>,
        /// A description of the resources for the model.
        pub description: Option<String>,
        /// The MIME type, if it is the same for all of them.
        pub mime_type: Option<String>,
        /// The requests that any of them may support. Absent: unknown.
        pub capabilities: Option<ResourceCapabilities>,
        /// Icons to show beside the name.
        pub icons: Option<Vec<Icon>>,
        /// Hints for the host.
        pub annotations: Option<Annotations>,
        /// Metadata of the template.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A template with a name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>);
}

/// The extension of resources: their metadata (SEP-2093), parts and formats.
pub const RESOURCES_EXTENSION: &str = "dev.plainly/resources";

/// The key in the `_meta` of a resource under which the metadata is repeated that clients of older revisions may strip.
pub const MIRRORED: &str = "dev.plainly/resource";

/// The key in the `_meta` of a content for the encoding that its text was decoded from.
pub const TEXT_ENCODING: &str = "dev.plainly/encoding";

/// The key in the `_meta` of a resource under which its formats are listed, the preferred one first.
pub const REPRESENTATIONS: &str = "dev.plainly/representations";

record! {
    /// One of the formats of a resource.
    #[derive(Eq)]
    pub struct Representation {
        /// The MIME type of the contents in this format.
        pub mime_type: String,
        /// Its size in bytes, before any encoding. Absent: unknown before reading.
        #[serde(default, deserialize_with = "natural::optional")]
        pub size: Option<u64>,
        /// Whether single pages can be read in this format, as parts of the resource.
        pub has_pages: Option<bool>,
    }

    /// A format of unknown size.
    pub fn new(mime_type: impl Into<String>);
}

impl Representation {
    /// The formats that `_meta` lists, the preferred one first. None if it has no such list, or something else in its place.
    #[must_use]
    pub fn listed(meta: &Meta) -> Vec<Self> {
        meta.get(REPRESENTATIONS)
            .and_then(|list| Vec::deserialize(list).ok())
            .unwrap_or_default()
    }

    /// Lists these formats in `_meta`, in the place of those that it had.
    pub fn list(formats: &[Self], meta: &mut Meta) {
        meta.insert(REPRESENTATIONS.to_owned(), json!(formats));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_found_again() {
        let formats = [
            Representation::new("text/html").size(10),
            Representation::new("text/markdown"),
        ];
        let mut meta = Meta::new();
        Representation::list(&formats, &mut meta);
        assert_eq!(
            json!(meta),
            json!({ "dev.plainly/representations": [
                { "mimeType": "text/html", "size": 10 },
                { "mimeType": "text/markdown" },
            ]})
        );
        assert_eq!(Representation::listed(&meta), formats);
    }

    #[test]
    fn what_is_no_list_of_formats_is_none() {
        for other in [json!(null), json!("text/html"), json!([1]), json!([{}])] {
            let meta = Meta::from_iter([(REPRESENTATIONS, other.clone())]);
            assert_eq!(Representation::listed(&meta), [], "{other}");
        }
        assert_eq!(Representation::listed(&Meta::new()), []);
    }
}
