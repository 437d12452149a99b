//! The reason why a command failed, which is reported once at the end on standard error: a line of
//! text and a line of advice, or one JSON object.

mod authorization;
mod subject;

use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use plainly::client::{Error, LocalError};
use plainly::errors::mistake::shortened;
use plainly::errors::{Dialect, ErrorKind, ProtocolError, Revision, WireError};
use serde_json::{Value, json};

pub(crate) use self::subject::{MissingName, Subject};
use self::subject::{is_no_server, said_beside, scheme};
use crate::exit::Exit;
use crate::explain::{
    LONGEST_CAUSE, for_answer, for_local, for_question, for_tool, is_advised, of_answer, of_local,
    with_cause,
};
use crate::format::Format;
use crate::secrets::sent;
use crate::visible::{visible, visible_json};

const RED: Style = AnsiColor::Red.on_default().bold();
const BOLD: Style = Style::new().bold();

/// The most characters of a server's data that are shown.
const SHOWN: usize = 200;
/// The most bytes of advice, which may contain a server's URLs, names and suggestions.
const LONGEST_HELP: usize = 4_096;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line is invalid.
    Usage(clap::Error),
    /// The server returned an error, or did not answer.
    Call { error: Error, subject: Subject },
    /// The tool reports a failure; its result has been printed if the output is JSON.
    Tool { name: String, text: String },
    /// The server has no such tool or prompt.
    Missing(MissingName),
    /// The arguments don't fit the tool or the prompt, which was not called.
    Arguments {
        what: String,
        /// The way to list the arguments.
        help: String,
    },
    /// A task waits for an answer.
    Waiting {
        /// The question.
        question: String,
        /// The way to answer.
        help: String,
    },
    /// A failure on this side.
    Local {
        exit: Exit,
        what: String,
        source: Option<Box<dyn std::error::Error>>,
    },
    /// The output's reader has gone: `plainly ls | head` is no failure.
    ReaderGone,
    /// A signal ended the command before it was done.
    Interrupted,
    /// A signal ended a command that only a signal can end.
    Stopped,
}

impl Failure {
    /// A failure on this side.
    pub(crate) fn local(what: impl Into<String>) -> Self {
        Self::Local {
            exit: Exit::Failure,
            what: what.into(),
            source: None,
        }
    }

    /// A mistake on the command line that only shows when the command runs.
    pub(crate) fn impossible(
        what: impl Into<String>,
        source: impl Into<Option<Box<dyn std::error::Error>>>,
    ) -> Self {
        Self::Local {
            exit: Exit::Usage,
            what: what.into(),
            source: source.into(),
        }
    }

    /// A failure on this side, with its cause.
    pub(crate) fn caused(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error>>,
    ) -> Self {
        Self::Local {
            exit: Exit::Failure,
            what: what.into(),
            source: Some(source.into()),
        }
    }

    /// The output could not be written.
    pub(crate) fn output(error: io::Error) -> Self {
        Self::unless_gone("cannot write the output", error)
    }

