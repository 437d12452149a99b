//! The other end of what is tested, played by the test itself: clients and servers that say what a good one never would, and
//! see every message, line and byte that comes back. Whatever a peer waits for in vain fails its test.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::exhaustive_structs, reason = "tests are changed along with it")]

mod gate;
mod host;
pub mod message;
mod response;
mod site;
mod stream;

use std::time::Duration;

pub use self::gate::Gate;
pub use self::host::{Asked, Host};
pub use self::response::{Event, Response};
pub use self::site::Site;
pub use self::stream::{Peer, Stop, pair};

/// Longer than a client waits for anything by default.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for `future`.
///
/// # Panics
///
/// If it takes longer than anything should: a test that hangs fails.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(PATIENCE, future).await;
    done.expect("took too long")
}
