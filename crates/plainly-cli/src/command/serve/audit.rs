//! The audit file: a line of JSON for each request, written before its reply is sent. A request that may change a file has one
//! more, which is on the disk before it runs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use plainly::ProtocolError;
use plainly::errors::Code;
use plainly::server::layer::Request;
use plainly::server::{Operation, Principal, TraceContext};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::spawn_blocking;

use crate::failure::Failure;
use crate::visible::visible_json;

const REFUSED: &str = "The request was refused, because the server cannot write its audit file. Ask the server's operator";
/// The longest URI that is recorded, in bytes. The tools refuse longer ones.
const LONGEST_URI: usize = 16 << 10;

const WITHHELD: &str = "The reply was withheld, because the server cannot write its audit file. Ask the server's operator";

#[derive(Debug)]
pub(super) struct Audit {
    path: PathBuf,
    /// Requests are served even if they can't be recorded.
    is_optional: bool,
    state: Mutex<AuditState>,
}

#[derive(Debug)]
struct AuditState {
    file: File,
    /// The last line could not be written.
    is_failing: bool,
}

impl Audit {
    /// Opens the file, which only its owner can read if it is new.
    pub(super) fn open(path: &Path, is_optional: bool) -> Result<Self, Failure> {
        let file = append_to(path).map_err(|error| {
            let what = format!("cannot write the audit file {}", path.display());
            Failure::impossible(what, Some(error.into()))
        })?;
        let state = AuditState {
            file,
            is_failing: false,
        };
        Ok(Self {
            path: path.to_owned(),
            is_optional,
            state: Mutex::new(state),
        })
    }

    /// Records a request that has ended. Fails if its reply must be withheld.
    pub(super) fn record(&self, operation: &Operation<'_>) -> Result<(), ProtocolError> {
        // The refusal of `check` is an operation too, and did not run.
        let error = operation.outcome.error().map(ProtocolError::message);
        let has_run = error.is_none_or(|message| message != REFUSED);
        let refusal = if has_run { WITHHELD } else { REFUSED };
        self.write(&line(operation), operation.note.is_some(), refusal)
    }

    /// Records a request that may change a file and that is about to run. Fails if it must not run.
    pub(super) async fn begin(self: Arc<Self>, request: &Request) -> Result<(), ProtocolError> {
        let line = begun(request);
        // A disk takes its time.
        let written = spawn_blocking(move || self.write(&line, true, REFUSED)).await;
        written.unwrap_or_else(|_| Err(ProtocolError::internal(REFUSED)))
    }

