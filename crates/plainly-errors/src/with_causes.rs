//! An error with its causes, as printed by a program whose `main` returns the error.

use std::error::Error;
use std::fmt;

/// Writes the error and, below it, each cause that adds information. The library's errors use it as
/// their `Debug`, which Rust prints for an error that `main` returns.
///
/// ```
/// use std::fmt;
///
/// #[derive(thiserror::Error)]
/// #[error("cannot read the settings")]
/// struct Unreadable(#[source] fmt::Error);
///
/// impl fmt::Debug for Unreadable {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         plainly_errors::with_causes(self, f)
///     }
/// }
///
/// let cause = fmt::Error;
/// let expected = format!("cannot read the settings\n\nCaused by:\n    {cause}");
/// assert_eq!(format!("{:?}", Unreadable(cause)), expected);
/// ```
pub fn with_causes(error: &dyn Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut last = error.to_string();
    f.write_str(&last)?;
    let mut heading = "\n\nCaused by:";
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        let cause = cause.to_string();
        // Some error messages already contain their cause.
        if last.ends_with(&cause) {
            continue;
        }
        write!(f, "{heading}\n    {cause}")?;
        heading = "";
        last = cause;
    }
    Ok(())
}

/// Implements `Debug` for error types by [`with_causes`].
#[doc(hidden)]
#[macro_export]
macro_rules! debug_with_causes {
    ($($error:ty),+ $(,)?) => {$(
        impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::with_causes(self, f)
            }
        }
    )+};
}
