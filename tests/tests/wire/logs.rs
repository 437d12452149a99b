//! What peers write never reaches the log raw: no escape sequence, no line that looks like another entry. What went wrong
//! inside does reach it.

use std::io;

use plainly::errors::ProtocolError;
use plainly::server::reply::Text;
use plainly::server::{Resource, Tool};

use crate::fixture::{Fixture, SECRET};
use crate::http::Http;
use crate::log::Log;
use crate::sender::{Sender, call, cancel, request, say};
use crate::stream::Stream;

/// Clears a screen, and forges an entry.
const HOSTILE: &str = "\u{1b}[2J\r\nERROR forged: all is well\u{7}";

async fn hostile_tool() -> &'static str {
    panic!("{HOSTILE}")
}

async fn hostile_failure() -> Result<Text, io::Error> {
    Err(io::Error::other(HOSTILE))
}

async fn hostile_protocol_error() -> Result<Text, ProtocolError> {
    Err(ProtocolError::internal(HOSTILE).with_source(HOSTILE))
}

fn read(id: &str, uri: &str) -> String {
    let uri = serde_json::Value::from(uri);
    request(id, "resources/read", &format!("\"uri\":{uri}"))
}

#[tokio::test]
async fn nothing_raw_reaches_the_log() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::build(|builder| {
        builder
            .tool(Tool::new("hostile", hostile_tool))
            .resource(Resource::new("app://failing", hostile_failure))
            .resource(Resource::new("app://erring", hostile_protocol_error))
    });
    let http = Http::listen(&fixture.server).await;
    let hostile = serde_json::Value::from(HOSTILE).to_string();
    let text = &hostile[1..hostile.len() - 1];
    for sender in Sender::all() {
        let mut stream = Stream::careless(&fixture.server, sender).await;
        let client = http.client(sender).await.saying_anything();
        for sent in [
            call(&hostile, "hostile", "{}"),
            call(&hostile, text, "{}"),
            say(&hostile, "echo", text),
            call(&hostile, "echo", &format!("{{{hostile}:1}}")),
            read(&hostile, "app://failing"),
            read(&hostile, "app://erring"),
            read(&hostile, HOSTILE),
            request(&hostile, text, ""),
            cancel(&hostile),
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{hostile},\"result\":{hostile}}}"),
            "\u{1b}[2J".to_owned(),
        ] {
            stream.send(&sent).await;
            stream.before_a_good_reply(&sent).await;
            client.send(&sent).await;
        }
    }
    let log = log.text();
    let expected = "forged: all is well";
    assert!(log.contains(expected), "the failures are told: {log}");
    let is_control = |c: char| c.is_control() && c != '\n';
    assert!(!log.contains(is_control), "{log:?}");
    assert!(!log.contains("\nERROR forged"), "{log}");
}

#[tokio::test]
async fn a_panic_is_told_to_the_log_alone() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let reply = stream.ask(&call("1", "panics", "{}")).await;
    assert!(!reply.contains(SECRET), "{reply}");
    assert!(log.text().contains(SECRET));
}
