//! The directory store over real directories: what is listed, what is read, and what never is. Beside every served
//! directory lies a secret, and nothing that the store says may have it.

#![cfg(feature = "store-directory")]

mod fixture;

mod hidden;
mod listing;
mod mounts;
mod reading;
mod uris;

#[cfg(unix)]
mod links;
#[cfg(unix)]
mod races;
#[cfg(unix)]
mod special;
