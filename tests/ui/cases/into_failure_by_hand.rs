//! An error type of one's own does not become a problem in this way.

use plainly::server::{Failure, IntoFailure};

enum App {
    Missing,
}

enum Mine {}

impl IntoFailure<Mine> for App {
    fn into_failure(self) -> Failure {
        Failure::text("missing")
    }
}

fn main() {}
