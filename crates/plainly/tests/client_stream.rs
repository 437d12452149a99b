//! A client over a byte stream whose other end is played by the test.
#![cfg(feature = "client")]

#[path = "client_stream/asking.rs"]
mod asking;
#[path = "client_stream/caching.rs"]
mod caching;
#[path = "client_stream/calls.rs"]
mod calls;
#[path = "client_stream/eras.rs"]
mod eras;
#[path = "client_stream/hearing.rs"]
mod hearing;
#[path = "client_stream/holding.rs"]
mod holding;
#[path = "client_stream/listening.rs"]
mod listening;
#[path = "client_stream/listings.rs"]
mod listings;
#[path = "client_stream/meanings.rs"]
mod meanings;
#[path = "client_stream/peer.rs"]
mod peer;
#[path = "client_stream/telling.rs"]
mod telling;
#[path = "client_stream/unreadable.rs"]
mod unreadable;
#[path = "client_stream/visits.rs"]
mod visits;
