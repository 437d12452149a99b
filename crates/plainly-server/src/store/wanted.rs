//! The wanted formats and pages of a resource.

use plainly_protocol::part::PageRange;
use plainly_protocol::types::ResourceContents;

/// The wanted formats and pages of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wanted {
    /// The formats.
    pub formats: Formats,
    /// Only these pages, as text; `None` for the whole resource.
    pub pages: Option<PageRange>,
}

impl Wanted {
    /// The whole resource in these formats.
    pub fn new(formats: Formats) -> Self {
        Self {
            formats,
            pages: None,
        }
    }

    /// These pages of the resource, as text.
    pub fn of_pages(pages: PageRange) -> Self {
        Self {
            formats: Formats::Own,
            pages: Some(pages),
        }
    }
}

/// Formats of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a store must know each")]
pub enum Formats {
    /// The resource's own format.
    #[default]
    Own,
    /// All formats.
    All,
    /// The formats with these MIME types; the resource's own if it has none of them.
    These(Vec<String>),
}

impl Formats {
    /// Whether this MIME type, which is not the resource's own, is among the formats.
    pub fn include(&self, mime_type: &str) -> bool {
        match self {
            Self::Own => false,
            Self::All => true,
            Self::These(types) => types.iter().any(|it| it.eq_ignore_ascii_case(mime_type)),
        }
    }

    /// Removes the contents of the resource at `uri` in other formats. The first content is in the
    /// resource's own format. Contents count as formats only if the resource is known not to be a
    /// collection.
    pub fn retain(&self, uri: &str, contents: &mut Vec<ResourceContents>) {
        // Nearly all results have a single content, which is kept.
        if contents.len() < 2 {
            return;
        }
        let facts = contents.iter().map(|one| ContentFacts {
            uri: &one.uri,
            mime_type: one.mime_type.as_deref(),
            is_collection: one.is_collection,
        });
        let mut kept = self.kept(uri, facts.collect()).into_iter();
        contents.retain(|_| kept.next().unwrap_or(true));
    }

    /// Whether each of these contents is kept by [`retain`](Self::retain).
    pub(crate) fn kept(&self, uri: &str, contents: Vec<ContentFacts<'_>>) -> Vec<bool> {
        let is_format = |one: &ContentFacts<'_>| one.uri == uri && one.is_collection == Some(false);
        let is_wanted = |one: &ContentFacts<'_>| {
            is_format(one) && self.include(one.mime_type.unwrap_or_default())
        };
        let is_any = contents.iter().any(is_wanted);
        let mut is_own = true;
        let kept = contents.iter().map(|one| {
            let is_kept = !is_format(one) || if is_any { is_wanted(one) } else { is_own };
            is_own &= !is_format(one);
            is_kept
        });
        kept.collect()
    }
}

/// The members that identify a content as a format of a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentFacts<'a> {
    pub(crate) uri: &'a str,
    pub(crate) mime_type: Option<&'a str>,
    pub(crate) is_collection: Option<bool>,
}
