//! Options for the questions and messages of a server while a command runs.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use plainly::protocol::types::{ElicitAction, LoggingLevel};
use serde_json::Value;

use super::Words;
use crate::failure::Failure;
use crate::json;

/// The options that are about questions and messages of the server.
#[derive(Debug, clap::Args)]
pub(crate) struct AskingArgs {
    /// Answer the server's questions without being asked: NAME=TEXT or NAME:=JSON for a field of a form, or else accept (the
    /// defaults of the form), decline or cancel; can be given several times
    #[arg(long = "answer", value_name = "ANSWER", value_parser = GivenAnswer::parse)]
    pub(crate) given_answers: Vec<GivenAnswer>,

    /// Let the server ask a model: COMMAND gets each request as JSON on standard input and prints
    /// the result as JSON
    #[arg(long, value_name = "COMMAND")]
    pub(crate) sample_with: Option<String>,

    /// Let the server work in this directory; can be given several times
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,

    /// Show the server's log messages from this level up; debug also shows the standard error of a
    /// child process [default: the first twenty from warning up]
    #[arg(long, value_name = "LEVEL", value_parser = server_log(), hide_possible_values = true)]
    pub(crate) server_log: Option<ServerLog>,

    /// Show errors only: no progress, no warnings and no messages of the server
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The most messages of a server that are shown without `--server-log`.
const UNASKED: usize = 20;

/// The minimum level of a server's messages that are shown; `None` shows none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerLog(pub(crate) Option<LoggingLevel>);

impl ServerLog {
    pub(super) const DEBUG: Self = Self(Some(LoggingLevel::Debug));
}

/// An answer that is given before the question is asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GivenAnswer {
    /// The answer to the whole question.
    Action(ElicitAction),
    /// A field, as text that a user could type.
    Text(String, String),
    /// A field, as JSON.
    Json(String, Value),
}

impl AskingArgs {
    /// The minimum level of the server's messages to show.
    pub(crate) fn server_log(&self) -> Option<LoggingLevel> {
        let chosen = self
            .server_log
            .unwrap_or(ServerLog(Some(LoggingLevel::Warning)));
        chosen.0.filter(|_| !self.quiet)
    }

    /// The most messages of the server that are shown. With `--server-log`, all are.
    pub(crate) fn most_messages(&self) -> usize {
        match self.server_log {
            Some(_) => usize::MAX,
            None => UNASKED,
        }
    }

    /// Whether to show the standard error of a child process.
    pub(crate) fn shows_child(&self) -> bool {
        self.server_log() == Some(LoggingLevel::Debug)
    }

    /// Fails if the answers contradict each other.
    pub(super) fn check(&self, words: &Words) -> Result<(), Failure> {
        let checked = GivenAnswer::check(&self.given_answers);
        checked.map_err(|why| words.wrong(ErrorKind::ArgumentConflict, &why))
    }
}

impl GivenAnswer {
    /// The field that the answer is for, if it is for one.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Action(_) => None,
            Self::Text(name, _) | Self::Json(name, _) => Some(name),
        }
    }

    /// Fails if these answers contradict each other.
    pub(crate) fn check(all: &[Self]) -> Result<(), String> {
        let mut actions = all.iter().filter_map(Self::action);
        if all.len() > 1 && actions.any(|it| it != ElicitAction::Accept) {
            return Err("decline and cancel stand alone, without fields".to_owned());
        }
        let mut names: Vec<_> = all.iter().filter_map(Self::name).collect();
        names.sort_unstable();
        let mut pairs = names.iter().zip(names.iter().skip(1));
        match pairs.find(|(one, next)| one == next) {
            Some((twice, _)) => Err(format!("duplicate answer {twice:?}")),
            None => Ok(()),
        }
    }

    /// The answer to the whole question, if this is one.
    fn action(&self) -> Option<ElicitAction> {
        match self {
            Self::Action(action) => Some(*action),
            Self::Text(..) | Self::Json(..) => None,
        }
    }

    /// Parses a word as an answer.
    pub(crate) fn parse(word: &str) -> Result<Self, String> {
        let Some((name, value)) = word.split_once('=') else {
            return match word {
                "accept" => Ok(Self::Action(ElicitAction::Accept)),
                "decline" => Ok(Self::Action(ElicitAction::Decline)),
                "cancel" => Ok(Self::Action(ElicitAction::Cancel)),
                _ => Err("use NAME=TEXT, NAME:=JSON, accept, decline or cancel".to_owned()),
            };
        };
        match name.strip_suffix(':') {
            _ if name.is_empty() || name == ":" => {
                Err("the name of the field is missing: use NAME=TEXT, such as age=36".to_owned())
            }
            None => Ok(Self::Text(name.to_owned(), value.to_owned())),
            Some(name) => match json::parse(value) {
                Ok(value) => Ok(Self::Json(name.to_owned(), value)),
                Err(why) => Err(format!("{why}; for text, use {name}={value}")),
            },
        }
    }
}

pub(super) fn server_log() -> impl TypedValueParser<Value = ServerLog> {
    let levels = LoggingLevel::ALL.into_iter().map(LoggingLevel::as_str);
    PossibleValuesParser::new(levels.chain(["off"])).map(|word| {
        let mut levels = LoggingLevel::ALL.into_iter();
        ServerLog(levels.find(|level| level.as_str() == word))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_a_field_or_what_becomes_of_the_question() {
        let text = |name: &str, text: &str| Some(GivenAnswer::Text(name.into(), text.into()));
        let cases = [
            ("accept", Some(GivenAnswer::Action(ElicitAction::Accept))),
            ("cancel", Some(GivenAnswer::Action(ElicitAction::Cancel))),
            ("age=36", text("age", "36")),
            ("a=b=c", text("a", "b=c")),
            ("a=", text("a", "")),
            ("age:=36", Some(GivenAnswer::Json("age".into(), json!(36)))),
            ("age:=x", None),
            ("=x", None),
            (":=1", None),
            ("yes", None),
        ];
        for (word, expected) in cases {
            assert_eq!(GivenAnswer::parse(word).ok(), expected, "{word}");
        }
    }
}
