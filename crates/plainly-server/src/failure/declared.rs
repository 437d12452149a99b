//! Failures whose problems are known in advance, so that clients and documentation can name them.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use plainly_errors::{Problem, ProblemCode, Problems, ProtocolError};

use super::{AskError, Failure, IntoFailure, Sealed};

/// An error type of the program whose problems are known: each of its values becomes one of them.
///
/// ```
/// use plainly::server::{DeclaredFailure, DeclaredProblems};
/// use plainly::{Args, Problem, ProblemCode, Tool};
///
/// enum NoteError {
///     Missing(u32),
///     Locked,
/// }
///
/// impl From<NoteError> for Problem {
///     fn from(error: NoteError) -> Self {
///         match error {
///             NoteError::Missing(id) => Problem::not_found("note", id.to_string()),
///             NoteError::Locked => Problem::custom("LOCKED", "Somebody else is writing."),
///         }
///     }
/// }
///
/// impl DeclaredProblems for NoteError {
///     const CODES: &'static [ProblemCode] = &[ProblemCode::NotFound, ProblemCode::custom("LOCKED")];
/// }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Note {
///     id: u32,
/// }
///
/// fn removed(id: u32) -> Result<(), NoteError> {
///     match id {
///         0 => Err(NoteError::Locked),
///         _ => Err(NoteError::Missing(id)),
///     }
/// }
///
/// async fn remove(Args(Note { id }): Args<Note>) -> Result<(), DeclaredFailure<NoteError>> {
///     Ok(removed(id)?)
/// }
///
/// let tool = Tool::new("remove", remove);
/// ```
///
/// The codes are in the `_meta` of the tool, resource, template or prompt, under
/// `dev.plainly/problems`. A problem with another code is sent nevertheless, and named in the log.
pub trait DeclaredProblems: Into<Problem> {
    /// The codes that the problems can have.
    const CODES: &'static [ProblemCode];
}

/// A failure of a handler whose problems `E` [declares](DeclaredProblems). `?` converts an `E`, a
/// [`Problem`], [`Problems`], a [`ProtocolError`] or an [`AskError`].
pub struct DeclaredFailure<E> {
    failure: Failure,
    by: PhantomData<fn() -> E>,
}

/// [`DeclaredFailure`].
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ByDeclaration {}

impl<E: DeclaredProblems> Sealed<ByDeclaration> for DeclaredFailure<E> {}

impl<E: DeclaredProblems> IntoFailure<ByDeclaration> for DeclaredFailure<E> {
    fn into_failure(self) -> Failure {
        self.failure.declaring(E::CODES)
    }

    fn problems() -> &'static [ProblemCode] {
        E::CODES
    }
}

impl<E: DeclaredProblems> From<E> for DeclaredFailure<E> {
    fn from(error: E) -> Self {
        Self::of(error.into())
    }
}

impl<E> DeclaredFailure<E> {
    fn of(error: impl Error + Send + Sync + 'static) -> Self {
        Self {
            failure: error.into(),
            by: PhantomData,
        }
    }
}

/// Implements `From` for each error type of this crate.
macro_rules! from_ours {
    ($($error:ident)*) => {
        $(impl<E> From<$error> for DeclaredFailure<E> {
            fn from(error: $error) -> Self {
                Self::of(error)
            }
        })*
    };
}

from_ours!(Problem Problems ProtocolError AskError);

impl<E> fmt::Debug for DeclaredFailure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}
