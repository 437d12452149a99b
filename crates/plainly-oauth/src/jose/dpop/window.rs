//! The time in which a proof counts.

/// How long before or after now a proof, or the nonce in it, may have been made, in seconds (SEP-1932, "Stateless DPoP Proof Replay
/// Protection").
pub const WINDOW: u64 = 300;