    /// The error of an output stream, unless its reader has gone.
    pub(crate) fn unless_gone(what: &str, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ReaderGone;
        }
        Self::caused(what, error)
    }

    /// The file could not be written.
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::caused(format!("cannot write {}", path.display()), error)
    }

    /// The server rejects the request.
    pub(crate) fn refused(what: impl Into<String>) -> Self {
        Self::Local {
            exit: Exit::Refused,
            what: what.into(),
            source: None,
        }
    }

    /// Turns the error of a call about this subject into a failure.
    pub(crate) fn about(subject: Subject) -> impl FnOnce(Error) -> Self {
        move |error| Self::Call { error, subject }
    }

    /// The status to exit with.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::ReaderGone => Exit::Success,
            Self::Local { exit, .. } => *exit,
            Self::Usage(error) if error.use_stderr() => Exit::Usage,
            Self::Usage(_) => Exit::Success,
            Self::Arguments { .. } => Exit::Usage,
            Self::Tool { .. } => Exit::ToolError,
            Self::Missing(_) => Exit::Refused,
            Self::Waiting { .. } => Exit::Failure,
            Self::Interrupted | Self::Stopped => Exit::Interrupted,
            Self::Call { error, .. } if error.is_resource_not_found() => Exit::NotFound,
            Self::Call { error, .. } if error.is_unreachable() => Exit::Unreachable,
            Self::Call { error, subject } => match (error, subject) {
                (Error::Local(error), _) if is_configuration(error) => Exit::Usage,
                (Error::Local(error), _) if is_unauthorized(error) => Exit::Unauthorized,
                // An error of the protocol counts, too, because no server refuses the handshake
                // with one.
                (_, Subject::Connection | Subject::Revision(_)) => Exit::Unreachable,
                (Error::Protocol(_), _) => Exit::Refused,
                (Error::Local(error), _) if is_undeclared(error) => Exit::Refused,
                (Error::Local(_), _) => Exit::Failure,
            },
        }
    }

    /// Whether no further command is possible, because the server or the reader of the output has
    /// gone.
    pub(crate) fn ends_the_connection(&self) -> bool {
        match self {
            Self::Call { error, .. } => error.is_closed(),
            Self::ReaderGone => true,
            Self::Usage(_)
            | Self::Arguments { .. }
            | Self::Tool { .. }
            | Self::Missing(_)
            | Self::Waiting { .. }
            | Self::Local { .. }
            | Self::Interrupted
            | Self::Stopped => false,
        }
    }

    /// The failure, in a line.
    pub(crate) fn in_a_line(&self) -> String {
        sent::without(&self.text())
            .lines()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Reports the failure on standard error.
    pub(crate) fn report(&self, format: Format) {
        let mut stderr = anstream::stderr().lock();
        // A failure is ignored, because there is no other output.
        let _ = match (self, format.is_json()) {
            (Self::ReaderGone | Self::Stopped, _) | (Self::Tool { .. }, true) => Ok(()),
            (Self::Usage(error), false) => error.print(),
            // Help that the user requested is no error.
            (Self::Usage(error), true) if !error.use_stderr() => error.print(),
            (_, false) => {
                let help = self
                    .help()
                    .map(|help| format!("\n {BOLD}help:{BOLD:#} {help}"));
                let help = help.unwrap_or_default();
                let text = self.text();
                writeln!(stderr, "{RED}error:{RED:#} {}{help}", sent::without(&text))
            }
            (_, true) => {
                let json = self.json().to_string();
                writeln!(stderr, "{}", visible_json(&sent::without(&json)))
            }
        };
    }

    /// The advice for display: its secrets are masked and its length is bounded.
    fn help(&self) -> Option<String> {
        let advice = self.advice()?;
        // Secrets are masked first, because shortening could leave half of a token.
        let advice = sent::without(&advice);
        Some(visible(&shortened(&advice, LONGEST_HELP)))
    }

    /// The advice in one line, as in `plainly explain`, unless the error itself contains it.
    fn advice(&self) -> Option<String> {
        let (error, subject) = match self {
            Self::Missing(missing)
            | Self::Call {
                subject: Subject::Missing(missing),
                ..
            } => return Some(missing.help.clone()),
            Self::Call { error, subject } => (error, subject),
            Self::Tool { text, .. } => return for_tool(text).map(str::to_owned),
            Self::Arguments { help, .. } | Self::Waiting { help, .. } => {
                return Some(help.clone());
            }
            Self::Usage(_)
            | Self::Local { .. }
            | Self::ReaderGone
            | Self::Interrupted
            | Self::Stopped => return None,
        };
        if let Some(help) = for_question(error) {
            return Some(help);
        }
        match error {
            Error::Protocol(refused)
                if let Subject::Revision(revision) = subject
                    && !error.is_unsupported_version()
                    && !is_advised(refused) =>
            {
                Some(format!(
                    "leave out --revision {revision}, which the server may not know: the newest \
                     common one is used"
                ))
            }
            // Only a program that is no MCP server lacks both requests for connecting.
            Error::Protocol(error) if is_no_server(error, subject) => Some(
                "check that it is an MCP server: it knows no request for connecting".to_owned(),
            ),
            Error::Protocol(error) => {
                let is_needed = is_advised(error) || subject.hint(error).is_empty();
                is_needed.then(|| for_answer(error))
            }
            Error::Local(error) => for_local(error),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Call {
                error,
                subject: Subject::Resource(uri),
            } if error.is_resource_not_found() => {
                let message = error.protocol().map(ProtocolError::message);
                let said = message.as_deref().and_then(|it| said_beside(it, uri));
                let more = match said.map(|said| visible(&cut(said))) {
                    // The text names the resource that was meant.
                    Some(said) if said.starts_with('(') => format!(" {said}"),
                    Some(said) => format!("{}: the server says: {said}", scheme(uri)),
                    None => scheme(uri),
                };
                format!("no such resource: {}{more}", visible(uri))
            }
            Self::Missing(missing)
            | Self::Call {
                subject: Subject::Missing(missing),
                ..
            } => visible(&missing.what),
            Self::Call { error, subject } => match error {
                Error::Protocol(refused)
                    if let Subject::Revision(revision) = subject
                        && error.is_method_not_found() =>
                {
                    let message = refused.message();
                    let message = visible(&shortened(&message, LONGEST_CAUSE));
                    format!("the server does not speak {revision}: it answered: {message}")
                }
                Error::Protocol(refused) => {
                    let hint = subject.hint(refused);
                    let said = of_answer(refused);
                    // The data may contain more than the message.
                    let data = data(refused).map(Value::to_string);
                    let data = data.filter(|data| !said.contains(data));
                    let data = data.map(|data| format!(", data {}", cut(&data)));
                    let data = visible(&data.unwrap_or_default());
                    format!("the server answered: {said}{data}{hint}")
                }
                Error::Local(error) => login_wanted(error).to_owned() + &of_local(error),
            },
            Self::Waiting { question, .. } => {
                format!("the task waits for an answer: {}", visible(question))
            }
            // Some texts name the tool already.
            Self::Tool { name, text } if names(text, name) => visible_lines(text),
            Self::Tool { name, text } => format!("{}: {}", visible(name), visible_lines(text)),
            Self::Arguments { what, .. } => visible(what),
            Self::Local {
                what,
                source: Some(source),
                ..
            } => format!("{}: {}", visible(what), with_cause(&**source)),
            Self::Local {
                what, source: None, ..
            } => visible(what),
            Self::Usage(error) => mistake(error),
            Self::ReaderGone => "nothing is reading the output".to_owned(),
            Self::Interrupted | Self::Stopped => "interrupted".to_owned(),
        }
    }

    /// The error as JSON. `from` is its side, which distinguishes a peer's errors from local ones.
    /// Only a peer's error has a code.
    fn json(&self) -> Value {
        let kind = self.exit().name();
        let Self::Call {
            error: Error::Protocol(error),
            ..
        } = self
        else {
            let mut object = json!({ "from": "local", "kind": kind, "message": self.text() });
            if let (Some(object), Some(help)) = (object.as_object_mut(), self.help()) {
                object.insert("help".to_owned(), help.into());
            }
            if let (Some(object), Self::Call { error, .. }) = (object.as_object_mut(), self)
                && let Some(error) = error.authorization()
            {
                object.insert("authorization".to_owned(), authorization::about(error));
            }
            return json!({ "error": object });
        };
        let WireError {
            code,
            message,
            data,
            ..
        } = wire(error);
        let mut object = json!({ "from": "peer", "kind": kind, "code": code, "message": message });
        if let (Some(object), Some(data)) = (object.as_object_mut(), data) {
            object.insert("data".to_owned(), data);
        }
        json!({ "error": object })
    }
}

