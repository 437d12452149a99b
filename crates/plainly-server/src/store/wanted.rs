//! The formats and the pages of a resource that are wanted.

use plainly_protocol::part::PageRange;
use plainly_protocol::types::ResourceContents;

/// The formats and the pages of a resource that are wanted.
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
    /// The one that the resource has by itself.
    #[default]
    Own,
    /// All that there are.
    All,
    /// The formats of these MIME types; its own, if there are none of them.
    These(Vec<String>),
}

impl Formats {
    /// Whether a format of this MIME type, which is not the resource's own, is among these.
    pub fn include(&self, mime_type: &str) -> bool {
        match self {
            Self::Own => false,
            Self::All => true,
            Self::These(types) => types.iter().any(|it| it.eq_ignore_ascii_case(mime_type)),
        }
    }

    /// Removes the contents of the resource at `uri` in other formats. The first one is in the resource's own. Only contents of a
    /// resource that is known to be no collection are formats of it.
    pub fn retain(&self, uri: &str, contents: &mut Vec<ResourceContents>) {
        // Nearly all have a single content, which stays.
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

    /// Whether each of these contents stays where [`retain`](Self::retain) removes some.
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

/// The members by which a content is known to be a format of a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentFacts<'a> {
    pub(crate) uri: &'a str,
    pub(crate) mime_type: Option<&'a str>,
    pub(crate) is_collection: Option<bool>,
}