    /// Fails if the last line could not be written, and nothing can be written now: a request that
    /// runs after that would leave no trace.
    pub(super) fn check(&self) -> Result<(), ProtocolError> {
        let is_failing = self.lock().is_failing;
        match is_failing && !self.is_optional {
            true => self.write(&resumed(), false, REFUSED),
            false => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, AuditState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a line, which is on the disk afterwards if `is_synced`.
    fn write(
        &self,
        line: &str,
        is_synced: bool,
        refusal: &'static str,
    ) -> Result<(), ProtocolError> {
        let mut state = self.lock();
        let written = state.write(&self.path, line.as_bytes(), is_synced);
        let was_failing = std::mem::replace(&mut state.is_failing, written.is_err());
        drop(state);
        let file = self.path.display();
        match written {
            Ok(()) if was_failing => tracing::info!(%file, "the audit file is written again"),
            Ok(()) => {}
            Err(error) => {
                // Once, because it may fail for every request of an hour.
                if !was_failing {
                    tracing::error!(%file, %error, "the audit file cannot be written");
                }
                if !self.is_optional {
                    return Err(ProtocolError::internal(refusal));
                }
            }
        }
        Ok(())
    }
}

impl AuditState {
    /// Appends a line to the file of this name; to a new one if the file was renamed or removed, as
    /// programs that rotate logs do.
    fn write(&mut self, path: &Path, line: &[u8], is_synced: bool) -> io::Result<()> {
        if !is_at(&self.file, path) {
            self.file = append_to(path)?;
        }
        let before = self.file.metadata()?.len();
        let written = self.file.write_all(line);
        let written = match is_synced && is_kept(&self.file) {
            true => written.and_then(|()| self.file.sync_data()),
            false => written,
        };
        if written.is_err() {
            // A part of a line would spoil the next one. If this fails too, the disk has other troubles.
            let _ = self.file.set_len(before);
        }
        written
    }
}

/// Whether it is a file of a disk: pipes and devices keep nothing.
fn is_kept(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether the file still has this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let (Ok(named), Ok(opened)) = (fs::metadata(path), file.metadata()) else {
        return false;
    };
    (named.dev(), named.ino()) == (opened.dev(), opened.ino())
}

/// Whether the path names a file, because only Unix shows which file it is.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

/// A line of the file.
#[derive(Serialize)]
struct AuditLine<'a> {
    time: String,
    outcome: &'static str,
    principal: Option<&'a str>,
    address: Option<IpAddr>,
    /// The client's name and version, as it gave them itself.
    client: Option<String>,
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    name: Option<&'a str>,
    /// The URIs of a change, as the client wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    uris: Option<&'a RawValue>,
    code: Option<i64>,
    error: Option<Cow<'a, str>>,
    incident: Option<&'a str>,
    trace: Option<&'a str>,
    revision: &'static str,
    transport: &'static str,
    status: Option<u16>,
    request_bytes: usize,
    reply_bytes: Option<usize>,
    ms: Option<f64>,
}

fn line(operation: &Operation<'_>) -> String {
    let outcome = &operation.outcome;
    let client = operation.implementation;
    let line = AuditLine {
        time: Timestamp::now().to_string(),
        outcome: outcome.as_str(),
        principal: operation.principal.map(Principal::as_str),
        address: operation.client,
        client: client.map(|client| format!("{} {}", client.name, client.version)),
        id: operation.id.and_then(|id| serde_json::from_str(id).ok()),
        method: operation.method,
        name: operation.name,
        uris: operation
            .note
            .and_then(|uris| serde_json::from_str(uris).ok()),
        code: outcome.code().map(Code::get),
        error: outcome.error().map(ProtocolError::message),
        incident: outcome.incident(),
        trace: operation.trace.map(TraceContext::trace_id),
        revision: operation.revision.as_str(),
        transport: operation.transport,
        status: operation.http_status,
        request_bytes: operation.request_bytes,
        reply_bytes: operation.reply_bytes,
        ms: operation.duration.map(|it| it.as_micros() as f64 / 1e3),
    };
    let json = serde_json::to_string(&line).unwrap_or_default();
    format!("{}\n", visible_json(&json))
}

/// The line of a change that is about to be made.
fn begun(request: &Request) -> String {
    let client = request.peer().implementation.as_ref();
    let id: Option<&RawValue> = serde_json::from_str(request.id()).ok();
    let uris = uris(request);
    let uris: Option<&RawValue> = serde_json::from_str(&uris).ok();
    let line = json!({
        "time": Timestamp::now().to_string(),
        "outcome": "begun",
        "principal": request.principal().map(Principal::as_str),
        "client": client.map(|client| format!("{} {}", client.name, client.version)),
        "id": id,
        "method": request.method().name(),
        "name": request.name(),
        "uris": uris,
    });
    format!("{}\n", visible_json(&line.to_string()))
}

/// The URIs in the arguments of a tool that changes files, as JSON.
pub(super) fn uris(request: &Request) -> String {
    /// The arguments that name a resource, of any of these tools.
    const URIS: [&str; 6] = ["uri", "from", "to", "path", "source", "destination"];
    let arguments: BTreeMap<String, &RawValue> = request
        .arguments()
        .and_then(|arguments| serde_json::from_str(arguments).ok())
        .unwrap_or_default();
    let uris = URIS.into_iter().filter_map(|name| arguments.get(name));
    let uris = uris.filter(|uri| uri.get().len() <= LONGEST_URI);
    serde_json::to_string(&uris.collect::<Vec<_>>()).unwrap_or_default()
}

/// The line after a time without lines.
fn resumed() -> String {
    let line = json!({ "time": Timestamp::now().to_string(), "outcome": "audit resumed" });
    format!("{line}\n")
}
