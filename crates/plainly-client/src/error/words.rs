//! The additions of errors to their own words: the server's demands, the name of its code, and the
//! data of another implementation whose message is empty. Every text of a server is shortened.

use std::fmt;
use std::time::Duration;

use plainly_errors::mistake::shortened;
use plainly_errors::problem::wait_in_words;
use plainly_errors::registry::{Emit, capability_names, lookup};
use plainly_errors::{Code, ErrorKind, Mistake, Problem, ProtocolError, UrlElicitation};
use plainly_protocol::types::RawJson;
use serde_json::Value;

use super::bounded::Bounded;
use super::said::{words, words_of_body};
use super::{Challenge, Error, LocalError};
use plainly_transport::Escaped;

/// The most bytes of data, and of words that are found in what can't be read.
const ASIDE: usize = 512;

/// The most URLs, capabilities or versions that are named.
const NAMED: usize = 20;

/// Messages without a meaning beyond an error.
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

/// Text of the server's that is quoted aside, and shorter than elsewhere.
struct Aside<'a>(&'a str);

impl fmt::Display for Aside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Escaped(&shortened(self.0, ASIDE)).fmt(f)
    }
}

plainly_errors::debug_with_causes!(Error, LocalError);

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
    let received = error.received();
    let data = received.and_then(|received| received.data.as_ref());
    match message.trim().is_empty() && data.is_none() {
        true => f.write_str("no reason was given")?,
        // What follows is part of the sentence.
        false if is_more(error, message) => {
            write!(f, "{}", Bounded(message.trim_end_matches('.')))?
        }
        false => write!(f, "{}", Bounded(message))?,
    }
    let says_nothing = EMPTY.contains(&message.trim_end_matches('.').to_lowercase().as_str());
    if error.kind().is_vague()
        && says_nothing
        && let Some(data) = data
    {
        let colon = if message.is_empty() { "" } else { ": " };
        let said = words(data).unwrap_or_else(|| data.to_string().into());
        write!(f, "{colon}{}", Aside(&said))?;
    }
    for (at, problem) in unsaid(error, message).enumerate() {
        let between = if at == 0 { ":" } else { ";" };
        write!(f, "{between} {}", Aside(problem.trim_end_matches('.')))?;
    }
    // Most messages name it.
    for want in wants(error).filter(|want| !want.is_in(message)) {
        write!(f, "; {want}")?;
    }
    match received {
        Some(received) => write!(f, " ({})", Named(received.code, error.kind())),
        None => Ok(()),
    }
}

/// Each of several problems that the message lacks, as one that only counts them.
fn unsaid(error: &ProtocolError, message: &str) -> impl Iterator<Item = String> {
    let all = error.problems().into_iter().flatten();
    let texts = all.take(NAMED).map(|problem| match problem.suggestion() {
        Some(suggestion) => format!("{} {suggestion}", problem.message()),
        None => problem.message().to_owned(),
    });
    texts.filter(|text| !message.contains(text.as_str()))
}

/// Whether there is an addition after the message.
fn is_more(error: &ProtocolError, message: &str) -> bool {
    unsaid(error, message).next().is_some() || wants(error).any(|want| !want.is_in(message))
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

/// Something that an error asks for.
struct Want {
    before: &'static str,
    /// The names that a message with this demand contains.
    names: Vec<String>,
    after: String,
}

impl Want {
    fn new(before: &'static str, names: impl IntoIterator<Item = String>) -> Self {
        Self {
            before,
            names: names.into_iter().take(NAMED).collect(),
            after: String::new(),
        }
    }

    fn wait(wait: Duration) -> Self {
        let wait = wait_in_words(wait);
        let (number, unit) = wait.split_once(' ').unwrap_or((&wait, ""));
        Self {
            after: format!(" {unit}"),
            ..Self::new("try again in ", [number.to_owned()])
        }
    }

    /// The refused URLs, which the user should not visit.
    fn refusal(elicitations: &[UrlElicitation]) -> Option<Self> {
        let others = elicitations.iter().filter(|one| !one.is_web());
        let schemes = others.map(|one| one.url.split(':').next().unwrap_or_default());
        let schemes: Vec<_> = schemes.map(|scheme| format!("{scheme}:")).collect();
        (!schemes.is_empty()).then(|| Self {
            after: ", which is not safe: only http and https are".to_owned(),
            ..Self::new("it asks for a visit to a URL that begins with ", schemes)
        })
    }

    fn is_in(&self, message: &str) -> bool {
        self.names.iter().all(|name| message.contains(name))
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names.join(", ");
        write!(f, "{}{}{}", self.before, Bounded(&names), self.after)
    }
}

fn wants(error: &ProtocolError) -> impl Iterator<Item = Want> {
    let kind = error.kind();
    let mut refused = None;
    let of_kind = if let ErrorKind::UrlElicitationRequired { elicitations } = kind {
        refused = Want::refusal(elicitations);
        let urls = elicitations.iter().filter(|one| one.is_web());
        let mut urls = urls.map(|one| one.url.clone()).peekable();
        urls.peek().is_some().then(|| Want::new("visit ", urls))
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
    [of_kind, refused, suggestion, wait].into_iter().flatten()
}

/// A code with its name, if it has one meaning.
struct Named<'a>(Code, &'a ErrorKind);

impl Named<'_> {
    /// Whether the code may mean something else here, as those of a draft and of some revisions do.
    fn is_ambiguous(&self) -> bool {
        match lookup(self.0).map(|entry| entry.emit) {
            Some(Emit::Never) => true,
            Some(Emit::PerRevision) => !matches!(self.1, ErrorKind::ResourceNotFound { .. }),
            Some(Emit::Defined | _) | None => false,
        }
    }
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match lookup(self.0).filter(|_| !self.is_ambiguous()) {
            Some(entry) => write!(f, "{} {}", entry.name, self.0),
            None => write!(f, "code {}", self.0),
        }
    }
}

