//! Clients whose connections end anywhere: each conversation is cut after every byte that its
//! client writes and every message that it reads, over each transport and in both eras. Everything
//! that it leaves behind ends, and the next client is served.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod anywhere;
mod fixture;
mod framing;
mod talking;
mod wire;
