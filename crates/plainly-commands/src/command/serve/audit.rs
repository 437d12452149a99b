//! The audit file, with a line of JSON for each request, which is written before the reply is sent.
//! A request that may change a file has another line, written before the request runs. Both lines
//! are flushed to the disk before the server continues.

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
use plainly::protocol::method::Method;
use plainly::server::layer::Request;
use plainly::server::{Operation, Principal, TraceContext};
#[cfg(unix)]
use rustix::{fs::OFlags, io::Errno};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::{block_in_place, spawn_blocking};

use crate::failure::Failure;
use crate::visible::visible_json;

const REFUSED: &str = "The request was refused, because the server cannot write its audit file. Ask the server's operator";
const WITHHELD: &str = "The reply was withheld, because the server cannot write its audit file. Ask the server's operator";

#[derive(Debug)]
pub(super) struct Audit {
    path: PathBuf,
    /// Whether requests are served even if they can't be recorded.
    is_optional: bool,
    /// The tools that change files.
    changing: Vec<&'static str>,
    state: Mutex<AuditState>,
}

#[derive(Debug)]
struct AuditState {
    /// The file, if it could be opened.
    file: Option<Arc<File>>,
    /// Whether the file ends within a line, because there was no room for the rest.
    is_cut: bool,
    /// Whether the last line could not be written.
    is_failing: bool,
}

impl Audit {
    /// Opens the file. A new file is only readable by its owner.
    pub(super) fn open(
        path: &Path,
        is_optional: bool,
        changing: Vec<&'static str>,
    ) -> Result<Self, Failure> {
        let opened = append_to(path);
        let file = match opened {
            Ok(file) => Some(file.into()),
            Err(error) if is_optional => {
                failing(path, &error);
                None
            }
            Err(error) => {
                let what = format!("cannot write the audit file {}", path.display());
                return Err(Failure::impossible(what, Some(error.into())));
            }
        };
        let state = AuditState {
            is_cut: false,
            is_failing: file.is_none(),
            file,
        };
        Ok(Self {
            path: path.to_owned(),
            is_optional,
            changing,
            state: Mutex::new(state),
        })
    }

    /// Whether a request with this method and name may change a file.
    pub(super) fn is_change(&self, method: Method, name: Option<&str>) -> bool {
        method == Method::CallTool && name.is_some_and(|name| self.changing.contains(&name))
    }

    /// Records a request that has ended. Fails if the reply must be withheld.
    pub(super) fn record(&self, operation: &Operation<'_>) -> Result<(), ProtocolError> {
        // A request that `check` rejected is an operation too, but did not run.
        let error = operation.outcome.error().map(ProtocolError::message);
        let has_run = error.is_none_or(|message| message != REFUSED);
        let refusal = if has_run { WITHHELD } else { REFUSED };
        let method = operation.method.and_then(Method::named);
        let is_change = method.is_some_and(|method| self.is_change(method, operation.name));
        self.write(&line(operation), is_change, refusal)
    }

    /// Records a request that may change a file, before it runs. Fails if it must not run.
    pub(super) async fn begin(self: Arc<Self>, request: &Request) -> Result<(), ProtocolError> {
        let line = begun(request);
        // A disk may be slow.
        let written = spawn_blocking(move || self.write(&line, true, REFUSED)).await;
        written.unwrap_or_else(|_| Err(ProtocolError::internal(REFUSED)))
    }

    /// Fails if the last line could not be written, and the file still can't be: a request that ran
    /// after that would leave no trace.
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

