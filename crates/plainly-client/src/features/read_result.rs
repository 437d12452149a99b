//! The result of reading a resource, interpreted by the rules of SEP-2093 ("Multi-Content
//! Semantics"), and as far as possible also for servers that don't know these rules.

use plainly_protocol::types::{CacheHint, Meta, ResourceContents};

/// The result of reading a resource: its content in one or more formats or, for a collection, its
/// children.
///
/// ```no_run
/// # async fn example(client: plainly::Client) -> plainly::client::Result<()> {
/// let read = client.read("file:///docs/report.pdf").await?;
/// if let Some(content) = read.representation("text/plain").or(read.primary()) {
///     println!("{} bytes", content.body.as_bytes().len());
/// }
/// for child in read.children() {
///     println!("{}", child.uri);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadResult {
    /// The URI that was read.
    pub uri: String,
    /// All contents, in the server's order.
    pub contents: Vec<ResourceContents>,
    /// The time for which the result may be cached, and the clients that may use it.
    pub cache: CacheHint,
    /// Metadata of the result.
    pub meta: Option<Meta>,
    /// Whether the server declares collections (the extension `dev.plainly/resources`).
    pub(crate) knows_collections: bool,
}

impl ReadResult {
    /// Whether the server answered with no contents, and does not declare collections. The resource
    /// may be missing or empty. Servers must not answer so (SEP-2164, "Specification").
    pub fn is_ambiguous(&self) -> bool {
        self.contents.is_empty() && !self.knows_collections
    }

    /// Whether the contents are those of a collection, according to their own fields. Without these
    /// fields, the contents are a collection's if some of several have a different URI, or if there
    /// are none and the server declares collections, because then only a collection can be empty.
    ///
    /// A single content with a different URI counts as the resource in the server's own spelling.
    pub fn is_collection(&self) -> bool {
        let own = self.contents.iter().find(|content| content.uri == self.uri);
        if let Some(said) = own.and_then(|content| content.is_collection) {
            return said;
        }
        match self.contents.as_slice() {
            [] => self.knows_collections,
            [one] => one.uri != self.uri && one.is_collection.is_some(),
            several => several.iter().any(|content| content.uri != self.uri),
        }
    }

    /// The content in the format that the server prefers: the first one. `None` for a collection,
    /// unless the server declares nothing about collections: then the first content may be the
    /// resource.
    pub fn primary(&self) -> Option<&ResourceContents> {
        let first = self.contents.first();
        self.representations()
            .next()
            .or_else(|| first.filter(|first| first.is_collection.is_none()))
    }

    /// The text in the most preferred text format.
    pub fn text(&self) -> Option<&str> {
        let first = self.primary().into_iter();
        first
            .chain(self.representations())
            .find_map(|content| content.body.as_text())
    }

    /// The content in each available format, the preferred one first. For a collection, only the
    /// contents of its own, if there are any.
    pub fn representations(&self) -> impl Iterator<Item = &ResourceContents> {
        let is_collection = self.is_collection();
        self.contents
            .iter()
            .filter(move |content| !is_collection || content.uri == self.uri)
    }

    /// The content in the format `mime_type`, ignoring case. Parameters such as `charset` only
    /// count if `mime_type` has them.
    pub fn representation(&self, mime_type: &str) -> Option<&ResourceContents> {
        self.representations().find(|content| {
            let own = content.mime_type.as_deref();
            own.is_some_and(|own| is_of_type(own, mime_type))
        })
    }

    /// The children of a collection in this result, which may not be all:
    /// [`Client::resources`](crate::Client::resources) lists all of them. Empty if the resource is
    /// not a collection.
    pub fn children(&self) -> impl Iterator<Item = &ResourceContents> {
        let is_collection = self.is_collection();
        self.contents
            .iter()
            .filter(move |content| is_collection && content.uri != self.uri)
    }
}

