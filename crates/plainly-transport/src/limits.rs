//! The defaults that a server and its HTTP transport have in common.

use std::time::Duration;

/// Bytes of one message.
pub const MESSAGE_BYTES: usize = 4 << 20;
/// Time for which a peer may leave its replies unread.
pub const WRITE_STALL: Duration = Duration::from_secs(30);
/// Time for running requests to finish once a server was asked to stop.
pub const SHUTDOWN: Duration = Duration::from_secs(30);
