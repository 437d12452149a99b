//! The errors of records and journals.

use std::error::Error;

use plainly_errors::{ProtocolError, Unavailable};

/// The reason why records and journals can't be read or written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Nothing was read or written.
    #[error("the shared store can't be reached")]
    Refused(#[source] Box<dyn Error + Send + Sync>),
    /// The value may have been written or not.
    #[error("the shared store did not confirm a write")]
    Unknown(#[source] Box<dyn Error + Send + Sync>),
    /// Nothing was written, because the value is larger than the maximum.
    #[error("the value is too large for the shared store")]
    TooLarge,
    /// Nothing was written, because the store is full.
    #[error("the shared store is full")]
    Full,
}

plainly_errors::debug_with_causes!(EngineError);

impl From<EngineError> for ProtocolError {
    fn from(error: EngineError) -> Self {
        let why = match error {
            EngineError::Refused(_) => {
                "The store of this server can't be reached at the moment: try again later"
            }
            EngineError::Unknown(_) => {
                "The store of this server did not confirm the change: send the request again"
            }
            EngineError::TooLarge => "This is too large for the store of this server: send less",
            EngineError::Full => "The store of this server is full: try again later",
        };
        let unavailable = Self::from(Unavailable::Overloaded);
        unavailable.with_message(why).with_source(error)
    }
}
