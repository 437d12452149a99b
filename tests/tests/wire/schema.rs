//! Every reply is valid by its revision's JSON Schema. Reads the schemas in `PLAINLY_SPEC`; skipped without it.

use std::fs;
use std::path::PathBuf;

use plainly::store::directory::DirectoryStore;
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::http::Http;
use crate::prompts::{complete, greeting};
use crate::sender::{LEGACY, MODERN, Sender, call, initialize, request, say};
use crate::stream::Stream;

/// The definitions of one revision.
struct Schema {
    revision: &'static str,
    document: Value,
}

impl Schema {
    /// Of every revision; nothing if there is no specification to read.
    #[expect(
        clippy::print_stdout,
        reason = "whoever runs the tests must see what was not tested"
    )]
    fn all() -> Option<Vec<Self>> {
        let Some(spec) = std::env::var_os("PLAINLY_SPEC").map(PathBuf::from) else {
            println!("skipped: PLAINLY_SPEC is not set");
            return None;
        };
        let revisions = LEGACY.into_iter().chain([MODERN]);
        let read = |revision| {
            let path = spec.join(revision).join("schema.json");
            let document = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            Self { revision, document }
        };
        Some(revisions.map(read).collect())
    }

    fn sender(&self) -> Sender {
        match self.revision {
            MODERN => Sender::Modern,
            legacy => Sender::Legacy(legacy),
        }
    }

    fn check(&self, definition: &str, instance: &Value) {
        let key = match self.document.get("$defs") {
            Some(_) => "$defs",
            None => "definitions",
        };
        assert!(
            self.document[key][definition].is_object(),
            "no {definition}"
        );
        let schema = json!({
            "$schema": self.document["$schema"],
            key: self.document[key],
            "$ref": format!("#/{key}/{definition}"),
        });
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults: Vec<_> = validator
            .iter_errors(instance)
            .map(|error| error.to_string())
            .collect();
        let revision = self.revision;
        assert!(
            faults.is_empty(),
            "{revision} {definition} {instance}: {faults:#?}"
        );
    }

    /// What a whole response is called.
    fn check_response(&self, reply: &Value) {
        let (result, error) = match self.revision {
            "2025-11-25" | MODERN => ("JSONRPCResultResponse", "JSONRPCErrorResponse"),
            _ => ("JSONRPCResponse", "JSONRPCError"),
        };
        let definition = if reply.get("error").is_some() {
            error
        } else {
            result
        };
        self.check(definition, reply);
        self.check("JSONRPCMessage", reply);
    }
}

