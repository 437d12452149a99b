//! Tests a hundred bad servers, and what the user of the command line sees of each.
//! `bad_servers.txt` has the rows. For every row, the test also checks that the command ends in
//! time, with bounded memory, without leaving processes behind, and without control characters on
//! the terminal.
//!
//! A server on standard input and output is this program, started again. Words on the command line
//! choose rows by their titles. With `BAD_SERVERS=overwrite`, the observed results are written into
//! the table.

#![cfg_attr(
    unix,
    expect(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "its own harness, whose helpers may fail by panicking"
    )
)]

#[cfg(unix)]
mod play;
#[cfg(unix)]
mod row;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod table;
#[cfg(unix)]
mod text;

#[cfg(unix)]
#[path = "../cli/pty.rs"]
mod pty;
#[cfg(unix)]
#[path = "../cli/received.rs"]
mod received;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    table::main()
}

/// Other systems lack the pseudo-terminals and process groups that this test needs.
#[cfg(not(unix))]
fn main() {}
