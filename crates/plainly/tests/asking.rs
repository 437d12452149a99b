//! Handlers that ask the client, written once: by rounds and by requests of ours, over a byte stream and over HTTP, in raw
//! messages; and clients that answer wrongly, twice, or never.
#![cfg(feature = "http-server")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "asking/clients.rs"]
mod clients;
#[path = "asking/fixture.rs"]
mod fixture;

#[path = "asking/everywhere.rs"]
mod everywhere;
#[path = "asking/own_state.rs"]
mod own_state;
#[path = "asking/requests.rs"]
mod requests;
#[path = "asking/rounds.rs"]
mod rounds;
#[path = "asking/states.rs"]
mod states;
