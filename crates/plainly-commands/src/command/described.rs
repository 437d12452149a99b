//! One tool or prompt, as `plainly tools TARGET TOOL` shows it: its purpose, its arguments, and a
//! call of it.

use std::cell::Cell;

use plainly::protocol::types::{Prompt, Tool};
use serde_json::Value;

use super::declared::problems;
use super::example::example;
use super::parameter::{Callee, Parameter, parameters, schema_of};
use super::schema::{Depth, resolved};
use crate::args::{Server, ServerName};
use crate::failure::Failure;
use crate::output::Output;
use crate::shell_word::shell_word;
use crate::visible::visible;

/// The most levels of members that are shown, and the most members.
const SHOWN: (usize, usize) = (4, 500);
/// The most parameters in a signature, and the most words in a call.
const MOST: usize = 200;

/// The description of a tool or a prompt.
pub(super) struct Description<'a> {
    callee: Callee,
    name: &'a str,
    /// The title and the description.
    texts: [Option<&'a str>; 2],
    /// The schema of its arguments.
    pub(super) schema: Value,
    problems: Option<String>,
}

pub(super) fn tool(tool: &Tool) -> Description<'_> {
    Description {
        callee: Callee::Tool,
        name: &tool.name,
        texts: [tool.title.as_deref(), tool.description.as_deref()],
        schema: serde_json::from_str(tool.input_schema.get()).unwrap_or_default(),
        problems: problems(tool.meta.as_ref()),
    }
}

pub(super) fn prompt(prompt: &Prompt) -> Description<'_> {
    Description {
        callee: Callee::Prompt,
        name: &prompt.name,
        texts: [prompt.title.as_deref(), prompt.description.as_deref()],
        schema: schema_of(prompt),
        problems: problems(prompt.meta.as_ref()),
    }
}

impl Description<'_> {
    /// Displays the description. `server` is its source.
    pub(super) fn show(&self, server: &Server, output: &mut Output) -> Result<(), Failure> {
        let parameters = parameters(&self.schema);
        output.prose(&signature(self.name, &parameters))?;
        for text in self.texts.into_iter().flatten() {
            output.lines("")?;
            output.prose(text)?;
        }
        if !parameters.is_empty() {
            output.lines("")?;
            output.head(["ARGUMENT", "TYPE", "MEANING"], columns)?;
        }
        let (levels, schemas) = SHOWN;
        let schemas = Cell::new(schemas);
        entries(&parameters, "", Depth::new(levels, &schemas), output)?;
        if let Some(codes) = &self.problems {
            output.lines("")?;
            output.lines(&format!("It declares to fail with {}.", visible(codes)))?;
        }
        if self.name.starts_with('-') {
            // The command would treat the name as an option.
            return Ok(());
        }
        output.lines("")?;
        let required = parameters.iter().filter(|it| it.must_be_given());
        let (levels, schemas) = SHOWN;
        let schemas = Cell::new(schemas);
        let examples = required.map(|it| example(it, Depth::new(levels, &schemas)));
        let words: Vec<_> = [self.name.to_owned()]
            .into_iter()
            .chain(examples.take(MOST))
            .collect();
        output.lines(&command_line(self.callee.command(), server, &words))
    }
}

/// A line for each parameter, followed by indented lines for the members of an object.
fn entries(
    parameters: &[Parameter<'_>],
    indent: &str,
    depth: Depth<'_>,
    output: &mut Output,
) -> Result<(), Failure> {
    for parameter in parameters {
        let Some(depth) = depth.deeper() else {
            return output.lines(&format!("{indent}…"));
        };
        let name = format!("{indent}{}", parameter.name);
        let (kind, meaning) = (parameter.kind().to_string(), meaning(parameter));
        output.entry([&name, &kind, &meaning], columns)?;
        let further = format!("{indent}  ");
        entries(&parameter.members(), &further, depth, output)?;
    }
    Ok(())
}

/// The line `plainly COMMAND` with these words and this server, for users to run.
pub(super) fn command_line(command: &str, server: &Server, words: &[String]) -> String {
    let words = words.iter().map(|word| quoted(word));
    let parts: Vec<_> = match server {
        Server::Open(_) => [command.to_owned()].into_iter().chain(words).collect(),
        Server::Url(target) | Server::Named(ServerName { text: target, .. }) => {
            let before = ["plainly".to_owned(), command.to_owned(), quoted(target)];
            before.into_iter().chain(words).collect()
        }
        Server::Child(child) => {
            let before = ["plainly".to_owned(), command.to_owned()];
            let child = child.iter().map(|word| quoted(&word.to_string_lossy()));
            let words = before.into_iter().chain(words);
            words.chain(["--".to_owned()]).chain(child).collect()
        }
    };
    parts.join(" ")
}

/// A word in the form that a shell reads.
fn quoted(word: &str) -> String {
    visible(&shell_word(word))
}

/// `search(pattern: string, limit?: integer)`.
fn signature(name: &str, parameters: &[Parameter<'_>]) -> String {
    let more = (parameters.len() > MOST).then(|| "…".to_owned());
    let shown = parameters.iter().take(MOST).map(|parameter| {
        let mark = if parameter.must_be_given() { "" } else { "?" };
        format!("{}{mark}: {}", visible(parameter.name), parameter.kind())
    });
    let shown: Vec<_> = shown.chain(more).collect();
    format!("{}({})", visible(name), shown.join(", "))
}

/// The description of an argument, whether it is required, and its default.
fn meaning(parameter: &Parameter<'_>) -> String {
    let own = &parameter.schema["description"];
    let referred = &resolved(parameter.root, parameter.schema)["description"];
    let described = own.as_str().or(referred.as_str()).unwrap_or_default();
    // The first paragraph, on one line.
    let lines = described.trim().lines().map(str::trim);
    let first: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    let first = Some(first.join(" ")).filter(|text| !text.is_empty());
    let note = match parameter.default() {
        Some(default) => Some(format!("(default: {default})")),
        None => parameter.is_required.then(|| "(required)".to_owned()),
    };
    let parts: Vec<_> = [first, note].into_iter().flatten().collect();
    match parts.is_empty() {
        true => "-".to_owned(),
        false => parts.join(" "),
    }
}

fn columns([name, kind, meaning]: [&str; 3]) -> String {
    format!("{name:<16}  {kind:<16}  {meaning}")
}
