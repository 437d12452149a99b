//! A conversation of successful requests, and one of failing requests, with the same replies over
//! both transports. The clients check that each message is valid by its revision's JSON Schema.

use std::fs;

use plainly_directory::DirectoryStore;
use plainly_tests::valid;
use serde_json::Value;

use crate::fixture::Fixture;
use crate::http::Http;
use crate::prompts::{complete, greeting};
use crate::sender::{META, MODERN, Sender, call, initialize, request, say};
use crate::stream::Stream;

fn read(uri: &str) -> String {
    request("1", "resources/read", &format!(r#""uri":"{uri}""#))
}

/// The successful requests.
fn conversation() -> Vec<String> {
    vec![
        request("1", "tools/list", ""),
        say("1", "echo", "hi"),
        call("1", "echo", "{}"),
        call("1", "structured", r#"{"n":1}"#),
        call("1", "panics", "{}"),
        call("1", "fails", "{}"),
        request("1", "resources/list", ""),
        request("1", "resources/list", r#""uri":"file:///docs""#),
        request("1", "resources/templates/list", ""),
        request("1", "prompts/list", ""),
        request(
            "1",
            "prompts/get",
            r#""name":"greet","arguments":{"name":"Ada"}"#,
        ),
        complete("name", "A"),
        complete("tone", ""),
        read("app://motd"),
        read("app://logo"),
        read("file:///docs"),
        read("file:///docs/a.txt"),
        read("file:///docs/b.bin"),
    ]
}

/// The failing requests, with their codes.
fn failures() -> Vec<(String, i64)> {
    vec![
        (request("1", "nope", ""), -32601),
        (call("1", "nope", "{}"), -32602),
        (request("1", "prompts/get", r#""name":"nope""#), -32602),
        (request("1", "prompts/get", r#""name":"greet""#), -32602),
        (complete("nope", ""), -32602),
        (read("app://gone"), -32602),
        (read("file:///docs/nope"), -32602),
        (read("app://broken"), -32603),
        (request("1", "resources/read", ""), -32602),
        (request("1", "tools/list", r#""cursor":"x""#), -32602),
        (r#"{"jsonrpc":"2.0","id":1}"#.to_owned(), -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#.to_owned(),
            -32602,
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
async fn every_result_is_the_same_over_both_transports() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = fixture(&directory);
    let http = Http::listen(&fixture.server).await;
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        let client = http.client(sender).await;
        let mut conversation = conversation();
        match sender {
            Sender::Modern => conversation.push(request("1", "server/discover", "")),
            Sender::Legacy(revision) => {
                conversation.push(request("1", "ping", ""));
                conversation.push(initialize("1", revision));
            }
        }
        for sent in conversation {
            let over_stream = stream.ask(&sent).await;
            let over_http = client.send(&sent).await;
            assert_eq!(over_stream, over_http.body, "{sent}");
            assert!(over_http.json()["result"].is_object(), "{over_stream}");
        }
        let metadata = request("1", "resources/metadata", r#""uri":"file:///docs/a.txt""#);
        let reply: Value = serde_json::from_str(&stream.ask(&metadata).await).unwrap();
        valid::check_as(sender.revision(), "Resource", &reply["result"]["resource"]);
    }
}

#[tokio::test]
async fn every_error_is_the_same_over_both_transports() {
    let directory = tempfile::tempdir().unwrap();
    let fixture = fixture(&directory);
    let http = Http::listen(&fixture.server).await;
    for sender in Sender::all() {
        let mut stream = Stream::careless(&fixture.server, sender).await;
        let client = http.client(sender).await.saying_anything();
        let mut failures = failures();
        if sender == Sender::Modern {
            let half = r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#;
            failures.push((call("1", "echo", "{}").replace("META", half), -32602));
            let old = request("1", "tools/list", "").replace("META", META);
            failures.push((old.replace(MODERN, "1900-01-01"), -32022));
        }
        if sender.has_errors_without_id() {
            failures.push(("{".to_owned(), -32700));
            failures.push(("[]".to_owned(), -32600));
        }
        for (sent, code) in failures {
            let over_http = client.send(&sent).await.json();
            let over_stream: Value = serde_json::from_str(&stream.ask(&sent).await).unwrap();
            assert_eq!(over_stream["error"]["code"], code, "{sent}");
            // Over HTTP the client's version header is valid, so a wrong version in `_meta` is a
            // mismatch.
            if over_http["error"]["code"] != -32020 {
                assert_eq!(over_http, over_stream, "{sent}");
            }
        }
    }
}
