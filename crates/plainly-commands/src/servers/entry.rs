//! The entries in a host's file, in any host's spelling, because a file may be a copy of another
//! host's.

use serde_json::{Map, Value};

use super::reach::Reach;
use crate::json;

/// The names of the member above all servers.
const KEYS: [&str; 4] = ["mcpServers", "servers", "context_servers", "mcp_servers"];
/// The names of the member for the URL. If there are several, the most specific one counts.
const URLS: [&str; 3] = ["httpUrl", "serverUrl", "url"];
const HEADERS: [&str; 2] = ["headers", "http_headers"];

/// The server in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) reach: Reach,
    /// The file with more variables for the process.
    pub(super) env_file: Option<String>,
    pub(crate) is_disabled: bool,
}

/// The names and entries below `root`, in their order.
pub(super) fn entries(root: &Value) -> Result<Vec<(&str, &Value)>, String> {
    let mut entries = Vec::new();
    for key in KEYS {
        match root.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::Object(servers)) => {
                entries.extend(servers.iter().map(|(name, entry)| (&**name, entry)));
            }
            Some(other) => {
                return Err(format!("{key} is {}, and not an object", json::kind(other)));
            }
        }
    }
    Ok(entries)
}

impl Entry {
    /// Reads an entry, or returns the mistake in it.
    pub(super) fn read(entry: &Value) -> Result<Self, String> {
        let Some(members) = entry.as_object() else {
            return Err(format!("it is {}, and not an object", json::kind(entry)));
        };
        let flag = |name: &str| members.get(name).and_then(Value::as_bool);
        let url = URLS.iter().find_map(|name| members.get(*name)?.as_str());
        let kind = members.get("type").and_then(Value::as_str);
        let reach = match (members.get("command"), url) {
            (Some(command), url) if url.is_none() || kind == Some("stdio") => {
                command_of(command, members)?
            }
            (_, Some(url)) => Reach::Url {
                url: url.to_owned(),
                headers: headers(members)?,
            },
            _ => return Err("it has neither a command nor a URL".to_owned()),
        };
        let env_file = members.get("envFile").and_then(Value::as_str);
        Ok(Self {
            reach,
            env_file: env_file.map(str::to_owned),
            is_disabled: flag("disabled") == Some(true) || flag("enabled") == Some(false),
        })
    }
}

/// A command with its arguments. Some hosts have both in one list, or in a separate object.
fn command_of(command: &Value, members: &Map<String, Value>) -> Result<Reach, String> {
    let (program, mut args, members) = match command {
        Value::String(program) => (program.clone(), Vec::new(), members),
        Value::Array(_) => {
            let mut words = texts("command", Some(command))?;
            if words.is_empty() {
                return Err("command is empty".to_owned());
            }
            (words.remove(0), words, members)
        }
        Value::Object(inner) => match inner.get("path") {
            Some(Value::String(program)) => (program.clone(), Vec::new(), inner),
            _ => return Err("command has no path".to_owned()),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            return Err(format!("command is {}, and not text", json::kind(command)));
        }
    };
    args.extend(texts("args", members.get("args"))?);
    let cwd = members.get("cwd").and_then(Value::as_str);
    Ok(Reach::Command {
        program,
        args,
        env: pairs("env", members)?,
        cwd: cwd.map(str::to_owned),
    })
}

/// The headers, including those whose values are in variables.
fn headers(members: &Map<String, Value>) -> Result<Vec<(String, String)>, String> {
    let mut headers = Vec::new();
    for name in HEADERS {
        headers.extend(pairs(name, members)?);
    }
    let named = pairs("env_http_headers", members)?.into_iter();
    headers.extend(named.map(|(name, variable)| (name, format!("${{{variable}}}"))));
    let bearer = members.get("bearer_token_env_var").and_then(Value::as_str);
    headers.extend(bearer.map(|variable| {
        let value = format!("Bearer ${{{variable}}}");
        ("Authorization".to_owned(), value)
    }));
    Ok(headers)
}

fn texts(name: &str, list: Option<&Value>) -> Result<Vec<String>, String> {
    let list = match list {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(format!("{name} is {}, and not a list", json::kind(other))),
    };
    let texts = list.iter().map(|item| text(item).ok_or(item));
    let texts = texts.collect::<Result<_, _>>();
    texts.map_err(|item| format!("{name} has {} in it, and not only text", json::kind(item)))
}

fn pairs(name: &str, members: &Map<String, Value>) -> Result<Vec<(String, String)>, String> {
    let pairs = match members.get(name) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(pairs)) => pairs,
        Some(other) => {
            return Err(format!(
                "{name} is {}, and not an object",
                json::kind(other)
            ));
        }
    };
    let given = pairs.iter().filter(|(_, value)| !value.is_null());
    let pairs = given.map(|(key, value)| Ok((key.clone(), text(value).ok_or((key, value))?)));
    let pairs = pairs.collect::<Result<_, (&String, &Value)>>();
    pairs.map_err(|(key, value)| format!("{name}.{key} is {}, and not text", json::kind(value)))
}

