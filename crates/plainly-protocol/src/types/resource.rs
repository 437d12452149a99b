//! A resource without its content, and a resource template: the data types of the specification's
//! page "Resources", with the additions of SEP-2093 (collections).

use serde::Deserialize;
use serde_json::json;

use super::common::{Annotations, Icon};
use super::json::Meta;
use super::natural;
use super::record::record;

record! {
    /// A resource, without its content (Resources, "Resource"). Also the body of a `resource_link`
    /// in a tool result.
    pub struct Resource {
        /// The identity of the resource.
        pub uri: String,
        /// The name for programs, also displayed if there is no title.
        pub name: String,
        /// The display name.
        pub title: Option<String>,
        /// A description of the resource for the model.
        pub description: Option<String>,
        /// The MIME type; that of the preferred representation if there are several.
        pub mime_type: Option<String>,
        /// The size of the raw content in bytes, before any encoding.
        #[serde(default, deserialize_with = "natural::optional")]
        pub size: Option<u64>,
        /// Whether this is a collection, whose contents are other resources. Absent means unknown.
        pub is_collection: Option<bool>,
        /// The requests that the resource supports. Absent means unknown.
        pub capabilities: Option<ResourceCapabilities>,
        /// Icons to show beside the name.
        pub icons: Option<Vec<Icon>>,
        /// Hints for the host.
        pub annotations: Option<Annotations>,
        /// Metadata of the resource.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A resource with only a URI and a name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>);
}

record! {
    /// The requests that a resource supports, in the words of newer drafts of SEP-2093.
    #[derive(Default, Eq)]
    pub struct ResourceCapabilities {
        /// Whether the children can be listed, as for a collection. Absent means unknown.
        pub list: Option<bool>,
        /// Whether clients can subscribe to changes. Absent means unknown.
        pub subscribe: Option<bool>,
    }

    /// Capabilities that are all unknown.
    pub fn new();
}

record! {
    /// A family of resources whose URIs follow a template (Resources, "Resource Templates").
    pub struct ResourceTemplate {
        /// The template of the URIs (RFC 6570).
        pub uri_template: String,
        /// The name for programs, also displayed if there is no title.
        pub name: String,
        /// The display name.
        pub title: Option<String>,
        /// A description of the resources for the model.
        pub description: Option<String>,
        /// The MIME type, if it is the same for all resources of the template.
        pub mime_type: Option<String>,
        /// The requests that any of the resources may support. Absent means unknown.
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

/// The key in the `_meta` of a resource under which metadata is repeated that clients of older
/// revisions may strip.
pub const MIRRORED: &str = "dev.plainly/resource";

/// The key in the `_meta` of contents for the encoding from which the text was decoded.
pub const TEXT_ENCODING: &str = "dev.plainly/encoding";

/// The key in the `_meta` of a resource for the list of its formats, the preferred one first.
pub const REPRESENTATIONS: &str = "dev.plainly/representations";

record! {
    /// One of the formats of a resource.
    #[derive(Eq)]
    pub struct Representation {
        /// The MIME type of the contents in this format.
        pub mime_type: String,
        /// The size in bytes, before any encoding. Absent if it is unknown before reading.
        #[serde(default, deserialize_with = "natural::optional")]
        pub size: Option<u64>,
        /// Whether single pages can be read in this format, as parts of the resource.
        pub has_pages: Option<bool>,
    }

    /// A format of unknown size.
    pub fn new(mime_type: impl Into<String>);
}

impl Representation {
    /// The formats listed in `_meta`, the preferred one first. Empty if there is no valid list.
    #[must_use]
    pub fn listed(meta: &Meta) -> Vec<Self> {
        meta.get(REPRESENTATIONS)
            .and_then(|list| Vec::deserialize(list).ok())
            .unwrap_or_default()
    }

    /// Writes the list of formats to `_meta`, in place of the previous one.
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
