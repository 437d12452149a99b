//! The other end of what is tested, played by the test itself: clients and servers that say what a good one never would, and
//! see every message, line and byte that comes back. Whatever a peer waits for in vain fails its test.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::exhaustive_structs, reason = "tests are changed along with it")]

pub mod changes;
mod client;
mod gate;
mod host;
pub mod message;
mod response;
mod site;
mod stream;
pub mod table;
mod words;

use std::pin::pin;
use std::time::{Duration, Instant};

pub use self::client::Client;
pub use self::gate::Gate;
pub use self::host::{AnsweredRequest, Host, received};
pub use self::response::{Event, Response};
pub use self::site::{Site, served_over_http};
pub use self::stream::{Peer, Stop, pair, served};
pub use self::words::{check_words, told};

/// More than anything takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asserts that a client failed by itself, in this way.
#[macro_export]
macro_rules! assert_local {
    ($error:expr, $($expected:tt)+) => {{
        let error = &$error;
        assert!(matches!(error.local(), Some($($expected)+)), "{error}");
    }};
}

/// Waits for `future`.
///
/// # Panics
///
/// If it takes longer than anything should: a test that hangs fails. Where time is simulated, it is the time on the wall that
/// counts.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let mut future = pin!(future);
    loop {
        if let Ok(done) = tokio::time::timeout(PATIENCE, &mut future).await {
            return done;
        }
        assert!(began.elapsed() < PATIENCE, "took too long");
    }
}