fn read(uri: &str) -> String {
    request("1", "resources/read", &format!(r#""uri":"{uri}""#))
}

/// What is asked, and what the result is called.
fn conversation() -> Vec<(String, &'static str)> {
    vec![
        (request("1", "tools/list", ""), "ListToolsResult"),
        (say("1", "echo", "hi"), "CallToolResult"),
        (call("1", "echo", "{}"), "CallToolResult"),
        (call("1", "structured", r#"{"n":1}"#), "CallToolResult"),
        (call("1", "panics", "{}"), "CallToolResult"),
        (call("1", "fails", "{}"), "CallToolResult"),
        (request("1", "resources/list", ""), "ListResourcesResult"),
        (
            request("1", "resources/list", r#""uri":"file:///docs""#),
            "ListResourcesResult",
        ),
        (
            request("1", "resources/templates/list", ""),
            "ListResourceTemplatesResult",
        ),
        (request("1", "prompts/list", ""), "ListPromptsResult"),
        (
            request(
                "1",
                "prompts/get",
                r#""name":"greet","arguments":{"name":"Ada"}"#,
            ),
            "GetPromptResult",
        ),
        (complete("name", "A"), "CompleteResult"),
        (complete("tone", ""), "CompleteResult"),
        (read("app://motd"), "ReadResourceResult"),
        (read("app://logo"), "ReadResourceResult"),
        (read("file:///docs"), "ReadResourceResult"),
        (read("file:///docs/a.txt"), "ReadResourceResult"),
        (read("file:///docs/b.bin"), "ReadResourceResult"),
    ]
}

/// What fails, and how; the name of its error where its revision has one.
fn failures() -> Vec<(String, i64, &'static str)> {
    vec![
        (request("1", "nope", ""), -32601, "MethodNotFoundError"),
        (call("1", "nope", "{}"), -32602, "InvalidParamsError"),
        (
            request("1", "prompts/get", r#""name":"nope""#),
            -32602,
            "InvalidParamsError",
        ),
        (
            request("1", "prompts/get", r#""name":"greet""#),
            -32602,
            "InvalidParamsError",
        ),
        (complete("nope", ""), -32602, "InvalidParamsError"),
        (read("app://gone"), -32602, "InvalidParamsError"),
        (read("file:///docs/nope"), -32602, "InvalidParamsError"),
        (read("app://broken"), -32603, "InternalError"),
        (
            request("1", "resources/read", ""),
            -32602,
            "InvalidParamsError",
        ),
        (
            request("1", "tools/list", r#""cursor":"x""#),
            -32602,
            "InvalidParamsError",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1}"#.to_owned(),
            -32600,
            "InvalidRequestError",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#.to_owned(),
            -32602,
            "InvalidParamsError",
        ),
    ]
}

fn fixture(directory: &tempfile::TempDir) -> Fixture {
    fs::write(directory.path().join("a.txt"), "A").unwrap();
    fs::write(directory.path().join("b.bin"), [0, 255]).unwrap();
    let store = DirectoryStore::builder().mount_as("docs", directory.path());
    Fixture::build(|builder| {
        let builder = builder.store(store.build().unwrap());
        builder.prompt(greeting()).instructions("Ask.")
    })
}

#[tokio::test]
async fn every_result_is_valid_by_its_revision() {
    let Some(schemas) = Schema::all() else { return };
    let directory = tempfile::tempdir().unwrap();
    let fixture = fixture(&directory);
    let http = Http::listen(&fixture.server).await;
    for schema in schemas {
        let mut stream = Stream::open(&fixture.server, schema.sender()).await;
        let client = http.client(schema.sender()).await;
        let mut conversation = conversation();
        match schema.sender() {
            Sender::Modern => {
                conversation.push((request("1", "server/discover", ""), "DiscoverResult"))
            }
            Sender::Legacy(revision) => {
                conversation.push((request("1", "ping", ""), "EmptyResult"));
                conversation.push((initialize("1", revision), "InitializeResult"));
            }
        }
        for (sent, definition) in conversation {
            let over_stream = stream.ask(&sent).await;
            let over_http = client.send(&sent).await.body;
            assert_eq!(over_stream, over_http, "{sent}");
            let reply: Value = serde_json::from_str(&over_stream).unwrap();
            schema.check_response(&reply);
            schema.check(definition, &reply["result"]);
        }
        let metadata = request("1", "resources/metadata", r#""uri":"file:///docs/a.txt""#);
        let reply: Value = serde_json::from_str(&stream.ask(&metadata).await).unwrap();
        schema.check_response(&reply);
        schema.check("Resource", &reply["result"]["resource"]);
    }
}

#[tokio::test]
async fn every_error_is_valid_by_its_revision() {
    let Some(schemas) = Schema::all() else { return };
    let directory = tempfile::tempdir().unwrap();
    let fixture = fixture(&directory);
    let http = Http::listen(&fixture.server).await;
    for schema in schemas {
        let sender = schema.sender();
        let mut stream = Stream::open(&fixture.server, sender)
            .await
            .saying_anything();
        let client = http.client(sender).await.saying_anything();
        let mut failures = failures();
        if sender == Sender::Modern {
            failures.push((
                call("1", "echo", "{}").replace("META", "{}"),
                -32602,
                "InvalidParamsError",
            ));
            let old = request("1", "tools/list", "").replace("META", crate::sender::META);
            failures.push((
                old.replace(MODERN, "1900-01-01"),
                -32022,
                "UnsupportedProtocolVersionError",
            ));
        }
        if sender.has_errors_without_id() {
            failures.push(("{".to_owned(), -32700, "ParseError"));
            failures.push(("[]".to_owned(), -32600, "InvalidRequestError"));
        }
        for (sent, code, definition) in failures {
            let over_http = client.send(&sent).await.json();
            for reply in [
                serde_json::from_str(&stream.ask(&sent).await).unwrap(),
                over_http,
            ] {
                if reply["error"]["code"] == -32020 {
                    // Over HTTP the header of a good client names a good version.
                    schema.check("HeaderMismatchError", &reply);
                    continue;
                }
                assert_eq!(reply["error"]["code"], code, "{sent}: {reply}");
                schema.check_response(&reply);
                if sender == Sender::Modern {
                    check_named(&schema, definition, &reply);
                }
            }
        }
    }
}

/// The definitions of errors are either of the error object or of the whole response.
fn check_named(schema: &Schema, definition: &str, reply: &Value) {
    let properties = &schema.document["$defs"][definition]["properties"];
    match properties.get("error") {
        Some(_) => schema.check(definition, reply),
        None => schema.check(definition, &reply["error"]),
    }
}
