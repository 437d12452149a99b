//! A test of any engine: whether it keeps the rules that servers rely on.
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

/// The time within which anything happens.
const SOON: Duration = Duration::from_secs(15);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// Tries an engine as two of its replicas use it, and returns each rule that it breaks. Neither
/// hears yet. It leaves records and journals with new names behind.
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
    /// Notes a rule that is broken.
    fn rule(&mut self, is_kept: bool, rule: impl Display) {
        if !is_kept {
            self.0.push(rule.to_string());
        }
    }

    /// The result of an operation, whose failure is noted.
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

/// The result of waiting for something that happens soon.
async fn soon<T>(waiting: impl Future<Output = T>) -> Option<T> {
    timeout(SOON, waiting).await.ok()
}

/// Looks again and again until it is so, and returns whether it was soon.
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
