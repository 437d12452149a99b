//! The matrix of every revision over every transport. Each cell runs the same list of cases against
//! the same server. The list also has the outcome where a revision lacks a feature.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod acts;
mod cases;
mod cell;
mod drivers;
mod http;
mod raw;
mod server;
mod table;
#[path = "../../../crates/plainly/examples/tree.rs"]
#[expect(dead_code, reason = "of the example only the store is used")]
mod tree;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use plainly::errors::{Dialect, Revision};
use tokio::time::timeout;

use self::cases::{act, cases};
use self::cell::Cell;
use self::drivers::Transport;
use self::server::{World, builder};
use self::table::{Case, Seen};

/// A case that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_is_as_the_table_says_in_every_cell() {
    let world = World::new();
    let server = builder(&world).build().unwrap();
    let pinned = builder(&world)
        .dialect(Dialect::PerRevision)
        .build()
        .unwrap();
    let cases = cases();
    let (mut failures, mut has, mut lacks) = (Vec::new(), 0, 0);
    for revision in Revision::ALL {
        for transport in Transport::ALL {
            let new = || Cell::new(revision, transport, [&server, &pinned], &world);
            let mut cell = new();
            for case in &cases {
                match case.expected(revision, transport) {
                    Seen::Has(_) => has += 1,
                    Seen::Lacks(_) => lacks += 1,
                }
                if let Some(wrong) = wrong(case, &cell).await {
                    failures.push(format!(
                        "{revision}, {transport:?}, {}:\n{wrong}",
                        case.name
                    ));
                    cell = new();
                }
            }
        }
    }
    println!(
        "{} cases in {has} cells that have them and {lacks} that lack them",
        cases.len()
    );
    assert!(
        failures.is_empty(),
        "{} failures\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

/// Returns how the outcome differs from the table, if it does.
async fn wrong(case: &Case, cell: &Cell) -> Option<String> {
    let expected = case
        .expected(cell.revision, cell.transport)
        .over(cell.transport);
    cell.clear();
    let acting = AssertUnwindSafe(act(cell, case.act)).catch_unwind();
    let seen = match timeout(LONGEST, acting).await {
        Ok(Ok(seen)) => seen,
        Ok(Err(panic)) => format!("panicked: {}", words(&*panic)),
        Err(_elapsed) => "took too long".to_owned(),
    };
    let mut wrong: Vec<String> = cell.line.faults();
    if seen != expected {
        wrong.push(format!("  expected {expected}\n  seen     {seen}"));
    }
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

/// The message of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("something").to_owned()
}
