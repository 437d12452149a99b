//! The defaults that a server and its HTTP transport share.

use std::time::Duration;

/// The maximum size of one message in bytes.
pub const MESSAGE_BYTES: usize = 4 << 20;
/// The time for which a peer may leave its replies unread.
pub const WRITE_STALL: Duration = Duration::from_secs(30);
/// The time for running requests to finish after a server was asked to stop.
pub const SHUTDOWN: Duration = Duration::from_secs(30);
