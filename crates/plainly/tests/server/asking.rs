//! Handlers that ask the client, written once: by rounds and by requests of the server, over a byte
//! stream and over HTTP, in raw messages. Clients may answer wrongly, twice, or never.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clients;
mod fixture;

mod everywhere;
mod own_state;
mod requests;
mod rounds;
mod states;
