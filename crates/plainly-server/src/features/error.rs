//! The mistakes in definitions that prevent a server from being built, and the check of handlers'
//! requirements.

use std::fmt;

use crate::extract::Needs;
use crate::state::States;

/// A mistake that prevents a server from being built: its subject and its fault.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{subject} {problem}")]
pub struct BuildError {
    subject: String,
    problem: String,
}

plainly_errors::debug_with_causes!(BuildError);

impl BuildError {
    pub(crate) fn new(subject: &str, problem: impl Into<String>) -> Self {
        Self {
            subject: subject.to_owned(),
            problem: problem.into(),
        }
    }

    /// The error for a second `subject` with the same name.
    pub(super) fn twice(subject: &str) -> Self {
        Self::new(subject, "is defined twice")
    }
}

/// All mistakes that prevent a server from being built, or a definition from being added to it; at
/// least one.
#[derive(Clone, PartialEq, Eq)]
pub struct BuildErrors {
    what: &'static str,
    errors: Vec<BuildError>,
}

impl BuildErrors {
    /// The errors for which `what` failed.
    pub(crate) fn of(what: &'static str, errors: Vec<BuildError>) -> Self {
        Self { what, errors }
    }

    /// All mistakes, in order.
    pub fn iter(&self) -> impl Iterator<Item = &BuildError> {
        self.errors.iter()
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.what)?;
        for (index, error) in self.errors.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

/// Writes a line for each mistake, because Rust prints an error of `main` with `Debug`.
impl fmt::Debug for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.what)?;
        self.errors
            .iter()
            .try_for_each(|error| write!(f, "\n    {error}"))
    }
}

impl std::error::Error for BuildErrors {}

/// Adds to `errors` the requirements of the handler of `subject` that the server doesn't meet.
pub(super) fn check_needs(
    subject: &str,
    needs: &Needs,
    states: &States,
    errors: &mut Vec<BuildError>,
) {
    let missing = needs
        .states
        .iter()
        .filter(|needed| !(needed.present)(states));
    for missing in missing {
        errors.push(BuildError::new(
            subject,
            format!(
                "takes State<{0}>, but no {0} was given to state()",
                missing.name
            ),
        ));
    }
    let Some(args) = &needs.args else { return };
    if args.get("type").and_then(|kind| kind.as_str()) != Some("object") {
        errors.push(BuildError::new(
            subject,
            "takes Args of a type that is not a JSON object: use a struct",
        ));
    }
}
