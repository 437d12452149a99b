//! Roots: the locations in the file system that a server may use, by the specification's page
//! "Roots". The client provides them.

use super::json::Meta;
use super::record::record;

record! {
    /// A location that the server may use.
    pub struct Root {
        /// The URI of the root: a `file:` URI.
        pub uri: String,
        /// The display name.
        pub name: Option<String>,
        /// Metadata of the root; from 2025-06-18.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A root without a name.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The parameters of `roots/list`.
    #[derive(Default)]
    pub struct ListRootsParams {
        /// Metadata of the request.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// Parameters without metadata.
    pub fn new();
}

record! {
    /// The result of `roots/list`.
    pub struct ListRootsResult {
        /// The roots.
        pub roots: Vec<Root>,
        /// Metadata of the result; until 2025-11-25.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result with these roots.
    pub fn new(roots: impl Into<Vec<Root>>);
}