/// Whether the type `own` is `wanted`, with its parameters or without.
fn is_of_type(own: &str, wanted: &str) -> bool {
    let essence = own.split(';').next().unwrap_or_default().trim();
    own.eq_ignore_ascii_case(wanted) || essence.eq_ignore_ascii_case(wanted)
}

#[cfg(test)]
mod tests {
    use plainly_protocol::types::Resource;

    use super::*;

    const URI: &str = "file:///docs";

    /// A content with a URI (`.` stands for the requested one), a MIME type, and the field for
    /// collections.
    fn content((uri, mime_type, is_collection): (&str, &str, Option<bool>)) -> ResourceContents {
        let uri = uri.replacen('.', URI, 1);
        let mut resource = Resource::new(uri, "docs").mime_type(mime_type);
        resource.is_collection = is_collection;
        ResourceContents::new(resource, mime_type)
    }

    fn read(contents: &[(&str, &str, Option<bool>)]) -> ReadResult {
        ReadResult {
            uri: URI.to_owned(),
            contents: contents.iter().copied().map(content).collect(),
            cache: CacheHint::default(),
            meta: None,
            knows_collections: true,
        }
    }

    fn texts<'a>(contents: impl Iterator<Item = &'a ResourceContents>) -> Vec<&'a str> {
        contents
            .filter_map(|content| content.body.as_text())
            .collect()
    }

    #[test]
    fn children_and_representations_are_told_apart_also_of_older_servers() {
        let (no, yes) = (Some(false), Some(true));
        // The contents, then the expected primary content, representations and children.
        type Case<'a> = (
            &'a [(&'a str, &'a str, Option<bool>)],
            Option<&'a str>,
            &'a [&'a str],
            &'a [&'a str],
        );
        let cases: [Case<'_>; 10] = [
            (&[], None, &[], &[]),
            (&[(".", "a", no)], Some("a"), &["a"], &[]),
            (
                &[(".", "a", no), (".", "b", no)],
                Some("a"),
                &["a", "b"],
                &[],
            ),
            (&[("./x", "x", no)], None, &[], &["x"]),
            (
                &[("./x", "x", no), ("./y", "y", yes)],
                None,
                &[],
                &["x", "y"],
            ),
            (
                &[(".", "index", yes), ("./x", "x", no)],
                Some("index"),
                &["index"],
                &["x"],
            ),
            // A server that breaks the rules: the field of the resource itself counts.
            (
                &[(".", "a", no), ("./x", "x", no)],
                Some("a"),
                &["a", "x"],
                &[],
            ),
            // Servers without such fields.
            (
                &[(".", "a", None), (".", "b", None)],
                Some("a"),
                &["a", "b"],
                &[],
            ),
            (&[("./", "a", None)], Some("a"), &["a"], &[]),
            (
                &[("./x", "x", None), ("./y", "y", None)],
                Some("x"),
                &[],
                &["x", "y"],
            ),
        ];
        for (contents, primary, representations, children) in cases {
            let read = read(contents);
            let found = texts(read.primary().into_iter());
            assert_eq!(found.first().copied(), primary, "{contents:?}");
            assert_eq!(
                texts(read.representations()),
                representations,
                "{contents:?}"
            );
            assert_eq!(texts(read.children()), children, "{contents:?}");
        }
    }

    #[test]
    fn a_representation_is_found_by_its_mime_type() {
        let types = ["text/html; charset=utf-8", "Text/Markdown", "text/x"];
        let read = read(&types.map(|mime_type| (".", mime_type, Some(false))));
        let found = |wanted| texts(read.representation(wanted).into_iter());
        assert_eq!(found("text/HTML"), [types[0]]);
        assert_eq!(found("text/html; charset=utf-8"), [types[0]]);
        assert_eq!(found("text/markdown"), [types[1]]);
        assert_eq!(found("text/markdown; charset=utf-8"), [""; 0]);
        assert_eq!(found("text"), [""; 0]);
    }
}
