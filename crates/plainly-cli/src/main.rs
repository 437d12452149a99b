//! The program `plainly`. Its commands are in `plainly-commands`.

use std::process::ExitCode;

fn main() -> ExitCode {
    plainly_commands::run()
}