    /// Appends a line. If `is_synced`, the line is on the disk afterwards.
    fn write(
        &self,
        line: &str,
        is_synced: bool,
        refusal: &'static str,
    ) -> Result<(), ProtocolError> {
        let appended = self.lock().append(&self.path, line);
        // This runs without the lock and in parallel to other requests, because a disk may be slow.
        let written = appended.and_then(|file| match is_synced && is_kept(&file) {
            true => block_in_place(|| file.sync_data()),
            false => Ok(()),
        });
        let was_failing = std::mem::replace(&mut self.lock().is_failing, written.is_err());
        let file = self.path.display();
        match written {
            Ok(()) if was_failing => tracing::info!(%file, "the audit file is written again"),
            Ok(()) => {}
            Err(error) => {
                // The error is logged only once, because it may occur for every request of an hour.
                if !was_failing {
                    failing(&self.path, &error);
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
    /// Appends a line to the file with this name. If the file was renamed or removed, as programs
    /// that rotate logs do, a new file is created.
    fn append(&mut self, path: &Path, line: &str) -> io::Result<Arc<File>> {
        let file = match self.file.take() {
            Some(file) if is_at(&file, path) => file,
            Some(_) | None => {
                self.is_cut = false;
                append_to(path)?.into()
            }
        };
        let file = self.file.insert(file);
        // The line is written at once, because other servers may append to the file. For the same
        // reason, a partial line can't be removed.
        let line = [if self.is_cut { "\n" } else { "" }, line].concat();
        let written = (&**file).write(line.as_bytes())?;
        self.is_cut = written < line.len();
        match self.is_cut {
            true => Err(io::Error::other("there was room for a part of a line")),
            false => Ok(Arc::clone(file)),
        }
    }
}

/// Logs that the file can't be written.
fn failing(path: &Path, error: &io::Error) {
    let file = path.display();
    tracing::error!(%file, %error, "the audit file cannot be written");
}

/// Whether it is a file on a disk. Pipes and devices store nothing.
fn is_kept(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.is_file())
}

/// Opens a file for appending. A full pipe fails like a full disk, instead of blocking the server.
fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        options.mode(0o600);
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    }
    let opened = options.open(path);
    #[cfg(unix)]
    let opened = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::NXIO) => io::Error::other("it is a pipe that nothing reads"),
        Some(_) | None => error,
    });
    opened
}

/// Whether the path still names this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let (Ok(named), Ok(opened)) = (fs::metadata(path), file.metadata()) else {
        return false;
    };
    (named.dev(), named.ino()) == (opened.dev(), opened.ino())
}

/// Whether the path names any file, because only Unix can identify the file.
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
    /// The client's name and version, as stated by the client.
    client: Option<String>,
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    name: Option<&'a str>,
    /// The URIs of a read or of a call, as the client spelled them.
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

/// The line for a change before it is made.
fn begun(request: &Request) -> String {
    let client = request.peer().implementation.as_ref();
    let id: Option<&RawValue> = serde_json::from_str(request.id()).ok();
    let uris = uris(request);
    let uris: Option<&RawValue> = serde_json::from_str(&uris).ok();
    let line = json!({
        "time": Timestamp::now().to_string(),
        "outcome": "begun",
        "principal": request.principal().map(Principal::as_str),
        "address": request.client(),
        "client": client.map(|client| format!("{} {}", client.name, client.version)),
        "id": id,
        "method": request.method().name(),
        "name": request.name(),
        "uris": uris,
        "trace": request.trace().map(TraceContext::trace_id),
    });
    format!("{}\n", visible_json(&line.to_string()))
}

/// The URIs in the parameters, or in the arguments of a tool, as JSON.
pub(super) fn uris(request: &Request) -> String {
    /// The names of arguments that contain URIs, of any tool.
    const URIS: [&str; 8] = [
        "uri",
        "uris",
        "from",
        "to",
        "path",
        "paths",
        "source",
        "destination",
    ];
    let of = request.arguments().unwrap_or_else(|| request.raw_params());
    let arguments: BTreeMap<String, &RawValue> = serde_json::from_str(of).unwrap_or_default();
    let named = URIS.into_iter().filter_map(|name| arguments.get(name));
    let uris = named.flat_map(|&named| {
        let several = serde_json::from_str(named.get());
        several.unwrap_or_else(|_| vec![named])
    });
    serde_json::to_string(&uris.collect::<Vec<_>>()).unwrap_or_default()
}

/// The line after a period without lines.
fn resumed() -> String {
    let line = json!({ "time": Timestamp::now().to_string(), "outcome": "audit resumed" });
    format!("{line}\n")
}
