//! Streams that fail: in each conversation the first operation on them fails, then the second, and so on to the last, in each
//! of several ways. Nothing panics, hangs or is left behind, no request is answered twice, and the next one is served.
#![cfg(all(feature = "client", feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "cut/fixture.rs"]
mod fixture;
#[path = "cut/framing.rs"]
mod framing;
#[path = "cut/talking.rs"]
mod talking;

#[cfg(feature = "http-client")]
#[path = "torture/broken_off.rs"]
mod broken_off;
#[path = "torture/caller.rs"]
mod caller;
#[path = "torture/conversations.rs"]
mod conversations;
#[path = "torture/faults.rs"]
mod faults;
#[path = "torture/fixture.rs"]
mod more;
#[path = "torture/rack.rs"]
mod rack;
#[path = "torture/response.rs"]
mod response;
#[cfg(feature = "http-client")]
#[path = "torture/resumed.rs"]
mod resumed;
#[path = "torture/wire.rs"]
mod wire;
