//! The examples work as their first lines promise.

mod books;
mod confirm;
mod job;
mod notes;
mod passing_on;
mod tree;
mod weather;
mod websocket;
