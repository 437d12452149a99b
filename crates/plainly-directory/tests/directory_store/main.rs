//! The directory store over real directories: listings, contents, and hidden files. Next to every
//! served directory is a secret, which no result may contain.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests, which may fail by panicking"
)]

mod fixture;
#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;

mod budget;
mod churn;
mod encodings;
mod hidden;
mod listing;
mod mounts;
mod reading;
mod rules;
mod single;
#[cfg(feature = "skills")]
mod skills;
mod uris;
mod watching;
mod writing;

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
