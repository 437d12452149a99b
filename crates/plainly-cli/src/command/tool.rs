//! One tool, as `plainly tools TARGET TOOL` shows it: what it does, the arguments that it takes, and how to call it.

use plainly::protocol::types::Tool;
use serde_json::{Map, Value};

use super::declared::problems;
use crate::args::{Server, ServerName};
use crate::failure::Failure;
use crate::output::Output;
use crate::shell_word::shell_word;
use crate::visible::visible;

/// The schemas within schemas that are named.
const DEEPEST: usize = 4;

/// The most values of a list that are named.
const NAMED: usize = 8;

/// An argument, by the tool's schema.
struct Argument<'a> {
    name: &'a str,
    schema: &'a Value,
    /// The schema of all arguments, to which others refer.
    root: &'a Value,
    is_required: bool,
}

/// Shows the tool to people. `server` is where it was found.
pub(super) fn show(tool: &Tool, server: &Server, output: &mut Output) -> Result<(), Failure> {
    let schema: Value = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    let arguments = arguments(&schema);
    output.lines(&signature(&tool.name, &arguments))?;
    for text in [&tool.title, &tool.description].into_iter().flatten() {
        output.lines("")?;
        output.lines(text.trim())?;
    }
    if !arguments.is_empty() {
        output.lines("")?;
        output.head(["ARGUMENT", "TYPE", "MEANING"], columns)?;
    }
    for argument in &arguments {
        let (kind, meaning) = (argument.kind(), argument.meaning());
        output.row([argument.name, &kind, &meaning], columns)?;
    }
    if let Some(codes) = problems(tool.meta.as_ref()) {
        output.lines("")?;
        output.lines(&format!("It declares to fail with {}.", visible(&codes)))?;
    }
    output.lines("")?;
    output.lines(&call(&tool.name, &arguments, server))
}

/// The arguments: first those that must be given, as the schema names them, then the others.
fn arguments(schema: &Value) -> Vec<Argument<'_>> {
    let required = schema["required"].as_array();
    let place = |name: &str| required.and_then(|all| all.iter().position(|it| it == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut arguments: Vec<_> = properties
        .map(|(name, own)| Argument {
            name,
            schema: resolved(schema, own),
            root: schema,
            is_required: place(name).is_some(),
        })
        .collect();
    arguments.sort_by_key(|argument| place(argument.name).unwrap_or(usize::MAX));
    arguments
}

/// What a schema refers to in the same document, or itself.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let place = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
    place.and_then(|it| root.pointer(it)).unwrap_or(schema)
}

/// `search(pattern: string, limit?: integer)`.
fn signature(tool: &str, arguments: &[Argument<'_>]) -> String {
    let shown = arguments.iter().map(|argument| {
        let mark = if argument.is_required { "" } else { "?" };
        format!("{}{mark}: {}", visible(argument.name), argument.kind())
    });
    let shown: Vec<_> = shown.collect();
    format!("{}({})", visible(tool), shown.join(", "))
}

/// A call with an example of each argument that must be given.
fn call(tool: &str, arguments: &[Argument<'_>], server: &Server) -> String {
    let required = arguments.iter().filter(|argument| argument.is_required);
    let examples = required.map(Argument::example);
    let words: Vec<String> = [tool.to_owned()].into_iter().chain(examples).collect();
    let quoted = |words: &[String]| {
        let words = words.iter().map(|word| visible(&shell_word(word)));
        words.collect::<Vec<_>>().join(" ")
    };
    match server {
        Server::Open(_) => format!("call {}", quoted(&words)),
        Server::Url(target) | Server::Named(ServerName { text: target, .. }) => format!(
            "plainly call {} {}",
            visible(&shell_word(target)),
            quoted(&words)
        ),
        Server::Child(command) => {
            let command = command
                .iter()
                .map(|word| word.to_string_lossy().into_owned());
            let command: Vec<_> = command.collect();
            format!("plainly call {} -- {}", quoted(&words), quoted(&command))
        }
    }
}

impl Argument<'_> {
    /// Its type in a word or a few.
    fn kind(&self) -> String {
        kind(self.root, self.schema, DEEPEST)
    }

    /// What it is for, whether it must be given, and what it is if it is not.
    fn meaning(&self) -> String {
        let described = self.schema["description"].as_str().unwrap_or_default();
        // Its first paragraph, on one line.
        let lines = described.trim().lines().map(str::trim);
        let first: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
        let first = Some(first.join(" ")).filter(|text| !text.is_empty());
        let default = self.schema.get("default").filter(|it| !it.is_null());
        let note = match (self.is_required, default) {
            (true, _) => Some("(required)".to_owned()),
            (false, Some(default)) => Some(format!("(default: {})", default)),
            (false, None) => None,
        };
        let parts = [first, note].into_iter().flatten();
        let parts: Vec<_> = parts.collect();
        match parts.is_empty() {
            true => "-".to_owned(),
            false => parts.join(" "),
        }
    }

    /// The argument as a word of a call.
    fn example(&self) -> String {
        let (name, schema) = (self.name, self.schema);
        let given = schema.get("default").or(schema.get("const"));
        let given = given
            .or(schema["enum"].get(0))
            .or(schema["examples"].get(0));
        match given.filter(|it| !it.is_null()) {
            Some(Value::String(text)) => format!("{name}={text}"),
            Some(value) => format!("{name}:={value}"),
            None => match &*self.kind() {
                "integer" => format!("{name}:=1"),
                "number" => format!("{name}:=1.5"),
                "boolean" => format!("{name}:=true"),
                "object" => format!("{name}:={{}}"),
                list if list.starts_with("list") => format!("{name}:=[]"),
                _ => format!("{name}=TEXT"),
            },
        }
    }
}

fn kind(root: &Value, schema: &Value, depth: usize) -> String {
    let schema = resolved(root, schema);
    let named = schema["enum"].as_array().cloned();
    let named = named.or_else(|| Some(vec![schema.get("const")?.clone()]));
    if let Some(values) = named {
        return one_of(values.iter().map(shown));
    }
    let (Some(schema), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else {
        return "anything".to_owned();
    };
    match schema.get("type") {
        Some(Value::String(name)) => of_type(root, name, schema, depth),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            one_of(names.map(|name| of_type(root, name, schema, depth)))
        }
        _ => {
            let alternatives = ["anyOf", "oneOf"]
                .iter()
                .find_map(|key| schema.get(*key)?.as_array());
            match alternatives {
                Some(each) => one_of(each.iter().map(|schema| kind(root, schema, depth))),
                None => "anything".to_owned(),
            }
        }
    }
}

fn of_type(root: &Value, name: &str, schema: &Map<String, Value>, depth: usize) -> String {
    match (name, schema.get("items")) {
        ("array", Some(items)) => format!("list of {}", kind(root, items, depth)),
        ("array", None) => "list".to_owned(),
        _ => visible(name),
    }
}

/// The alternatives, without null: what may be null may also be left out.
fn one_of(all: impl Iterator<Item = String>) -> String {
    let all: Vec<_> = all.filter(|it| it != "null").collect();
    let more = if all.len() > NAMED { " | …" } else { "" };
    let named: Vec<_> = all.into_iter().take(NAMED).collect();
    format!("{}{more}", named.join(" | "))
}

/// A value as it is written in a call.
fn shown(value: &Value) -> String {
    match value.as_str() {
        Some(text) => visible(text),
        None => value.to_string(),
    }
}

fn columns([name, kind, meaning]: [&str; 3]) -> String {
    format!("{name:<16}  {kind:<16}  {meaning}")
}
