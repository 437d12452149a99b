//! The tools over a directory, as a client calls them.

mod cost;
mod hostile;
mod listing;
mod missing;
mod outside;
mod ranking;
mod reading;
mod searching;

use plainly::protocol::types::{CallToolResult, Content};
use plainly::server::Tool;
use plainly::{Client, Revision, Server};
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::table::rows;

/// A client of a server with the tools of the fixture's store.
pub(crate) struct Tools<'a> {
    pub(crate) fixture: &'a Fixture,
    client: Client,
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) is_error: bool,
    /// All text blocks, joined.
    pub(crate) text: String,
    pub(crate) structured: Value,
    pub(crate) result: CallToolResult,
}

impl<'a> Tools<'a> {
    pub(crate) fn of(fixture: &'a Fixture) -> Self {
        Self::speaking(fixture, Revision::V2026_07_28)
    }

    pub(crate) fn speaking(fixture: &'a Fixture, revision: Revision) -> Self {
        Self::offering(fixture, fixture.store.tools(), revision)
    }

    /// Connects a client on this machine.
    pub(crate) fn local(fixture: &'a Fixture) -> Self {
        Self::offering(fixture, fixture.store.local_tools(), Revision::V2026_07_28)
    }

    pub(crate) fn offering(fixture: &'a Fixture, tools: Vec<Tool>, revision: Revision) -> Self {
        let server = Server::builder("test", "1").tools(tools).build().unwrap();
        let client = fixture.block_on(async move {
            let (near, far) = tokio::io::duplex(64 << 10);
            tokio::spawn(async move {
                let (reader, writer) = tokio::io::split(far);
                server.serve(reader, writer).await
            });
            let (reader, writer) = tokio::io::split(near);
            let client = Client::over(reader, writer).revision(revision);
            client.connect().await.unwrap()
        });
        Self { fixture, client }
    }

    /// Calls a tool. The result must reveal nothing from outside the mount.
    pub(crate) fn call(&self, name: &str, arguments: Value) -> Answer {
        let result = self
            .fixture
            .block_on(self.client.call_tool(name, &arguments))
            .unwrap();
        self.fixture.tells_nothing(&format!("{result:?}"));
        let texts = result.content.iter().filter_map(text);
        let structured = result.structured_content.as_ref();
        Answer {
            is_error: result.is_tool_error(),
            text: texts.collect::<Vec<_>>().join("\n"),
            structured: structured.map_or(Value::Null, |json| {
                serde_json::from_str(json.get()).unwrap()
            }),
            result,
        }
    }

    /// Whether a call succeeds. Its arguments are host paths, which the result may repeat.
    #[cfg(unix)]
    pub(crate) fn can_call(&self, name: &str, arguments: Value) -> bool {
        let call = self.client.call_tool(name, &arguments);
        let result = self.fixture.block_on(call).unwrap();
        assert!(!format!("{result:?}").contains(crate::fixture::SECRET));
        !result.is_tool_error()
    }

    /// The text of a successful call.
    pub(crate) fn text(&self, name: &str, arguments: Value) -> String {
        let answer = self.call(name, arguments);
        assert!(!answer.is_error, "{}", answer.text);
        answer.text
    }

    /// The text of a failing call.
    pub(crate) fn error(&self, name: &str, arguments: Value) -> String {
        let answer = self.call(name, arguments);
        assert!(answer.is_error, "{}", answer.text);
        answer.text
    }
}

impl Answer {
    /// The URIs of the links, without their common prefix.
    pub(crate) fn links(&self) -> Vec<&str> {
        let links = self.result.content.iter().filter_map(link);
        links.collect()
    }
}

/// The calls of a table in cases.txt, each with its expected result.
pub(crate) fn cases(table: &str) -> impl Iterator<Item = (&'static str, Value, String)> {
    rows(include_str!("tools/cases.txt"), table).map(|[tool, arguments, expected]| {
        let arguments = repeated(serde_json::from_str(arguments).unwrap());
        (tool, arguments, expected.replace(r"\n", "\n"))
    })
}

/// Expands each value with `times` by repeating its `of`.
fn repeated(value: Value) -> Value {
    let times = value["times"].as_u64().map(|times| times as usize);
    match (times, value) {
        (Some(times), value) => match repeated(value["of"].clone()) {
            Value::String(text) => text.repeat(times).into(),
            Value::Array(items) => vec![items; times].into_iter().flatten().collect(),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                panic!("{other} can't be repeated")
            }
        },
        (None, Value::Array(items)) => items.into_iter().map(repeated).collect(),
        (None, Value::Object(members)) => {
            let members = members.into_iter();
            members.map(|(key, value)| (key, repeated(value))).collect()
        }
        (None, plain) => plain,
    }
}

fn text(block: &Content) -> Option<&str> {
    if let Content::Text(text) = block {
        Some(&text.text)
    } else {
        None
    }
}

fn link(block: &Content) -> Option<&str> {
    if let Content::ResourceLink(resource) = block {
        resource.uri.strip_prefix("file:///")
    } else {
        None
    }
}

#[test]
fn the_tools_say_what_they_are() {
    let fixture = Fixture::new(&[]);
    let tools = Tools::of(&fixture);
    let listed = fixture.block_on(tools.client.tools()).unwrap();
    let names: Vec<_> = listed.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "list_resources",
            "tree",
            "stat_resource",
            "read_resource",
            "read_resources",
            "search"
        ]
    );
    for tool in &listed {
        let hints = tool.annotations.as_ref().unwrap();
        assert_eq!(hints.read_only_hint, Some(true), "{}", tool.name);
        assert_eq!(hints.open_world_hint, Some(false), "{}", tool.name);
        assert!(
            tool.title.is_some() && tool.description.is_some(),
            "{}",
            tool.name
        );
        let output = tool.output_schema.as_ref().unwrap().get();
        let schemas = format!("{}{output}", tool.input_schema.get());
        assert!(schemas.contains(r#""type":"object""#), "{schemas}");
        // Validators in other languages warn of unknown formats.
        assert!(!schemas.contains("\"uint"), "{schemas}");
        let input: Value = serde_json::from_str(tool.input_schema.get()).unwrap();
        for (name, argument) in input["properties"].as_object().unwrap() {
            assert!(argument["description"].is_string(), "{}: {name}", tool.name);
        }
    }
}

#[test]
fn every_revision_has_the_tools() {
    let fixture = Fixture::new(&[("a.txt", "alpha")]);
    for revision in Revision::ALL {
        let tools = Tools::speaking(&fixture, revision);
        let text = tools.text("read_resource", json!({"uri": "docs/a.txt"}));
        assert_eq!(text, "alpha", "{revision}");
        let found = tools.text("search", json!({"pattern": "al"}));
        let expected = "file:///docs/a.txt\n1: alpha\n";
        assert!(found.starts_with(expected), "{revision}: {found}");
    }
}

#[test]
fn arguments_that_no_tool_takes_are_said() {
    let fixture = Fixture::new(&[]);
    let tools = Tools::of(&fixture);
    for (name, arguments, expected) in cases("arguments that no tool takes") {
        let error = tools.error(name, arguments);
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn nobody_is_asked_to_agree_to_a_removal_that_can_not_be_made() {
    let fixture = Fixture::writable(&[("dir/.hidden", "x"), ("dir/shown", "x")]);
    let tools = fixture.store.write_tools().build();
    let tools = Tools::offering(&fixture, tools, Revision::LATEST);
    let arguments = json!({"uri": "docs/dir", "recursive": true});
    let error = tools.error("delete_resource", arguments);
    assert!(error.contains("something in it is not served"), "{error}");
}
