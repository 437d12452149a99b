//! What errors say beyond their own words: what the server asks for, its code by name, and the data of another
//! implementation where its message says nothing.

use std::fmt;
use std::time::Duration;

use plainly_errors::problem::whole_seconds;
use plainly_errors::registry::{Emit, capability_names, lookup};
use plainly_errors::{Code, ErrorKind, Problem, ProtocolError};
use serde_json::Value;

use super::{Challenge, Error};
use crate::transport::Escaped;

/// The most characters that are shown of data.
const SHOWN: usize = 200;

/// The most URLs, capabilities or versions that are named.
const NAMED: usize = 20;

/// Messages that say no more than that there is an error.
const EMPTY: [&str; 11] = [
    "",
    "bad request",
    "error",
    "failed",
    "internal",
    "internal error",
    "internal server error",
    "invalid params",
    "invalid request",
    "server error",
    "unknown error",
];

/// The members of data that are most likely to say why.
const WORDS: [&str; 5] = ["message", "detail", "error", "reason", "description"];

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(error) => answered(error, f),
            Self::Local(error) => error.fmt(f),
        }
    }
}

fn answered(error: &ProtocolError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let message = error.message();
    let message = without_prefix(&message);
    write!(f, "{}", Escaped(message))?;
    let received = error.received();
    let data = received.and_then(|received| received.data.as_ref());
    let says_nothing = EMPTY.contains(&message.trim_end_matches('.').to_lowercase().as_str());
    if error.kind().is_vague()
        && says_nothing
        && let Some(data) = data
    {
        let colon = if message.is_empty() { "" } else { ": " };
        write!(f, "{colon}{}", Escaped(&in_short(data)))?;
    }
    // Most messages name it.
    for want in wants(error).filter(|want| !want.is_in(message)) {
        write!(f, "; {want}")?;
    }
    match received {
        Some(received) => write!(f, " ({})", Named(received.code)),
        None => Ok(()),
    }
}

/// The message without what the TypeScript SDK 1 puts before each.
fn without_prefix(message: &str) -> &str {
    let rest = message.strip_prefix("MCP error ");
    let rest = rest.and_then(|rest| rest.split_once(": "));
    match rest {
        Some((code, rest)) if code.parse::<i64>().is_ok() => rest,
        _ => message,
    }
}

/// Data of an unknown shape: its words if it has any, else its JSON.
fn in_short(data: &Value) -> String {
    let words = WORDS.iter().find_map(|name| data.get(name)?.as_str());
    let text = match words.or(data.as_str()) {
        Some(words) => words.to_owned(),
        None => data.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Something that an error asks for.
struct Want {
    before: &'static str,
    /// What a message contains that asks for it itself.
    names: Vec<String>,
    after: &'static str,
}

impl Want {
    fn new(before: &'static str, names: impl IntoIterator<Item = String>) -> Self {
        Self {
            before,
            names: names.into_iter().take(NAMED).collect(),
            after: "",
        }
    }

    fn wait(wait: Duration) -> Self {
        let seconds = whole_seconds(wait);
        Self {
            after: if seconds == 1 { " second" } else { " seconds" },
            ..Self::new("try again in ", [seconds.to_string()])
        }
    }

    fn is_in(&self, message: &str) -> bool {
        self.names.iter().all(|name| message.contains(name))
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names.join(", ");
        write!(f, "{}{}{}", self.before, Escaped(&names), self.after)
    }
}

fn wants(error: &ProtocolError) -> impl Iterator<Item = Want> {
    let kind = error.kind();
    let of_kind = if let ErrorKind::UrlElicitationRequired { elicitations } = kind {
        let urls = elicitations.iter().map(|one| one.url.clone());
        Some(Want::new("visit ", urls))
    } else if let ErrorKind::MissingRequiredClientCapability { required } = kind {
        let names = capability_names(required);
        Some(Want::new("it requires the client capability ", names))
    } else if let ErrorKind::UnsupportedProtocolVersion { supported, .. } = kind {
        Some(Want::new("it supports ", supported.iter().cloned()))
    } else {
        None
    };
    let suggestion = error.problem().and_then(Problem::suggestion);
    let suggestion = suggestion.map(|text| Want::new("", [text.to_owned()]));
    let wait = error.retry_after().map(Want::wait);
    [of_kind, suggestion, wait].into_iter().flatten()
}

/// A code with its name, if it has one meaning.
struct Named(Code);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Those of a draft are used for other things too.
        match lookup(self.0).filter(|entry| entry.emit != Emit::Never) {
            Some(entry) => write!(f, "{} {}", entry.name, self.0),
            None => write!(f, "code {}", self.0),
        }
    }
}

/// What a status and its headers ask for.
pub(super) struct Asks<'a> {
    status: u16,
    location: Option<&'a str>,
    challenge: Option<&'a Challenge>,
    wait: Option<Duration>,
}

impl<'a> Asks<'a> {
    pub(super) fn of(
        status: u16,
        location: &'a Option<String>,
        challenge: &'a Option<Challenge>,
        wait: Option<Duration>,
    ) -> Self {
        Self {
            status,
            location: location.as_deref(),
            challenge: challenge.as_ref(),
            wait,
        }
    }
}

impl fmt::Display for Asks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, self.challenge) {
            (401, None) => {
                f.write_str("; the server wants credentials in the header `Authorization`")?;
            }
            (401, Some(challenge)) => write!(
                f,
                "; the server wants {challenge} in the header `Authorization`"
            )?,
            (403, Some(challenge)) => write!(f, "; the server wants {challenge}")?,
            (407, _) => f.write_str("; a proxy wants credentials")?,
            _ => {}
        }
        if let Some(location) = self.location {
            write!(f, "; it has moved to {}", Escaped(location))?;
        }
        match self.wait {
            Some(wait) => write!(f, "; {}", Want::wait(wait)),
            None => Ok(()),
        }
    }
}

/// The beginning of a body, unless it is markup.
pub(super) struct Excerpt<'a>(pub(super) &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The beginning of an HTML page doesn't say why.
        let is_markup = self.0.trim_start().starts_with('<');
        match self.0.lines().next().filter(|_| !is_markup) {
            Some(line) if !line.is_empty() => write!(f, ": {}", Escaped(line)),
            Some(_) | None => Ok(()),
        }
    }
}

/// What came instead of a reply.
pub(super) struct Instead<'a>(pub(super) &'a Option<String>);

impl fmt::Display for Instead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(instead) => write!(f, "; the server sent {} instead", Escaped(instead)),
            None => Ok(()),
        }
    }
}

/// Several, in their order.
pub(super) struct CommaSeparated<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for CommaSeparated<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_first() else {
            return f.write_str("none");
        };
        write!(f, "{}", Escaped(&first.to_string()))?;
        rest.iter()
            .try_for_each(|item| write!(f, ", {}", Escaped(&item.to_string())))
    }
}
