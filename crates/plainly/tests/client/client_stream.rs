//! A client over a byte stream, with a server that the test plays.

mod asking;
mod caching;
mod calls;
mod eras;
mod hearing;
mod holding;
mod listening;
mod listings;
mod meanings;
mod peer;
mod telling;
mod unreadable;
mod visits;
