//! A test for engines: checks the rules that servers rely on.
//!
//! ```
//! use plainly_cluster::check::check;
//! use plainly_cluster::{Engine, InProcess};
//!
//! async fn test(one: impl Engine, other: impl Engine) {
//!     assert_eq!(check(&one, &other).await, [""; 0]);
//! }
//! ```

mod bus;
mod journals;
mod records;

use std::fmt::Display;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::replica_id::ReplicaId;

/// The maximum time to wait for anything.
const SOON: Duration = Duration::from_secs(15);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// Checks an engine through two of its replicas, neither of which may be hearing yet. Returns each
/// rule that the engine breaks. Leaves records and journals with new names in the engine.
pub async fn check(one: &impl Engine, other: &impl Engine) -> Vec<String> {
    let mut report = Report::default();
    let name = match ReplicaId::random() {
        Ok(random) => format!("check.{random}"),
        Err(error) => return vec![format!("no name can be drawn: {error}")],
    };
    report.rule(
        one.is_connected() && other.is_connected(),
        "both replicas are connected",
    );
    report.rule(one.id() != other.id(), "each replica has an id of its own");
    report.rule(
        one.max_value() == other.max_value(),
        "all replicas store values of one size",
    );
    bus::check(&mut report, one, other).await;
    records::check(&mut report, &name, one, other).await;
    journals::check(&mut report, &name, one, other).await;
    report.0
}

/// The rules that are broken.
#[derive(Debug, Default)]
struct Report(Vec<String>);

impl Report {
    /// Records a rule that is broken.
    fn rule(&mut self, is_kept: bool, rule: impl Display) {
        if !is_kept {
            self.0.push(rule.to_string());
        }
    }

    /// The result of an operation, whose failure is recorded.
    fn done<T>(&mut self, done: Result<T, EngineError>, what: &str) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(error) => {
                self.0
                    .push(format!("{what} succeeds, and did not: {error:?}"));
                None
            }
        }
    }
}

/// The result of a future; `None` if it takes too long.
async fn soon<T>(waiting: impl Future<Output = T>) -> Option<T> {
    timeout(SOON, waiting).await.ok()
}

/// Repeats a check until it succeeds. Returns whether it succeeded in time.
async fn until(mut is_so: impl AsyncFnMut() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < SOON {
        if is_so().await {
            return true;
        }
        sleep(PAUSE).await;
    }
    false
}
