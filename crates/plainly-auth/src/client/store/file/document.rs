//! The document in the file: JSON with a version number and the credentials.

use plainly_oauth::credentials::Credentials;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::fault::Fault;

/// The version that is written, and the only one that is read.
pub(super) const VERSION: u64 = 1;

#[derive(Deserialize)]
struct DocumentVersion {
    version: u64,
}

#[derive(Serialize)]
struct CredentialsDocument<'a> {
    version: u64,
    #[serde(flatten)]
    credentials: &'a Credentials,
}

pub(super) fn read(bytes: &[u8]) -> Result<Credentials, Fault> {
    versioned(bytes)
}

/// The contents of the file, if it is of this version.
pub(super) fn versioned<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    let DocumentVersion { version } = serde_json::from_slice(bytes).map_err(fault)?;
    if version != VERSION {
        return Err(Fault::OtherVersion(version));
    }
    serde_json::from_slice(bytes).map_err(fault)
}

pub(super) fn write(credentials: &Credentials) -> Result<Vec<u8>, Fault> {
    let version = VERSION;
    let document = CredentialsDocument {
        version,
        credentials,
    };
    to_bytes(&document)
}

pub(super) fn to_bytes(document: &impl Serialize) -> Result<Vec<u8>, Fault> {
    let mut bytes = serde_json::to_vec_pretty(document).map_err(fault)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The position of the fault only, because serde's text may show a token.
fn fault(error: serde_json::Error) -> Fault {
    match error.classify() {
        Category::Eof => Fault::Incomplete,
        Category::Io | Category::Syntax | Category::Data => Fault::Foreign {
            line: error.line(),
            column: error.column(),
        },
    }
}
