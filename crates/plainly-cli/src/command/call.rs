//! `plainly call`: a tool called, and its answer printed.

use clap::error::ErrorKind;
use plainly::client::{self, Client, Started, TaskHandle};
use plainly::protocol::types::{Body, CallToolResult, Content, RawJson};
use serde_json::{Map, Value, json};

use super::listed::refused;
use crate::args::{CallArgs, Server, Words};
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::json;
use crate::output::Output;
use crate::terminal;

pub(crate) async fn run(mut args: CallArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let name = words.take_name("TOOL")?;
    let is_one_by_one = args.args.is_none();
    let arguments = arguments(args.args, words)?;
    let mut output = Output::new(args.server.format());
    args.server.answers_later = args.task;
    if args.task && matches!(server, Server::Child(_)) {
        tracing::warn!("the server ends with this command, and may forget the task");
    }
    let started = with_client(server, args.server, async |client| {
        terminal::doing(&format!("waiting for {name}"));
        let calling = client.call_tool(&name, &arguments);
        let calling = calling.on_progress(terminal::report);
        let called = match args.task {
            true => calling.start().await,
            false => calling.await.map(Started::Done),
        };
        match called {
            Ok(started) => Ok(started),
            Err(error) => Err(refused(error, &name, names(client), Subject::Tools).await),
        }
    })
    .await?;
    let result = match started {
        Started::Done(result) => result,
        Started::Task(task) => return print_id(&task, &mut output),
    };
    if args.task {
        tracing::warn!("the server made no task of the call, but gave its result at once");
    }
    print_whole(&result, &mut output)?;
    if result.is_tool_error() {
        let text = said(&result);
        let help = is_one_by_one
            .then(|| meant_as_json(&arguments, &text))
            .flatten();
        return Err(Failure::Tool { name, text, help });
    }
    Ok(())
}

/// The id of a task that goes on, for other commands.
fn print_id(task: &TaskHandle<CallToolResult>, output: &mut Output) -> Result<(), Failure> {
    match output.is_json() {
        true => output.json(&json!({ "taskId": task.id(), "status": task.status() }))?,
        false => output.fields(&[task.id()])?,
    }
    output.flush()
}

/// The result, except for what a tool says that failed, unless it is JSON.
pub(super) fn print_whole(result: &CallToolResult, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        output.json(result)?;
    } else if !result.is_tool_error() {
        print(result, output)?;
    }
    output.flush()
}

async fn names(client: &Client) -> client::Result<Vec<String>> {
    let tools = client.tools().await?;
    Ok(tools.into_iter().map(|tool| tool.name).collect())
}

/// The arguments: all of them as one object, or one by one.
fn arguments(
    whole: Option<Map<String, Value>>,
    mut words: Words,
) -> Result<Map<String, Value>, Failure> {
    if let Some(arguments) = whole {
        return match words.next() {
            None => Ok(arguments),
            Some(word) => Err(words.wrong(
                ErrorKind::ArgumentConflict,
                &format!("arguments are given in --args or one by one, not both: {word}"),
            )),
        };
    }
    let mut arguments = Map::new();
    while let Some(word) = words.next() {
        let (name, value) =
            argument(&word).map_err(|why| words.wrong(ErrorKind::ValueValidation, &why))?;
        if arguments.insert(name.to_owned(), value).is_some() {
            let why = format!("the argument {name:?} is given twice");
            return Err(words.wrong(ErrorKind::ValueValidation, &why));
        }
    }
    Ok(arguments)
}

/// `key=text` or `key:=JSON`.
pub(super) fn argument(word: &str) -> Result<(&str, Value), String> {
    let Some((name, value)) = word.split_once('=') else {
        return Err(match word.starts_with('{') {
            true => format!("for all arguments as one object, use --args '{word}'"),
            false => format!("{word:?} is not a tool argument: use key=text or key:=JSON"),
        });
    };
    if name.is_empty() || name == ":" {
        return Err(format!(
            "the name of the argument before {word} is missing: use key{word}"
        ));
    }
    match name.strip_suffix(':') {
        None => Ok((name, value.into())),
        Some(name) => match json::parse(value) {
            Ok(value) => Ok((name, value)),
            Err(why) => Err(format!(
                "the value of {name}: {why}; for text, use {name}={value}"
            )),
        },
    }
}

fn print(result: &CallToolResult, output: &mut Output) -> Result<(), Failure> {
    if let ([], Some(structured)) = (result.content.as_slice(), &result.structured_content) {
        return output.json(structured);
    }
    for content in &result.content {
        output.lines(&shown(content))?;
    }
    Ok(())
}

/// The words of a tool that failed.
pub(super) fn said(result: &CallToolResult) -> String {
    let text = result
        .content
        .iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join("\n");
    if !text.is_empty() {
        return text;
    }
    match result.problems() {
        Some(problems) => problems.text().into_owned(),
        None => "the tool failed without saying why".to_owned(),
    }
}

/// How to pass what was passed as text and may not have been meant so, where the tool complains of it.
fn meant_as_json(arguments: &Map<String, Value>, said: &str) -> Option<String> {
    let named = arguments.iter().filter(|(name, _)| said.contains(*name));
    let words: Vec<String> = named
        .filter_map(|(name, value)| {
            let text = value.as_str()?;
            let is_json = json::parse(text).is_ok_and(|value| !value.is_string());
            is_json.then(|| format!("{name}:={text}"))
        })
        .collect();
    (!words.is_empty()).then(|| format!("for a value that is not text: {}", words.join(" ")))
}

/// Text as it is, anything else named.
pub(super) fn shown(content: &Content) -> String {
    match content {
        Content::Text(block) => block.text.clone(),
        Content::Image(block) => format!("[image {}, {} bytes]", block.mime_type, block.data.len()),
        Content::Audio(block) => format!("[audio {}, {} bytes]", block.mime_type, block.data.len()),
        Content::Resource(block) => match &block.resource.body {
            Body::Text(text) => text.clone(),
            Body::Blob(bytes) => {
                format!("[resource {}, {} bytes]", block.resource.uri, bytes.len())
            }
        },
        Content::ResourceLink(resource) => format!("[resource {}]", resource.uri),
        Content::Unknown(block) => text_of(block).unwrap_or_else(unknown),
        _ => unknown(),
    }
}

fn unknown() -> String {
    "[content of unknown type; use --json to see it]".to_owned()
}

/// The text of a block of unknown type, if it has any where all others have it.
fn text_of(block: &RawJson) -> Option<String> {
    let block: Value = block.decode().ok()?;
    block.get("text")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_text_or_json() {
        let cases = [
            ("query=mcp", Some(("query", json!("mcp")))),
            ("query=", Some(("query", json!("")))),
            ("query=a=b:=c", Some(("query", json!("a=b:=c")))),
            ("limit=10", Some(("limit", json!("10")))),
            ("limit:=10", Some(("limit", json!(10)))),
            ("tags:=[\"a\"]", Some(("tags", json!(["a"])))),
            ("limit:=ten", None),
            ("query", None),
            ("=x", None),
            (":=1", None),
        ];
        for (word, expected) in cases {
            assert_eq!(argument(word).ok(), expected, "{word}");
        }
    }
}
