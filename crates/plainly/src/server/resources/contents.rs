//! The last look at what was read of a resource, before it leaves: only a collection has no content of its own, or that
//! of others (SEP-2093). Knows nothing of where it was read.

use plainly_errors::ProtocolError;
use plainly_protocol::types::ResourceContents;

/// What the contents of a resource that is no collection break.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// There are none.
    #[error("reading {uri} gave no contents, and it is no collection")]
    Nothing { uri: String },
    /// Some are another's.
    #[error("reading {uri} gave contents of {other}, and it is no collection")]
    Another { uri: String, other: String },
}

/// Checks `contents` as those of `uri`, if that is no collection.
pub(super) fn check(uri: &str, contents: &[ResourceContents]) -> Result<(), Broken> {
    if contents.is_empty() {
        return Err(Broken::Nothing {
            uri: uri.to_owned(),
        });
    }
    match contents.iter().find(|content| content.uri != uri) {
        None => Ok(()),
        Some(content) => Err(Broken::Another {
            uri: uri.to_owned(),
            other: content.uri.clone(),
        }),
    }
}

/// The peer learns no more than that; the log does.
impl From<Broken> for ProtocolError {
    fn from(broken: Broken) -> Self {
        Self::internal("The resource could not be read").with_source(broken)
    }
}
