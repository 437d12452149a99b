//! What keeps a server from being built.

use std::fmt;

/// One thing that keeps a server from being built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject} {problem}")]
pub struct BuildError {
    subject: String,
    problem: String,
}

impl BuildError {
    pub(in crate::server) fn new(subject: &str, problem: impl Into<String>) -> Self {
        Self {
            subject: subject.to_owned(),
            problem: problem.into(),
        }
    }
}

/// Everything that keeps a server from being built; at least one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildErrors(pub(super) Vec<BuildError>);

impl BuildErrors {
    /// One by one.
    pub fn iter(&self) -> impl Iterator<Item = &BuildError> {
        self.0.iter()
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server can't be built: ")?;
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildErrors {}
