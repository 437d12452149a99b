//! Errors of reading or changing stored credentials, each with a remedy for the user.

use std::error::Error as StdError;
use std::fmt;

/// A failure of a [`TokenStore`](super::TokenStore), in a sentence: what failed, on what, why, and
/// the command that fixes it.
pub struct TokenStoreError {
    failed: String,
    why: Option<String>,
    command: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

plainly_errors::debug_with_causes!(TokenStoreError);

impl TokenStoreError {
    /// Names the failed action and its object, such as `cannot reach the keychain`. It must not
    /// contain secrets.
    pub fn new(failed: impl Into<String>) -> Self {
        Self {
            failed: failed.into(),
            why: None,
            command: None,
            source: None,
        }
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// Adds the command that fixes the failure.
    #[must_use]
    pub fn with_command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    /// Adds the error that caused the failure.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The command that fixes the failure, if there is one.
    pub fn command(&self) -> Option<&str> {
        self.command.as_deref()
    }
}

impl fmt::Display for TokenStoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.failed)?;
        if let Some(why) = &self.why {
            write!(f, ": {why}")?;
        }
        match &self.command {
            Some(command) => write!(f, "; run `{command}`"),
            None => Ok(()),
        }
    }
}

impl StdError for TokenStoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.source.as_deref();
        source.map(|source| source as _)
    }
}