/// A text, or a value that can be written as text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::syntax::Syntax;
    use super::*;

    /// The servers in a file, or the mistakes in its entries.
    fn read(syntax: Syntax, text: &str) -> String {
        let root = match syntax.read(Path::new("f"), text) {
            Ok(root) => root,
            Err(broken) => return broken.to_string(),
        };
        let entries = match entries(&root) {
            Ok(entries) => entries,
            Err(why) => return why,
        };
        let told = entries
            .into_iter()
            .map(|(name, entry)| match Entry::read(entry) {
                Err(why) => format!("{name}: {why}"),
                Ok(Entry {
                    reach, is_disabled, ..
                }) => {
                    let mark = if is_disabled { " (disabled)" } else { "" };
                    let names: Vec<_> = reach.names().collect();
                    format!("{name}: {} [{}]{mark}", reach.shown(), names.join(" "))
                }
            });
        told.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn every_spelling_of_json_is_read() {
        for (entry, told) in [
            (
                r#"{"type": "http", "url": "http://h/", "headers": {"X": "1"}}"#,
                "http://h/ [X]",
            ),
            (r#"{"serverUrl": "http://h/"}"#, "http://h/ []"),
            (
                r#"{"httpUrl": "http://h/", "url": "http://h/sse"}"#,
                "http://h/ []",
            ),
            (
                r#"{"type": "stdio", "command": "x", "url": "http://h/"}"#,
                "x []",
            ),
            (
                r#"{"command": "x", "args": ["-y", 1, true], "disabled": false}"#,
                "x -y 1 true []",
            ),
            (
                r#"{"command": "x", "env": {"K": "v", "N": null, "P": 1}, "disabled": true}"#,
                "x [K P] (disabled)",
            ),
            (
                r#"{"command": {"path": "x", "args": ["y"], "env": {"K": "v"}}, "enabled": false}"#,
                "x y [K] (disabled)",
            ),
            (r#"{"command": ["x", "y"], "args": ["z"]}"#, "x y z []"),
            (r#"{"settings": {}}"#, "it has neither a command nor a URL"),
            ("5", "it is a number, and not an object"),
            (r#"{"command": []}"#, "command is empty"),
            (r#"{"command": 5}"#, "command is a number, and not text"),
            (r#"{"command": {}}"#, "command has no path"),
            (
                r#"{"command": "x", "args": "y"}"#,
                "args is text, and not a list",
            ),
            (
                r#"{"command": "x", "args": [[]]}"#,
                "args has a list in it, and not only text",
            ),
            (
                r#"{"command": "x", "env": {"K": {}}}"#,
                "env.K is an object, and not text",
            ),
        ] {
            for key in KEYS {
                let text = format!("{{\"{key}\": {{\"a\": {entry}}}}}");
                assert_eq!(read(Syntax::Json, &text), format!("a: {told}"), "{text}");
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_place() {
        for (text, told) in [
            ("", ""),
            ("{}", ""),
            ("[]", ""),
            ("\u{feff}{\"theme\": 1}", ""),
            (
                "// mine\n{\"servers\": {\"a\": {\"command\": \"x\", /* */ },},}",
                "a: x []",
            ),
            (
                r#"{"mcpServers": []}"#,
                "mcpServers is a list, and not an object",
            ),
            (
                "{\n \"a\": {\n  \"ä\" 1\n",
                "f:3:7: expected colon after the string or word in object property",
            ),
            ("{'a': 1}", "f:1:2: single-quoted strings are not allowed"),
        ] {
            assert_eq!(read(Syntax::Json, text), told, "{text}");
        }
    }

    #[test]
    fn toml_is_read_as_json_is() {
        const HEADERS: &str = "http_headers = { X = \"1\" }\nenv_http_headers = { Y = \"V\" }\n";
        let url = format!(
            "[mcp_servers.a]\nurl = \"http://h/\"\nbearer_token_env_var = \"T\"\n{HEADERS}"
        );
        for (text, told) in [
            ("", ""),
            (&*url, "a: http://h/ [X Y Authorization]"),
            (
                "[mcp_servers.a]\ncommand = \"x\"\nenabled = false\n[mcp_servers.a.env]\nK = \"v\"\n",
                "a: x [K] (disabled)",
            ),
            (
                "mcp_servers = { a = { command = \"x\", args = [1, 2.5] } }",
                "a: x 1 2.5 []",
            ),
            (
                "# ä\nmodel = \n",
                "f:2:9: string values must be quoted, expected literal string",
            ),
            ("[a]\nx = 1\nx = 2", "f:3:1: duplicate key"),
        ] {
            assert_eq!(read(Syntax::Toml, text), told, "{text}");
        }
    }

    #[test]
    fn no_file_is_too_deep_or_too_odd() {
        for syntax in [Syntax::Json, Syntax::Toml] {
            for part in ["[", "{\"a\":", "a = [", "[[a", "\u{0}", "\"", "a.", "{a={"] {
                read(syntax, &part.repeat(100_000));
            }
        }
    }
}