/// The demands of a status and its headers.
pub(super) struct Asks<'a> {
    status: u16,
    location: Option<&'a str>,
    challenge: Option<&'a Challenge>,
    /// The fault of another one.
    malformed: Option<&'a str>,
    wait: Option<Duration>,
    /// The error beside it, which is shown after this.
    beside: Option<&'a ProtocolError>,
}

impl<'a> Asks<'a> {
    pub(super) fn of(
        status: u16,
        location: &'a Option<String>,
        (challenges, malformed): (&'a [Challenge], &'a [String]),
        wait: Option<Duration>,
        beside: &'a Option<ProtocolError>,
    ) -> Self {
        Self {
            status,
            location: location.as_deref(),
            challenge: Challenge::main(challenges),
            malformed: malformed.first().map(String::as_str),
            wait,
            beside: beside.as_ref(),
        }
    }

    /// Whether the error beside it contains the same.
    fn is_said(&self, why: &str) -> bool {
        let mut beside = self.beside.iter();
        beside.any(|error| error.message().ends_with(why))
    }
}

impl fmt::Display for Asks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, self.challenge) {
            (401, None) => {
                f.write_str("; the server wants credentials in the header `Authorization`")?;
            }
            (401, Some(challenge)) => match challenge.rejection() {
                Some(why) if self.is_said(why) => {}
                Some(why) => write!(f, "; the server rejected the token: {}", Bounded(why))?,
                None => write!(
                    f,
                    "; the server wants {challenge} in the header `Authorization`"
                )?,
            },
            (403, Some(challenge)) => write!(f, "; the server wants {challenge}")?,
            (407, _) => f.write_str("; a proxy wants credentials")?,
            _ => {}
        }
        if let Some(malformed) = self.malformed {
            write!(f, "; {}", Bounded(malformed))?;
        }
        if let Some(location) = self.location {
            write!(f, "; it has moved to {}", Bounded(location))?;
        }
        match self.wait {
            Some(wait) => write!(f, "; {}", Want::wait(wait)),
            None => Ok(()),
        }
    }
}

/// The text of a body, if it has any.
pub(super) struct Excerpt<'a>(pub(super) &'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match words_of_body(self.0) {
            Some(said) => write!(f, ": {}", Aside(&said)),
            None => Ok(()),
        }
    }
}

/// The text of an unreadable result, unless that was quoted already: a tool may have explained its
/// failure.
pub(super) struct WordsOfResult<'a>(pub(super) &'a Option<RawJson>, pub(super) &'a str);

impl fmt::Display for WordsOfResult<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(result, quoted) = self;
        let result: Option<Value> = result.as_ref().and_then(|result| result.decode().ok());
        let said = result
            .as_ref()
            .and_then(|result| words(result.get("content")?));
        match said.filter(|said| !quoted.contains(&**said)) {
            Some(said) => write!(f, "; it says: {}", Aside(&said)),
            None => Ok(()),
        }
    }
}

/// The text of an invalid error, and its mistakes.
pub(super) struct Irregular<'a>(pub(super) &'a RawJson, pub(super) &'a [Mistake]);

impl fmt::Display for Irregular<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(error, mistakes) = self;
        let error: Value = error.decode().unwrap_or_default();
        let wrong = match error.is_string() {
            // It is shown anyway.
            true => "it is text and not an object".to_owned(),
            false => Mistake::list(mistakes),
        };
        match words(&error) {
            Some(said) => write!(f, "{} ({})", Aside(&said), Bounded(&wrong)),
            None => write!(f, "{}", Bounded(&wrong)),
        }
    }
}

/// The message that came instead of a reply.
pub(super) struct Instead<'a>(pub(super) &'a Option<String>);

impl fmt::Display for Instead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(instead) => write!(f, "; the server sent {} instead", Bounded(instead)),
            None => Ok(()),
        }
    }
}

/// The server's text about it.
pub(super) struct Said<'a>(pub(super) &'a Option<String>);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(said) => write!(f, ": {}", Bounded(said)),
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
        write!(f, "{}", Bounded(&first.to_string()))?;
        let mut rest = rest.iter();
        for item in rest.by_ref().take(NAMED) {
            write!(f, ", {}", Bounded(&item.to_string()))?;
        }
        match rest.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
