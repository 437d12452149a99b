//! The examples do what their first lines say.

mod books;
mod confirm;
mod job;
mod notes;
mod passing_on;
mod tree;
mod weather;
mod websocket;
