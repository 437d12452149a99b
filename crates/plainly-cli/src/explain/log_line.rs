//! A line of plainly's own log, as text or as JSON: what its fields say of an error.

use plainly::errors::{
    Code, Dialect, Fault, Internal, Problem, ProtocolError, Retry, Revision, WireError,
};
use serde_json::{Map, Value};

use super::link::Link;
use super::{Explanation, Setting, coded, status};

/// An event of the log: its level, its words, and its fields.
#[derive(Debug)]
pub(super) struct Event {
    level: String,
    message: String,
    fields: Map<String, Value>,
}

const LEVELS: [&str; 5] = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"];

impl Event {
    /// Reads `TIME LEVEL TARGET: MESSAGE NAME=VALUE …`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (time, rest) = line.split_once(' ')?;
        let is_time = time.starts_with(|it: char| it.is_ascii_digit()) && time.contains('T');
        let (level, rest) = rest.trim_start().split_once(' ').filter(|_| is_time)?;
        LEVELS.contains(&level).then_some(())?;
        let (_target, rest) = rest.trim_start().split_once(": ")?;
        let (message, fields) = split(rest);
        Some(Self {
            level: level.to_owned(),
            message: message.to_owned(),
            fields,
        })
    }

    /// Reads the object that is a line of the log as JSON.
    pub(super) fn of(members: &Map<String, Value>) -> Option<Self> {
        let level = members.get("level")?.as_str()?;
        LEVELS.contains(&level).then_some(())?;
        members.get("target")?;
        let fields = match members.get("fields") {
            Some(fields) => fields.as_object()?.clone(),
            None => members.clone(),
        };
        let message = fields.get("message").and_then(Value::as_str);
        Some(Self {
            level: level.to_owned(),
            message: message.unwrap_or_default().to_owned(),
            fields,
        })
    }

    fn text(&self, name: &str) -> Option<String> {
        let value = self.fields.get(name)?;
        let text = value.as_str().map(str::to_owned);
        Some(text.unwrap_or_else(|| value.to_string()))
    }

    /// The error that the line tells of, if it does.
    pub(super) fn explain(&self, setting: Setting) -> Option<Vec<Explanation>> {
        let revision = self
            .text("revision")
            .and_then(|text| text.parse::<Revision>().ok());
        let setting = Setting {
            revision: setting.revision.or(revision),
            ..setting
        };
        let mut explained = self.coded(setting).or_else(|| self.failed())?;
        explained.given = "log line";
        Some(vec![explained])
    }
}

impl Event {
    /// The error that a peer was answered with: an incident, a problem or a number; or the status alone.
    fn coded(&self, setting: Setting) -> Option<Explanation> {
        if let Some(incident) = self.text("incident") {
            return Some(self.incident(incident, setting));
        }
        let cause = self.cause().unwrap_or_default();
        if let Some(problem) = self.text("problem") {
            return Some(coded::problem(&Problem::new(problem.into(), cause)));
        }
        let Some(code) = self.text("code") else {
            return status::explain(self.text("status")?.parse().ok()?).ok();
        };
        Some(match code.parse() {
            Ok(code) => coded::error(&WireError::received(Code::new(code), cause, None), setting),
            Err(_) => coded::problem(&Problem::new(code.into(), cause)),
        })
    }

    /// The peer got no more than a number; here is the cause.
    fn incident(&self, incident: String, setting: Setting) -> Explanation {
        let error = ProtocolError::from(Internal::Incident { incident });
        let revision = setting.revision.unwrap_or(Revision::LATEST);
        let explained = coded::error(&Dialect::default().encode(&error, revision), setting);
        Explanation {
            advice: "the cause is in this very line: mend it there".to_owned(),
            message: self.cause().or(explained.message),
            ..explained
        }
    }

    /// A line that is about a failure, and says no more than its words.
    fn failed(&self) -> Option<Explanation> {
        let is_about_failure = ["ERROR", "WARN"].contains(&&*self.level);
        let explained = Explanation {
            message: self.cause(),
            fault: Fault::Server,
            advice: "mend what the line names; nobody was told more than this".to_owned(),
            retry: Retry::AfterFix,
            link: Link::to_troubleshooting(),
            ..Explanation::new("log line", self.level.as_str(), self.message.as_str())
        };
        is_about_failure.then_some(explained)
    }

    /// What the line says of the cause.
    fn cause(&self) -> Option<String> {
        let names = ["chain", "error", "message"];
        let said = names
            .into_iter()
            .filter(|name| *name != "message" || self.has_own_message());
        said.into_iter().find_map(|name| self.text(name))
    }

    /// Whether `message` is a field, and not the words of the event.
    fn has_own_message(&self) -> bool {
        self.text("message")
            .is_some_and(|message| message != self.message)
    }
}

/// The words of an event, and the fields behind them.
fn split(text: &str) -> (&str, Map<String, Value>) {
    let mut fields = Map::new();
    let Some(start) = field(text) else {
        return (text.trim_end(), fields);
    };
    let (message, mut rest) = text.split_at(start);
    while let Some((name, value)) = rest.split_once('=') {
        let end = match value.strip_prefix('"') {
            Some(quoted) => end_of_quoted(quoted).map_or(value.len(), |end| end + 1),
            None => value.find(' ').unwrap_or(value.len()),
        };
        let (value, after) = value.split_at(end);
        // Quoted as in JSON; what is not JSON is text.
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.trim_matches('"').into());
        fields.insert(name.trim().to_owned(), value);
        rest = after;
    }
    (message.trim_end(), fields)
}

/// Where the first `name=` begins.
fn field(text: &str) -> Option<usize> {
    text.match_indices('=').find_map(|(at, _)| {
        let start = text[..at].rfind(' ').map_or(0, |space| space + 1);
        let name = &text[start..at];
        let is_name =
            !name.is_empty() && name.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
        is_name.then_some(start)
    })
}

/// Behind the quotation mark that ends a text, which no backslash comes before.
fn end_of_quoted(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '"' if !is_escaped => return Some(at + 1),
            character => is_escaped = character == '\\' && !is_escaped,
        }
    }
    None
}
