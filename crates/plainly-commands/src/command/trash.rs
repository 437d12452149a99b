//! `plainly trash`: lists and restores files that a server with `--write` has overwritten or
//! deleted.

use std::error::Error;
use std::path::Path;

use bytesize::ByteSize;
use jiff::Timestamp;
use plainly_directory::{Trash, TrashError, TrashedResource};
use serde_json::json;

use crate::args::{RestoreArgs, TrashAction, TrashArgs};
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run(args: &TrashArgs) -> Result<(), Failure> {
    let trash = Trash::open(&args.directory).map_err(|error| {
        let error: Box<dyn Error> = Box::new(error);
        Failure::impossible("cannot open the trash", error)
    })?;
    let mut output = Output::new(args.format());
    match &args.action {
        None => list(&trash, &mut output)?,
        Some(TrashAction::Restore(RestoreArgs { name })) => restore(&trash, name, &mut output)?,
    }
    output.flush()
}

fn list(trash: &Trash, output: &mut Output) -> Result<(), Failure> {
    let resources = trash.list().map_err(failure)?;
    if !resources.is_empty() {
        output.head(["NAME", "SIZE", "REMOVED", "PATH"], columns)?;
    }
    for TrashedResource {
        name,
        path,
        bytes,
        removed,
        ..
    } in resources
    {
        let path = path.to_string_lossy();
        let removed = Timestamp::try_from(removed).unwrap_or(Timestamp::MAX);
        let removed = removed.to_string();
        if output.is_json() {
            output.json(&json!({"name": name, "path": path, "size": bytes, "removed": removed}))?;
            continue;
        }
        let size = match output.is_table() {
            true => ByteSize::b(bytes).display().iec_short().to_string(),
            false => bytes.to_string(),
        };
        output.row([&*name, &*size, &*removed, &*path], columns)?;
    }
    Ok(())
}

/// Restores the entry with this name, or else the newest one with this path, or else the only one
/// below it: a directory with a single file is listed by the path of the file.
fn restore(trash: &Trash, name: &str, output: &mut Output) -> Result<(), Failure> {
    let path = Path::new(name.trim_start_matches("./"));
    let restored = match trash.restore(name) {
        Err(missing @ TrashError::Missing { .. }) => {
            let things = trash.list().map_err(failure)?;
            let mut below = things.iter().filter(|thing| thing.path.starts_with(path));
            let only = below.next().filter(|_| below.next().is_none());
            match things.iter().find(|thing| thing.path == path).or(only) {
                Some(thing) => trash.restore(&thing.name),
                None => Err(missing),
            }
        }
        restored => restored,
    };
    let path = restored.map_err(failure)?;
    let path = path.to_string_lossy();
    match output.is_json() {
        true => output.json(&json!({"path": path})),
        false => output.lines(&path),
    }
}

fn columns([name, size, removed, path]: [&str; 4]) -> String {
    format!("{name:<48}  {size:>8}  {removed:<30}  {path}")
}

/// The failure; an unknown name is a mistake on the command line.
fn failure(error: TrashError) -> Failure {
    match &error {
        TrashError::Missing { .. } => Failure::impossible(error.to_string(), None),
        TrashError::Exists { .. } => Failure::local(error.to_string()),
        TrashError::Failed(_) | _ => Failure::caused("cannot use the trash", error),
    }
}
