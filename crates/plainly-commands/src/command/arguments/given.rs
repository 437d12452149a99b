//! The arguments on the command line, word by word. Files and standard input that a word names are
//! read.

use std::io::{self, Read};

use clap::error::ErrorKind;
use plainly::errors::mistake::quoted;
use serde_json::Value;

use super::super::parameter::Callee;
use crate::args::{Server, Words};
use crate::failure::Failure;
use crate::json;

/// The argument in one word.
#[derive(Debug)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) written: WrittenValue,
}

/// The text after `=`, or the contents of the file that it names.
#[derive(Debug)]
pub(super) enum WrittenValue {
    /// A text, which the schema converts to a value.
    Text(String),
    /// Like `Text`, but from a file or from standard input, which no error repeats.
    Read(String),
    /// The value itself, after `:=`.
    Json(Value),
}

/// The sources of values that are not on the command line.
#[derive(Debug)]
pub(super) struct Sources {
    stdin: Stdin,
}

/// Whether standard input can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stdin {
    Unread,
    Read,
    /// Standard input contains the commands of a shell.
    Taken,
}

/// All words, each as an argument.
pub(super) fn given(
    words: &mut Words,
    callee: Callee,
    sources: &mut Sources,
) -> Result<Vec<Argument>, Failure> {
    let mut all = Vec::new();
    while let Some(word) = words.next() {
        let one = one(&word, callee, sources);
        all.push(one.map_err(|why| words.wrong(ErrorKind::ValueValidation, &why))?);
    }
    Ok(all)
}

fn one(word: &str, callee: Callee, sources: &mut Sources) -> Result<Argument, String> {
    let (name, is_json, value) = split(word, callee)?;
    if is_json && callee == Callee::Prompt {
        return Err(format!(
            "the arguments of prompts are always text: use {name}={value}"
        ));
    }
    let text = sources.read(value).map_err(|why| match value {
        "-" | "@-" => format!("the value of {name}: {why}"),
        _ => {
            format!("the value of {name}: {why}; for text that starts with @, use {name}=@{value}")
        }
    })?;
    let written = match (is_json, is_source(value)) {
        (true, _) => WrittenValue::Json(as_json(name, value, &text)?),
        (false, true) => WrittenValue::Read(text),
        (false, false) => WrittenValue::Text(text),
    };
    Ok(Argument {
        name: name.to_owned(),
        written,
    })
}

/// The text as JSON. `written` is the text on the command line.
fn as_json(name: &str, written: &str, text: &str) -> Result<Value, String> {
    let parse = parser(written);
    parse(text).map_err(|why| {
        let written = quoted(written);
        format!("the value of {name}: {why}; for text, use {name}={written}")
    })
}

/// A parser of JSON, whose errors don't repeat text that is not on the command line.
pub(super) fn parser(written: &str) -> fn(&str) -> Result<Value, String> {
    match is_source(written) {
        true => json::parse_unseen,
        false => json::parse,
    }
}

/// Whether the text names a file or standard input.
fn is_source(written: &str) -> bool {
    written == "-" || (written.starts_with('@') && !written.starts_with("@@"))
}

/// `key=text` or `key:=JSON`: the name, whether it is JSON, and what follows.
fn split(word: &str, callee: Callee) -> Result<(&str, bool, &str), String> {
    let Some((name, text)) = word.split_once('=') else {
        return Err(match callee {
            Callee::Tool if word.starts_with('{') => {
                format!("for all arguments as one object, use --args '{word}'")
            }
            Callee::Tool => format!("{word:?} is not a tool argument: use key=text or key:=JSON"),
            Callee::Prompt => format!("{word:?} is not a prompt argument: use key=text"),
        });
    };
    if name.is_empty() || name == ":" {
        return Err(format!(
            "the name of the argument before {word} is missing: use key{word}"
        ));
    }
    Ok(match name.strip_suffix(':') {
        None => (name, false, text),
        Some(name) => (name, true, text),
    })
}

impl Sources {
    /// All sources that are available with this server.
    pub(super) fn beside(server: &Server) -> Self {
        let stdin = match server {
            Server::Open(_) => Stdin::Taken,
            Server::Url(_) | Server::Named(_) | Server::Child(_) => Stdin::Unread,
        };
        Self { stdin }
    }

    /// The text, or the contents of the file after `@`, or of standard input for `-` and `@-`. `@@`
    /// starts a text that starts with `@`.
    pub(super) fn read(&mut self, written: &str) -> Result<String, String> {
        let bytes = match (written, written.strip_prefix('@')) {
            ("-" | "@-", _) => self.stdin()?,
            (_, Some(literal)) if literal.starts_with('@') => return Ok(literal.to_owned()),
            (_, Some(path)) => std::fs::read(path)
                .map_err(|error| format!("cannot read the file {path:?}: {error}"))?,
            (text, None) => return Ok(text.to_owned()),
        };
        String::from_utf8(bytes).map_err(|_| "it is binary, and only text can be given".to_owned())
    }

    fn stdin(&mut self) -> Result<Vec<u8>, String> {
        match std::mem::replace(&mut self.stdin, Stdin::Read) {
            Stdin::Unread => {}
            Stdin::Read => {
                return Err("standard input can be read for one argument only".to_owned());
            }
            Stdin::Taken => {
                return Err("standard input is where the commands come from: use @FILE".to_owned());
            }
        }
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| format!("cannot read standard input: {error}"))?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_the_first_sign() {
        let cases = [
            ("query=mcp", Some(("query", false, "mcp"))),
            ("query=", Some(("query", false, ""))),
            ("query=a=b:=c", Some(("query", false, "a=b:=c"))),
            ("limit:=10", Some(("limit", true, "10"))),
            ("query", None),
            ("=x", None),
            (":=1", None),
        ];
        for (word, expected) in cases {
            assert_eq!(split(word, Callee::Tool).ok(), expected, "{word}");
        }
    }
}
