//! `plainly key`: the keys of a server that is started with `--auth-keys`.

use std::io::{self, Write as _};

use plainly::server::auth::{ApiKey, ApiKeys};

use crate::args::{KeyAction, KeyArgs, NewKeyArgs};
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn run(args: KeyArgs) -> Result<(), Failure> {
    match args.action {
        KeyAction::New(args) => new(args),
    }
}

fn new(args: NewKeyArgs) -> Result<(), Failure> {
    let NewKeyArgs {
        name,
        scope,
        expires,
        file,
    } = args;
    let key = ApiKey::generate(name, scope, expires);
    ApiKeys::add(&file, key.row).map_err(|error| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        Failure::impossible("cannot keep the key", error)
    })?;
    // Whoever sends it into a file or a pipe gets the key alone.
    let _ = writeln!(
        io::stderr(),
        "{} has its digest; this is the only time that the key is shown:",
        file.display()
    );
    let mut output = Output::new(Format::Text);
    output.lines(key.secret.expose())?;
    output.flush()
}
