//! The formats that a resource comes in, told in its `_meta` so that nobody has to read it to know. SEP-2093 has the formats
//! as contents of a reading; the list of them is plainly's own.

use serde::Deserialize;
use serde_json::json;

use super::json::Meta;
use super::record::record;

/// The key in the `_meta` of a resource under which its formats are listed, the preferred one first.
pub const REPRESENTATIONS: &str = "dev.plainly/representations";

record! {
    /// One of the formats of a resource.
    #[derive(Eq)]
    pub struct Representation {
        /// The MIME type of the contents in this format.
        pub mime_type: String,
        /// Its size in bytes, before any encoding. Absent: only reading tells.
        pub size: Option<u64>,
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
