//! The health of a server, as balancers see it.

/// Whether balancers may send clients to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a balancer must do something about each"
)]
pub enum Health {
    /// The server serves everything.
    Ready,
    /// The server serves, but not everything.
    Degraded,
    /// Clients are better served elsewhere.
    NotReady,
}
