//! Tests the binary from outside: its command line, its output and its exit status, over HTTP and
//! as the parent of a server.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are tests too, and a panic is how they fail"
)]

mod fake;
mod home;
#[cfg(unix)]
mod person;
#[cfg(unix)]
mod protected;
#[cfg(unix)]
mod pty;
mod received;
mod support;

#[cfg(unix)]
mod advisories;
mod arguments;
#[cfg(unix)]
mod asking;
mod authorizing;
mod browsing;
mod calling;
#[cfg(all(unix, feature = "cluster"))]
mod clustering;
#[cfg(unix)]
mod collecting;
mod completing;
mod explaining;
mod failing;
mod filesystem;
mod foreign;
#[cfg(unix)]
mod installing;
#[cfg(unix)]
mod keeping;
mod letting_in;
mod listing;
mod logging;
#[cfg(unix)]
mod logging_in;
mod naming;
#[cfg(unix)]
mod offices;
#[cfg(unix)]
mod operating;
#[cfg(unix)]
mod packaging;
#[cfg(unix)]
mod pages;
mod prompting;
mod reading;
mod replaying;
mod representations;
mod saving;
mod serving;
#[cfg(target_os = "linux")]
mod serving_https;
#[cfg(unix)]
mod shell;
#[cfg(unix)]
mod signals;
mod skills;
mod tasks;
#[cfg(unix)]
mod terminal;
mod tracing;
#[cfg(target_os = "linux")]
mod trusting;
#[cfg(unix)]
mod visiting;
mod watching;
mod writing;

#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;
