//! The time for which a proof is accepted.

/// The most seconds between now and the time of a proof, or of the nonce in it (SEP-1932,
/// "Stateless DPoP Proof Replay Protection").
pub const WINDOW: u64 = 300;
