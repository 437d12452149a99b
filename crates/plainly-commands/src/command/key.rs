//! `plainly key`: the keys of a server that is started with `--auth-keys`.

use std::io::{self, Write as _};
use std::path::Path;

use jiff::Timestamp;
use plainly::server::auth::{ApiKey, ApiKeyError, ApiKeys, KeyRow};
use serde_json::json;

use crate::args::{KeyAction, KeyArgs, ListKeysArgs, NewKeyArgs, RevokeKeyArgs, Scopes};
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn run(args: KeyArgs) -> Result<(), Failure> {
    let format = args.format();
    match args.action {
        KeyAction::New(args) => new(args),
        KeyAction::List(args) => list(&args, format),
        KeyAction::Revoke(args) => revoke(&args),
    }
}

fn new(args: NewKeyArgs) -> Result<(), Failure> {
    let NewKeyArgs {
        name,
        scope,
        expires,
        file,
    } = args;
    let key = ApiKey::generate(&name, Scopes::all(&scope), expires);
    ApiKeys::add(&file, key.row).map_err(|error| failure("cannot store the key", error))?;
    print(key.secret.expose(), &file).inspect_err(|_| {
        // A key that was not printed is useless. The first error says more.
        let _ = ApiKeys::revoke(&file, &name);
    })
}

fn print(key: &str, file: &Path) -> Result<(), Failure> {
    // Only the key goes to standard output, for files and pipes.
    let _ = writeln!(
        io::stderr(),
        "{} has its digest; the key is shown only this once:",
        file.display()
    );
    let mut output = Output::new(Format::Text);
    output.lines(key)?;
    output.flush()
}

fn list(args: &ListKeysArgs, format: Format) -> Result<(), Failure> {
    let keys = ApiKeys::list(&args.file);
    let keys = keys.map_err(|error| failure("cannot list the keys", error))?;
    let mut output = Output::new(format);
    output.head(["NAME", "SCOPE", "ENDS"], columns)?;
    for key in &keys {
        let ends = ends(key);
        match output.is_json() {
            true => output
                .json(&json!({ "name": key.name(), "scopes": key.scopes(), "expires": ends }))?,
            false => {
                let scopes = match key.scopes() {
                    [] => "-".to_owned(),
                    scopes => scopes.join(" "),
                };
                let ends = ends.unwrap_or_else(|| "never".to_owned());
                output.row([key.name(), &scopes, &ends], columns)?;
            }
        }
    }
    output.flush()
}

/// The end of a key, in RFC 3339.
fn ends(key: &KeyRow) -> Option<String> {
    let at = Timestamp::try_from(key.expires()?);
    Some(at.unwrap_or(Timestamp::MAX).to_string())
}

fn columns([name, scopes, ends]: [&str; 3]) -> String {
    format!("{name:<24}  {scopes:<32}  {ends}")
}

fn revoke(args: &RevokeKeyArgs) -> Result<(), Failure> {
    ApiKeys::revoke(&args.file, &args.name).map_err(|error| failure("cannot revoke the key", error))
}

/// A list of keys that can't be used is a mistake on the command line, unless the disk fails.
fn failure(what: &str, error: ApiKeyError) -> Failure {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    let is_disk =
        |source: &io::Error| ![NotFound, NotADirectory, PermissionDenied].contains(&source.kind());
    if let ApiKeyError::Unusable { source, .. } = &error
        && is_disk(source)
    {
        return Failure::caused(what, error);
    }
    let error: Box<dyn std::error::Error> = Box::new(error);
    Failure::impossible(what, error)
}
