//! Proofs that the sender of a request possesses a key (RFC 9449), so that a stolen token is
//! useless.

mod check;
mod proof;
mod replay;
mod window;

pub use self::check::{Nonces, ProvenRequest, check};
pub use self::proof::proof;
pub use self::replay::Replays;
pub use self::window::WINDOW;
