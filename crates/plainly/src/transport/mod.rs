//! Moves messages. A transport knows bytes and headers; it never sees a method or a typed result.

mod frame;
pub mod lines;

pub use frame::{Exchange, Frame, Reply};
