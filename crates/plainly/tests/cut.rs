//! Clients whose connections end anywhere: each conversation is cut after every byte that its client writes and every message
//! that it reads, over each transport and in both eras. What it leaves behind comes to an end, and the next one is served.
#![cfg(all(feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "cut/anywhere.rs"]
mod anywhere;
#[path = "cut/fixture.rs"]
mod fixture;
#[path = "cut/framing.rs"]
mod framing;
#[path = "cut/talking.rs"]
mod talking;
#[path = "cut/wire.rs"]
mod wire;
