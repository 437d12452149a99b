//! Secrets in files and in the environment, and other files that options name.

use std::fs;
use std::io;
use std::path::Path;

use plainly::client::oauth::Secret;

use crate::args::SecretPlace;
use crate::failure::Failure;

/// The secret at this place.
pub(crate) fn secret(place: &SecretPlace) -> Result<Secret, Failure> {
    let text = match place {
        SecretPlace::File(path) => readable(path, fs::read_to_string(path))?,
        SecretPlace::Variable(name) => std::env::var(name).map_err(|_| {
            let why = format!("the variable {name} of the environment is not set, or is not UTF-8");
            Failure::impossible(why, None)
        })?,
    };
    let secret = text.trim_end_matches(['\r', '\n']);
    match (secret, place) {
        ("", SecretPlace::File(path)) => {
            let why = format!("there is no secret in {}: it is empty", path.display());
            Err(Failure::impossible(why, None))
        }
        ("", SecretPlace::Variable(name)) => {
            let why = format!("there is no secret in the variable {name}: it is empty");
            Err(Failure::impossible(why, None))
        }
        (secret, _) => Ok(Secret::new(secret)),
    }
}

/// The contents of a file that an option names.
pub(crate) fn readable<T>(path: &Path, read: io::Result<T>) -> Result<T, Failure> {
    read.map_err(|error| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        Failure::impossible(format!("cannot read {}", path.display()), error)
    })
}
