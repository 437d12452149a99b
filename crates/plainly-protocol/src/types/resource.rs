//! A resource without its content, and a template of resources: the data types of the spec's page "Resources", with what
//! SEP-2093 adds (collections).

use super::common::{Annotations, Icon};
use super::json::Meta;
use super::record::record;

record! {
    /// A resource, without its content (Resources, "Resource"). Also what a `resource_link` in a tool's result holds.
    pub struct Resource {
        /// The identity of the resource.
        pub uri: String,
        /// The name for programs, and for people where there is no title.
        pub name: String,
        /// The name for people.
        pub title: Option<String>,
        /// What the resource is, for the model.
        pub description: Option<String>,
        /// The MIME type; of the preferred representation where there are several.
        pub mime_type: Option<String>,
        /// The size of the raw content in bytes, before any encoding.
        pub size: Option<u64>,
        /// Whether this is a collection, whose contents are other resources. Absent: the server doesn't say.
        pub is_collection: Option<bool>,
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
    /// A family of resources whose URIs follow a template (Resources, "Resource Templates").
    pub struct ResourceTemplate {
        /// The template of the URIs (RFC 6570).
        pub uri_template: String,
        /// The name for programs, and for people where there is no title.
        pub name: String,
        /// The name for people.
        pub title: Option<String>,
        /// What the resources are, for the model.
        pub description: Option<String>,
        /// The MIME type, if it is the same for all of them.
        pub mime_type: Option<String>,
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
