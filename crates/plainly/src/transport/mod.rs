//! Moves messages. A transport knows bytes and headers; it never sees a method or a typed result.

mod frame;
#[cfg(feature = "http")]
pub mod http;
pub mod lines;

pub use frame::{Exchange, Frame, Reply};
