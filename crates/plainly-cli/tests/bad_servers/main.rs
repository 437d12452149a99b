//! A hundred bad servers, and what the user of the command line sees of each. `bad_servers.txt` has the rows. Of every row it is
//! also held that the command ends in time, in bounded memory, with nothing left running, and without a command to a terminal.
//!
//! A server on standard input and output is this program, started again. Words on the command line choose rows by their
//! titles; with `BAD_SERVERS=overwrite`, the table is written anew with what was seen.

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

/// Other systems have no pseudo-terminals and process groups as it needs them.
#[cfg(not(unix))]
fn main() {}