/// Whether the server lacks the feature.
fn is_undeclared(error: &LocalError) -> bool {
    matches!(error, LocalError::NotDeclared { .. })
}

/// Whether authentication is missing or failed.
fn is_unauthorized(error: &LocalError) -> bool {
    matches!(
        error,
        LocalError::Authorization(_)
            | LocalError::HttpStatus {
                status: 401 | 403,
                ..
            }
    )
}

/// Whether the URL or a header can't be used.
fn is_configuration(error: &LocalError) -> bool {
    matches!(
        error,
        LocalError::Configuration { .. } | LocalError::ReservedHeader { .. }
    )
}

/// The text before an error of authorization that does not mention the login.
fn login_wanted(error: &LocalError) -> &'static str {
    if let LocalError::Authorization(error) = error
        && error.kind() == "metadata"
    {
        "the server requires a login, and "
    } else {
        ""
    }
}

/// The data of an error that only its server can interpret.
fn data(error: &ProtocolError) -> Option<&Value> {
    let own = if let ErrorKind::Application { data, .. } | ErrorKind::Unrecognised { data, .. } =
        error.kind()
    {
        data.as_ref()
    } else {
        error.own_data()
    };
    let is_method =
        |data: &Value| matches!(error.kind(), ErrorKind::MethodNotFound { .. }) && data.is_string();
    own.filter(|data| error.problem().is_none() && !is_method(data))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The error object as the server sent it.
fn wire(error: &ProtocolError) -> WireError {
    let received = error.received().cloned();
    received.unwrap_or_else(|| Dialect::default().encode(error, Revision::LATEST))
}

/// A mistake on the command line, in one line, without the usage.
fn mistake(error: &clap::Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines = text.lines().take_while(|line| !line.is_empty());
    visible(&lines.map(str::trim).collect::<Vec<_>>().join(" "))
}

/// Whether the first line of the text contains this name.
fn names(text: &str, name: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let mut words = line.split(|it: char| !it.is_alphanumeric() && !name.contains(it));
    words.any(|word| word == name)
}

fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use plainly::errors::Code;

    use super::*;

    fn failure(code: i64, message: &str, data: Value, subject: Subject) -> Failure {
        let error = WireError::received(Code::new(code), message.to_owned(), Some(data));
        Failure::about(subject)(error.recognise().into())
    }

    #[test]
    fn a_server_can_not_fill_the_screen() {
        let long = "x".repeat(100_000);
        let one = |url| json!({"mode": "url", "elicitationId": "1", "url": url, "message": "m"});
        let of_web = one(format!("https://a.example/{long}"));
        let other = one(format!("file:///{long}"));
        let unknown = (-32601, long.as_str(), Value::Null);
        let cases = [
            (-32042, "m", json!({"elicitations": vec![&of_web; 30]})),
            (-32042, "m", json!({"elicitations": [of_web, other]})),
            (
                -32022,
                "m",
                json!({"supported": vec![&long; 30], "requested": "1"}),
            ),
            (-32021, "m", json!({"requiredCapabilities": {&long: {}}})),
            (
                429,
                "m",
                json!({"code": "RATE_LIMIT_EXCEEDED", "suggestion": long}),
            ),
            unknown.clone(),
        ];
        for (code, message, data) in cases {
            let failed = failure(code, message, data, Subject::Tools);
            let shown = failed.text() + &failed.help().unwrap_or_default();
            assert!(
                (20..6_000).contains(&shown.len()),
                "{code}: {}",
                shown.len()
            );
        }
        let (code, message, data) = unknown;
        let failed = failure(code, message, data, Subject::Revision(Revision::LATEST));
        let text = failed.text();
        assert!(text.len() < 1_200, "{}", text.len());
        assert!(text.starts_with("the server does not speak "), "{text}");
        assert_eq!(failed.json()["error"]["message"], json!(message));
    }

    #[test]
    fn advice_of_the_server_is_not_lost_to_a_hint() {
        let limited = || json!({"code": "RATE_LIMIT_EXCEEDED", "retry_after": 9});
        let told = || json!({"code": "NOT_FOUND", "suggestion": "Try a:c."});
        let resource = || Subject::Resource("a".to_owned());
        let revision = || Subject::Revision(Revision::LATEST);
        for (data, subject, help) in [
            (
                limited(),
                Subject::Tools,
                "wait 9 seconds, then send the request again",
            ),
            (
                limited(),
                revision(),
                "wait 9 seconds, then send the request again",
            ),
            (
                limited(),
                resource(),
                "wait 9 seconds, then send the request again",
            ),
            (told(), revision(), "Try a:c"),
            (told(), resource(), "Try a:c"),
        ] {
            let failed = failure(429, "no", data, subject);
            assert_eq!(failed.help().as_deref(), Some(help));
        }
        let failed = failure(429, "no", Value::Null, revision());
        assert!(failed.help().unwrap().starts_with("leave out --revision "));
        assert_eq!(failure(429, "no", Value::Null, resource()).help(), None);
    }
}
