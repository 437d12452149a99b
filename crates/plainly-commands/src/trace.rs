//! The messages between a command and its server: shown on standard error (`--trace`) and written
//! to a file (`--record`), both without secrets.

mod line;
pub(crate) mod recording;

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use http::HeaderMap;
use plainly::client::Traffic;

use self::recording::{BEGIN, RecordingHeader, Side, to_line};
use crate::args::{Server, TraceArgs, TraceLength};
use crate::failure::Failure;
use crate::secrets::{MASK, Mask};
use crate::terminal;
use crate::visible::{visible, visible_json};

const SENT: Style = AnsiColor::Cyan.on_default();
const RECEIVED: Style = AnsiColor::Green.on_default();

/// Shows and records the traffic.
#[derive(Debug)]
pub(crate) struct Trace {
    start: Instant,
    shown: Option<LineForm>,
    state: Mutex<State>,
}

/// The changing parts, under one lock, so that lines are written one after another.
#[derive(Debug)]
struct State {
    mask: Mask,
    /// The file of the recording; `None` if there is no recording, or it has failed.
    file: Option<File>,
}

/// The form of lines.
#[derive(Clone, Copy, Debug)]
struct LineForm {
    /// The width of a line in columns, if it is limited.
    width: Option<usize>,
}

impl Trace {
    /// Opens a trace of the connection to `server`, which has these variables, if options request
    /// one.
    pub(crate) fn open(
        args: &TraceArgs,
        server: &Server,
        env: &[(String, String)],
    ) -> Result<Option<Self>, Failure> {
        if !args.is_wanted() {
            return Ok(None);
        }
        let mut mask = Mask::default();
        if let Server::Url(url) = server {
            mask.learn_url(url);
        }
        for (name, value) in env {
            mask.learn_variable(name, value);
        }
        let header = || RecordingHeader::new(target(server, &mask));
        let file = args.record.as_deref().map(|path| create(path, &header()));
        let file = file.transpose()?;
        Ok(Some(Self {
            start: Instant::now(),
            shown: args.trace.map(LineForm::new),
            state: Mutex::new(State { mask, file }),
        }))
    }

    /// Shows and records a part of the traffic.
    pub(crate) fn see(&self, traffic: Traffic<'_>) {
        let at = self.start.elapsed();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match traffic {
            Traffic::Sent(message) => self.message(at, Side::Client, message, &mut state),
            Traffic::Received(message) => self.message(at, Side::Server, message, &mut state),
            Traffic::Request {
                method,
                url,
                headers,
            } => {
                state.mask.learn_headers(headers);
                let url = state.mask.url(url);
                let head = format!("{method} {url} {}", shown_headers(headers, &state.mask));
                self.show(at, Side::Client, &visible(head.trim_end()));
            }
            Traffic::Response {
                method,
                status,
                headers,
            } => {
                let headers = shown_headers(headers, &state.mask);
                let head = format!("HTTP {status} to {method} {headers}");
                self.show(at, Side::Server, &visible(head.trim_end()));
            }
            _ => {}
        }
    }

    fn message(&self, at: Duration, from: Side, bytes: &[u8], state: &mut State) {
        let json = state.mask.json(bytes);
        let text = match &json {
            Some(json) => Cow::Borrowed(json.as_str()),
            None => Cow::Owned(
                state
                    .mask
                    .text(&String::from_utf8_lossy(bytes))
                    .into_owned(),
            ),
        };
        if self.shown.is_some() {
            let line = match &json {
                Some(json) => format!("{} {}", visible(&line::summary(json)), visible_json(json)),
                None => format!("not a message: {}", visible(text.trim_end())),
            };
            self.show(at, from, &line);
        }
        let Some(file) = &mut state.file else {
            return;
        };
        let passed = if json.is_some() {
            Ok(&*text)
        } else {
            Err(&*text)
        };
        // Each line is written at once, so that a crash loses nothing.
        if let Err(error) = file.write_all(recording::line(at, from, passed).as_bytes()) {
            tracing::warn!(%error, "cannot go on recording");
            state.file = None;
        }
    }

    fn show(&self, at: Duration, from: Side, line: &str) {
        let Some(shown) = self.shown else {
            return;
        };
        let (arrow, style) = match from {
            Side::Client => ("→", SENT),
            Side::Server => ("←", RECEIVED),
        };
        let time = format!("{:8.3}", at.as_secs_f64());
        let room = shown
            .width
            .map(|width| width.saturating_sub(time.len() + 3));
        let line = match room {
            Some(room) => cut(line, room),
            None => line.into(),
        };
        terminal::line(&format!("{time} {style}{arrow}{style:#} {line}"));
    }
}

impl LineForm {
    fn new(length: TraceLength) -> Self {
        let is_cut = length == TraceLength::Line && io::stderr().is_terminal();
        let size = is_cut.then(|| console::Term::stderr().size_checked());
        let width = size.flatten().map(|(_, columns)| usize::from(columns));
        Self { width }
    }
}

/// The address of the server, without secrets.
fn target(server: &Server, mask: &Mask) -> String {
    match server {
        Server::Open(client) => client
            .server()
            .map_or_else(String::new, |it| it.name.clone()),
        Server::Named(name) => name.text.clone(),
        Server::Url(url) => mask.url(url),
        Server::Child(command) => {
            let words = command
                .iter()
                .map(|word| word.to_string_lossy().into_owned());
            mask.command_line(&words.collect::<Vec<_>>())
        }
    }
}

/// Creates a recording that only its user can read, because not every secret is recognised.
fn create(path: &Path, header: &RecordingHeader) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let begin = |mut file: File| {
        // Permissions must not be changed for a pipe or a device, because others use it, too.
        if file.metadata()?.is_file() {
            if !is_recording(path)? {
                return Err(io::Error::other(
                    "the file is there, and is no recording: give another name",
                ));
            }
            // An existing file keeps its mode, so the mode is set here.
            #[cfg(unix)]
            file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
            file.set_len(0)?;
        }
        file.write_all(to_line(header).as_bytes())?;
        Ok(file)
    };
    let begun = options.open(path).and_then(begin);
    begun.map_err(|error| Failure::file(path, error))
}

/// Whether the file contains a recording, or is empty.
fn is_recording(path: &Path) -> io::Result<bool> {
    let mut begin = String::new();
    let read = File::open(path)?
        .take(BEGIN.len() as u64)
        .read_to_string(&mut begin);
    Ok(read.is_ok() && (begin.is_empty() || begin == BEGIN))
}

fn shown_headers(headers: &HeaderMap, mask: &Mask) -> String {
    let shown = headers.iter().map(|(name, value)| {
        let text = String::from_utf8_lossy(value.as_bytes());
        let value = match value.is_sensitive() {
            true => MASK.into(),
            false => mask.named(name.as_str(), &text),
        };
        format!("{name}: {value}")
    });
    shown.collect::<Vec<_>>().join("; ")
}

/// The line, cut to this width.
fn cut(line: &str, room: usize) -> Cow<'_, str> {
    match line.char_indices().nth(room) {
        Some(_) => {
            let kept: String = line.chars().take(room.saturating_sub(1)).collect();
            Cow::Owned(kept + "…")
        }
        None => line.into(),
    }
}
