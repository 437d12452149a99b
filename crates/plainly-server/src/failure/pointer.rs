//! Pointers to errors, such as boxes and the types of `anyhow` and `eyre`. Each is stored as it is,
//! because conversion to a box would hide the type of an `anyhow` or `eyre` error.

#[cfg(any(feature = "anyhow", feature = "eyre"))]
use std::any::Any;
use std::error::Error;
use std::fmt;
use std::ops::Deref;

#[cfg(any(feature = "anyhow", feature = "eyre"))]
use plainly_errors::{Problem, Problems, ProtocolError};

use super::meaning::Meaning;

/// A pointer to an error.
pub(super) trait Pointer: Send + Sync {
    /// The error that the pointer points to.
    fn error(&self) -> &(dyn Error + Send + Sync + 'static);

    /// The meaning that was attached to the error, if the sources don't lead to it.
    fn context(&self) -> Option<Meaning<'_>>;
}

impl<P: Deref<Target = dyn Error + Send + Sync> + Send + Sync + 'static> Pointer for P {
    fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &**self
    }

    #[cfg(any(feature = "anyhow", feature = "eyre"))]
    fn context(&self) -> Option<Meaning<'_>> {
        let pointer: &dyn Any = self;
        #[cfg(feature = "anyhow")]
        if let Some(error) = pointer.downcast_ref::<anyhow::Error>() {
            return first(
                error.downcast_ref(),
                error.downcast_ref(),
                error.downcast_ref(),
            );
        }
        #[cfg(feature = "eyre")]
        if let Some(report) = pointer.downcast_ref::<eyre::Report>() {
            return first(
                report.downcast_ref(),
                report.downcast_ref(),
                report.downcast_ref(),
            );
        }
        None
    }

    #[cfg(not(any(feature = "anyhow", feature = "eyre")))]
    fn context(&self) -> Option<Meaning<'_>> {
        None
    }
}

/// The first of several attached errors, because their order is unknown. A problem comes first,
/// because it is more likely to be attached around a protocol error than inside one.
#[cfg(any(feature = "anyhow", feature = "eyre"))]
fn first<'a>(
    problem: Option<&Problem>,
    problems: Option<&Problems>,
    protocol: Option<&ProtocolError>,
) -> Option<Meaning<'a>> {
    let problem = problem.cloned().map(Meaning::Problem);
    let problems = problems.cloned().map(Meaning::Problems);
    problem
        .or(problems)
        .or_else(|| protocol.cloned().map(Meaning::Protocol))
}

/// Converts a pointer to an error type.
pub(super) struct Pointee(pub(super) Box<dyn Pointer>);

impl fmt::Display for Pointee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0.error(), f)
    }
}

impl fmt::Debug for Pointee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0.error(), f)
    }
}

impl Error for Pointee {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.error().source()
    }
}
