//! Streams that fail: in each conversation the first operation fails, then the second, and so on to
//! the last, in each of several ways. Nothing panics, hangs or is left behind, no request is
//! answered twice, and the next client is served.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "cut/fixture.rs"]
mod fixture;
#[path = "cut/framing.rs"]
mod framing;
#[path = "cut/talking.rs"]
mod talking;

mod broken_off;
mod caller;
mod conversations;
mod faults;
#[path = "torture/fixture.rs"]
mod more;
mod rack;
mod response;
mod resumed;
mod wire;
