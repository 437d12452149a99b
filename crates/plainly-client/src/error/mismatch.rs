//! A difference between the content of a skill and its server's listing, with both values.

use std::fmt;

#[cfg(feature = "skills")]
use plainly_skills::FrontmatterError;

use super::bounded::BoundedText;

/// The difference between a file of a skill and the entry of the skill.
///
/// It does not show whether the file was tampered with or the entry is merely outdated. Only load
/// an entry that was [requested again](super::LocalError::SkillMismatch).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The server's answer has no content with this URI.
    #[non_exhaustive]
    Content {
        /// The number of contents with other URIs in the answer.
        found: usize,
    },
    /// The file has another length.
    #[non_exhaustive]
    Size {
        /// The bytes in the entry.
        listed: u64,
        /// The number of received bytes.
        found: u64,
    },
    /// The file has another digest.
    #[non_exhaustive]
    Digest {
        /// The digest in the entry.
        listed: String,
        /// The digest of the received bytes.
        found: String,
    },
    /// A field of the frontmatter differs.
    #[non_exhaustive]
    Frontmatter {
        /// The place of the field, as a JSON Pointer.
        path: String,
        /// The value in the entry, as JSON and without its middle if it is long; `None` if the
        /// entry has no such field.
        listed: Option<String>,
        /// The value in the file; `None` if it has no such field.
        found: Option<String>,
    },
    /// The file has no readable frontmatter.
    #[non_exhaustive]
    Unreadable {
        /// The fault, and its line.
        why: String,
    },
}

#[cfg(feature = "skills")]
impl From<FrontmatterError> for Mismatch {
    fn from(error: FrontmatterError) -> Self {
        match error {
            FrontmatterError::Different {
                path,
                listed,
                found,
            } => Self::Frontmatter {
                path,
                listed,
                found,
            },
            FrontmatterError::Unreadable { why } => Self::Unreadable { why },
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content { found: 0 } => f.write_str("the answer has no content"),
            Self::Content { .. } => f.write_str("the answer has only contents of other URIs"),
            Self::Size { listed, found } => write!(f, "it has {found} bytes instead of {listed}"),
            Self::Digest { listed, found } => {
                write!(
                    f,
                    "its digest is {found} instead of {}",
                    BoundedText(listed)
                )
            }
            Self::Frontmatter {
                path,
                listed,
                found,
            } => {
                let (listed, found) = (or_nothing(listed), or_nothing(found));
                let path = BoundedText(path);
                write!(
                    f,
                    "in its frontmatter, {path} is {found} instead of {listed}"
                )
            }
            Self::Unreadable { why } => write!(f, "{}", BoundedText(why)),
        }
    }
}

fn or_nothing(value: &Option<String>) -> BoundedText<'_> {
    BoundedText(value.as_deref().unwrap_or("absent"))
}
