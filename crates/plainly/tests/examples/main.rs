//! The examples work as their first lines promise.

mod app;
mod books;
mod confirm;
mod diary;
mod job;
mod notes;
mod passing_on;
mod tree;
mod weather;
mod websocket;
mod zip;
