//! The directory store over real directories: what is listed, what is read, and what never is. Beside every served
//! directory lies a secret, and nothing that the store says may have it.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, which may fail by panicking"
)]

mod fixture;
#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;

mod churn;
mod hidden;
mod listing;
mod mounts;
mod reading;
mod representations;
mod uris;
mod watching;

#[cfg(feature = "tools")]
mod tools;

#[cfg(unix)]
mod links;
#[cfg(unix)]
mod races;
#[cfg(unix)]
mod special;
#[cfg(all(unix, feature = "tools"))]
mod vast;
