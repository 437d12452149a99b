//! The peer of the tested side, played by the test: clients and servers that can send what a
//! correct one never would, and see every message, line and byte of the tested side. If a peer
//! waits in vain, its test fails.

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

/// More time than any operation takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asserts that an error is the client's own, of this kind.
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
/// Panics if it takes too long, so that a hanging test fails. With simulated time, the real time
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
