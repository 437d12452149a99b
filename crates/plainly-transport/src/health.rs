//! The health of a server, for load balancers.

/// Whether load balancers may send clients to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a balancer must do something about each"
)]
pub enum Health {
    /// The server is fully working.
    Ready,
    /// The server is working, but not fully.
    Degraded,
    /// Other servers should get the clients.
    NotReady,
}
