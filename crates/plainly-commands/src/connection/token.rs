//! The token of `--bearer`: read from its place, and never shown in an error.

use std::fs;
use std::io::{self, IsTerminal};

use crate::accounts::readable;
use crate::args::{BearerArg, ServerArgs};
use crate::failure::Failure;

const SEEN: &str = "all users of this machine can see a token on the command line: use --bearer @FILE or --bearer env:NAME";

/// The token, if one is given.
pub(super) fn token(args: &ServerArgs) -> Result<Option<String>, Failure> {
    let Some(given) = &args.bearer else {
        return Ok(None);
    };
    let (text, place) = match given {
        BearerArg::File(path) => {
            let text = readable(path, fs::read_to_string(path))?;
            (text, format!("the file {}", path.display()))
        }
        BearerArg::Input => (first_line()?, "standard input".to_owned()),
        BearerArg::Variable(name) => {
            let text = std::env::var(name).map_err(|_missing| {
                let why = format!("--bearer: the variable {name} is not set, or is not text");
                Failure::impossible(why, None)
            })?;
            (text, format!("the variable {name}"))
        }
        BearerArg::Token(text) => {
            tracing::warn!("{SEEN}");
            (text.clone(), "the token".to_owned())
        }
    };
    match text.trim() {
        "" => {
            let why = format!("--bearer: {place} is empty");
            Err(Failure::impossible(why, None))
        }
        token => Ok(Some(token.to_owned())),
    }
}

/// Reads one line only, because the rest of the input may be for another program.
fn first_line() -> Result<String, Failure> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let why =
            "--bearer @-: a terminal would show the token; use --bearer @FILE or --bearer env:NAME";
        return Err(Failure::impossible(why, None));
    }
    let mut line = String::new();
    match stdin.read_line(&mut line) {
        Ok(_) => Ok(line),
        Err(error) => Err(Failure::caused("cannot read standard input", error)),
    }
}
