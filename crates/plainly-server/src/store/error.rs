//! The errors of a store, and the error that a client gets for each.

use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

use plainly_errors::mistake::printable;
use plainly_errors::{Internal, InvalidParams, ProtocolError, Unavailable};

/// The reason why a store has no answer.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The resource does not exist for this caller: it is absent, forbidden, outside, or
    /// unreadable. All cases look the same, so that no caller learns what exists behind a forbidden
    /// name.
    #[error("resource not found")]
    NotFound,
    /// The text is not a URI that the store could ever have issued.
    #[error("invalid URI: {why}")]
    InvalidUri {
        /// The reason why it is invalid.
        why: Cow<'static, str>,
    },
    /// Children were requested, but the resource is not a collection.
    #[error("not a collection")]
    NotACollection,
    /// The position was not issued by this store for this listing.
    #[error("invalid cursor")]
    InvalidCursor,
    /// The resource is larger than the store reads.
    #[error("{size} bytes are more than the limit of {limit}")]
    TooLarge {
        /// The size of the resource in bytes.
        size: u64,
        /// The maximum size in bytes.
        limit: u64,
    },
    /// The resource ends before the requested part begins.
    #[error("the part begins after the end, at {size}")]
    NoSuchPart {
        /// The length of the resource, in bytes.
        size: u64,
    },
    /// The search for the part took too long. A repeated search may continue from there.
    #[error("not found within {} s", limit.as_secs())]
    TimedOut {
        /// The maximum time of a search.
        limit: Duration,
    },
    /// The resource changed each time it was read; the request can be repeated.
    #[error("it changed each time it was read")]
    Unstable,
    /// Too much data is being read at the moment; the request can be repeated.
    #[error("too much is being read at once")]
    Overloaded,
    /// The store itself failed; the peer gets no details.
    #[error("the store failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

plainly_errors::debug_with_causes!(StoreError);

impl StoreError {
    /// The error that the peer gets for its request for `uri`.
    pub fn into_protocol_error(self, uri: &str) -> ProtocolError {
        match self {
            Self::NotFound => ProtocolError::resource_not_found(uri),
            Self::InvalidUri { why } => ProtocolError::from(InvalidParams::InvalidUri {
                uri: uri.to_owned(),
                problems: Vec::new(),
            })
            .with_message(format!("Invalid URI: {}: {why}", printable(uri))),
            Self::NotACollection => InvalidParams::NotACollection {
                uri: uri.to_owned(),
            }
            .into(),
            Self::InvalidCursor => InvalidParams::InvalidCursor.into(),
            Self::TooLarge { size, limit } => InvalidParams::ResourceTooLarge {
                uri: uri.to_owned(),
                size,
                limit,
                parts: Vec::new(),
            }
            .into(),
            Self::NoSuchPart { size } => InvalidParams::NoSuchPart {
                uri: uri.to_owned(),
                size,
            }
            .into(),
            Self::TimedOut { limit } => {
                let limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
                ProtocolError::from(Internal::DeadlineExceeded { limit_ms }).with_message(format!(
                    "The part was not found within {limit_ms} ms: repeat the request to search on"
                ))
            }
            Self::Unstable => {
                let uri = printable(uri);
                ProtocolError::from(Unavailable::Overloaded).with_message(format!(
                    "{uri} changed each time it was read: try again, or read a part such as {uri}#bytes=0-65535"
                ))
            }
            Self::Overloaded => Unavailable::Overloaded.into(),
            Self::Failed(source) => {
                ProtocolError::internal("The resource could not be read").with_source(source)
            }
        }
    }
}
