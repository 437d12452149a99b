//! The condition of a change, checked against the current state.

use cap_std::fs::Metadata;
use plainly::store::{When, WriteError};

use crate::content;

/// A [`When`] that a job can own.
#[derive(Debug)]
pub(super) enum Condition {
    Always,
    Absent,
    Tag(String),
}

impl From<When<'_>> for Condition {
    fn from(when: When<'_>) -> Self {
        match when {
            When::Always => Self::Always,
            When::Absent => Self::Absent,
            When::Tag(tag) => Self::Tag(tag.to_owned()),
        }
    }
}

impl Condition {
    /// Fails unless the condition allows that nothing exists.
    pub(super) fn check_absent(&self) -> Result<(), WriteError> {
        match self {
            Self::Always | Self::Absent => Ok(()),
            Self::Tag(_) => Err(WriteError::Changed { tag: None }),
        }
    }

    /// Fails unless the condition allows this file.
    pub(super) fn check_file(&self, file: &Metadata) -> Result<(), WriteError> {
        self.check(content::tag(file))
    }

    /// Fails unless the condition allows a directory, which has no tag.
    pub(super) fn check_directory(&self) -> Result<(), WriteError> {
        self.check(None)
    }

    fn check(&self, present: Option<String>) -> Result<(), WriteError> {
        match self {
            Self::Always => Ok(()),
            Self::Absent => Err(WriteError::Exists),
            Self::Tag(tag) if present.as_ref() == Some(tag) => Ok(()),
            Self::Tag(_) => Err(WriteError::Changed { tag: present }),
        }
    }
}
