//! Whether a server may get clients.

/// Whether balancers may send clients to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a balancer must do something about each"
)]
pub enum Health {
    /// It serves everything.
    Ready,
    /// It serves, but not everything.
    Degraded,
    /// Clients are better served elsewhere.
    NotReady,
}
