//! Logging in, mostly at hostile servers: what each attack comes to, in how many requests, and what is never sent.
#![cfg(feature = "oauth")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "oauth/support.rs"]
mod support;

#[path = "oauth/callbacks.rs"]
mod callbacks;
#[path = "oauth/certificates.rs"]
mod certificates;
#[path = "oauth/choosing.rs"]
mod choosing;
#[path = "oauth/discovery.rs"]
mod discovery;
#[path = "oauth/endless.rs"]
mod endless;
#[path = "oauth/endpoints.rs"]
mod endpoints;
#[path = "oauth/matrix.rs"]
mod matrix;
#[path = "oauth/model.rs"]
mod model;
#[path = "oauth/registering.rs"]
mod registering;
#[path = "oauth/secrets.rs"]
mod secrets;
#[path = "oauth/sharing.rs"]
mod sharing;
#[path = "oauth/tokens.rs"]
mod tokens;
#[path = "oauth/trust.rs"]
mod trust;
#[path = "oauth/unattended.rs"]
mod unattended;
