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
        let is_format = |one: &ResourceContents| one.uri == uri && one.is_collection == Some(false);
        let is_wanted = |one: &ResourceContents| {
            let mime_type = one.mime_type.as_deref().unwrap_or_default();
            is_format(one) && self.include(mime_type)
        };
        let is_any = contents.iter().any(is_wanted);
        let mut is_own = true;
        contents.retain(|one| {
            let is_kept = !is_format(one) || if is_any { is_wanted(one) } else { is_own };
            is_own &= !is_format(one);
            is_kept
        });
    }
}
