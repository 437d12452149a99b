//! A recording of the messages between a client and a server, as lines of JSON. The first line
//! describes the recording; each other line is one message, or the data in place of one. Knows
//! JSON-RPC, but neither recording nor replaying.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The version of the format. A reader of another version can't interpret the lines.
const VERSION: u64 = 1;
/// The first bytes of every recording.
pub(crate) const BEGIN: &str = "{\"recording\":";
/// The most characters of a line that an error shows.
const SHOWN: usize = 60;

/// The first line of a recording.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RecordingHeader {
    /// The version of the format.
    recording: u64,
    /// The server, without secrets: its URL, or the words of its command.
    pub(crate) target: String,
    /// The recording program, with its version.
    pub(crate) client: String,
}

impl RecordingHeader {
    pub(crate) fn new(target: String) -> Self {
        Self {
            recording: VERSION,
            target,
            client: concat!("plainly ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// The sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Client,
    Server,
}

/// A line after the first.
#[derive(Debug, Serialize, Deserialize)]
struct RecordingLine<'a> {
    /// The milliseconds since the start.
    at: u64,
    from: Side,
    /// A message, or a batch of them.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    message: Option<&'a RawValue>,
    /// Data in place of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The line for a message, or for invalid data in place of one.
pub(crate) fn line(at: Duration, from: Side, passed: Result<&str, &str>) -> String {
    let json = passed.ok().map(serde_json::from_str);
    let entry = RecordingLine {
        at: u64::try_from(at.as_millis()).unwrap_or(u64::MAX),
        from,
        message: json.and_then(Result::ok),
        text: passed.err().map(str::to_owned),
    };
    to_line(&entry)
}

/// A value on one line.
pub(crate) fn to_line(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value);
    json.expect("texts, numbers and JSON can be written") + "\n"
}

/// A whole recording.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) header: RecordingHeader,
    pub(crate) messages: Vec<RecordedMessage>,
}

/// A message of a recording.
#[derive(Debug)]
pub(crate) struct RecordedMessage {
    /// The number of the message's line.
    pub(crate) line: usize,
    pub(crate) from: Side,
    pub(crate) message: Message,
}

/// A JSON-RPC message, with its common members.
#[derive(Debug)]
pub(crate) enum Message {
    Request {
        id: Box<RawValue>,
        method: String,
        params: Option<Box<RawValue>>,
    },
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    /// The answer to the request with this id; `None` if the id could not be read.
    Response {
        id: Option<Box<RawValue>>,
        outcome: Outcome,
    },
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Result(Box<RawValue>),
    Error(Box<RawValue>),
}

/// The members of any message.
#[derive(Debug, Deserialize)]
struct Members {
    /// `null` counts as absent.
    id: Option<Box<RawValue>>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
}

impl Message {
    /// Parses a message, or returns its mistake.
    pub(crate) fn read(json: &str) -> Result<Self, &'static str> {
        let members: Members = serde_json::from_str(json)
            .map_err(|_other| "the message is not an object of JSON-RPC")?;
        let Members {
            id, method, params, ..
        } = members;
        let outcome = members.result.map(Outcome::Result);
        let outcome = outcome.or(members.error.map(Outcome::Error));
        match (id, method, outcome) {
            (Some(id), Some(method), None) => Ok(Self::Request { id, method, params }),
            (None, Some(method), None) => Ok(Self::Notification { method, params }),
            (id, None, Some(outcome)) => Ok(Self::Response { id, outcome }),
            (_, Some(_), Some(_)) => Err("the message is a request and a response"),
            (_, None, None) => Err("the message has no method, no result and no error"),
        }
    }

    /// Reads a message, or the messages of a batch.
    pub(crate) fn read_all(json: &str) -> Result<Vec<Self>, &'static str> {
        match serde_json::from_str::<Vec<&RawValue>>(json) {
            Ok(batch) => batch
                .into_iter()
                .map(|each| Self::read(each.get()))
                .collect(),
            Err(_single) => Ok(vec![Self::read(json)?]),
        }
    }
}

/// The reason why a file is not a recording that can be replayed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// The number of the line.
    line: usize,
    why: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Unreadable {}

impl Recording {
    /// Parses a recording. The last line of an interrupted recording may be incomplete.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut lines = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .zip(1..)
            .filter(|(line, _)| !line.trim_ascii().is_empty());
        let Some((first, line)) = lines.next() else {
            let why = "the file is empty: `--record FILE` fills one".to_owned();
            return Err(Unreadable { line: 1, why });
        };
        let header = header(first).map_err(|why| Unreadable { line, why })?;
        let mut messages = Vec::new();
        for (text, line) in lines {
            match entry(text) {
                Ok((from, read)) => {
                    messages.extend(read.into_iter().map(|message| RecordedMessage {
                        line,
                        from,
                        message,
                    }))
                }
                // The recorder was stopped while it wrote this line.
                Err(_cut) if !text.ends_with(b"\n") => {}
                Err(why) => return Err(Unreadable { line, why }),
            }
        }
        Ok(Self { header, messages })
    }
}

fn header(line: &[u8]) -> Result<RecordingHeader, String> {
    const OTHER: &str = "this is not a recording of `plainly --record`";
    let members: BTreeMap<&str, &RawValue> = serde_json::from_slice(line)
        .map_err(|_other| format!("{OTHER}: it begins with {}", quoted(line)))?;
    let version = members.get("recording");
    match version.map(|version| version.get()) {
        None => Err(format!(
            "{OTHER}: its first line has no member \"recording\""
        )),
        Some("1") => serde_json::from_slice(line)
            .map_err(|why| format!("the first line lacks something{}", place(&why))),
        Some(other) => Err(format!(
            "this recording has the format {other}, and this version of plainly reads {VERSION}"
        )),
    }
}

fn entry(line: &[u8]) -> Result<(Side, Vec<Message>), String> {
    let entry: RecordingLine<'_> = serde_json::from_slice(line).map_err(|why| {
        format!(
            "expected {{\"at\": …, \"from\": \"client\" or \"server\", \"message\": …}}, not {}{}",
            quoted(line),
            place(&why)
        )
    })?;
    match (entry.message, entry.text) {
        (Some(message), None) => Ok((entry.from, Message::read_all(message.get())?)),
        (None, Some(_)) => Ok((entry.from, Vec::new())),
        _ => Err("it needs either \"message\" or \"text\"".to_owned()),
    }
}

/// The place of the mistake in the JSON.
fn place(why: &serde_json::Error) -> String {
    match why.column() {
        0 => String::new(),
        column => format!(", column {column}"),
    }
}

/// The beginning of a line.
fn quoted(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", text.get(..end).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}
