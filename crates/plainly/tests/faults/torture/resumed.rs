//! Replies of an older revision that break off after each of their bytes, and again while they are
//! resumed: a client that knows its position continues there, and receives everything once.

use std::sync::{Arc, Mutex};

use plainly::Revision;
use plainly::client::Client;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::broken_off::{Request, within};
use super::rack::{assert_no_panic, watch_panics};

const HEAD: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

/// The number of bytes after which the reply breaks off, and after which each resumption does.
#[derive(Clone, Copy, Debug, Default)]
struct Breaking {
    first: usize,
    then: usize,
}

/// The server: its breaks, and the call that it answers.
#[derive(Debug, Default)]
struct Server {
    breaking: Breaking,
    call: Value,
}

/// Returns the events of a call, each with its id. The first event only has the position to resume
/// from.
fn events(call: &Value) -> [String; 4] {
    let (id, token) = (&call["id"], &call["params"]["_meta"]["progressToken"]);
    let told = |step: u32| {
        let params = json!({"progressToken": token, "progress": step});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    };
    let result = json!({"content": [{"type": "text", "text": "whole"}]});
    let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
    let event = |number: u32, data: &str| format!("id: {number}\nretry: 1\ndata: {data}\n\n");
    [
        event(1, ""),
        event(2, &told(1).to_string()),
        event(3, &told(2).to_string()),
        event(4, &reply.to_string()),
    ]
}

impl Server {
    /// Returns the response with the events after this id, cut off as planned.
    fn rest(&self, last: Option<usize>) -> String {
        let events = events(&self.call);
        let rest = events.get(last.unwrap_or(0)..).unwrap_or_default();
        let text = HEAD.to_owned() + &rest.concat();
        let length = match last {
            None => self.breaking.first,
            Some(_) => self.breaking.then,
        };
        text[..length.min(text.len())].to_owned()
    }

    fn answer(&mut self, asked: &Request) -> String {
        let whole = |status: &str, headers: &str, body: &str| {
            let length = body.len();
            format!(
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: application/json\r\n\
                 {headers}Content-Length: {length}\r\n\r\n{body}"
            )
        };
        if let Some((_, last)) = asked.head.split_once("last-event-id: ") {
            return self.rest(last.lines().next().and_then(|last| last.parse().ok()));
        }
        match asked.body["method"].as_str() {
            Some("initialize") => {
                let result = json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "breaking", "version": "1"},
                });
                let reply = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result});
                whole("200 OK", "Mcp-Session-Id: s\r\n", &reply.to_string())
            }
            Some("tools/call") => {
                self.call = asked.body.clone();
                self.rest(None)
            }
            Some(_) => whole("202 Accepted", "", ""),
            None => whole("405 Method Not Allowed", "", ""),
        }
    }
}

async fn talk(stream: TcpStream, server: Arc<Mutex<Server>>) {
    let mut stream = BufReader::new(stream);
    if let Some(asked) = Request::read(&mut stream).await {
        let text = server.lock().unwrap().answer(&asked);
        // The client may have disconnected.
        stream.write_all(text.as_bytes()).await.ok();
    }
}

async fn listen(server: Arc<Mutex<Server>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, Arc::clone(&server)));
        }
    });
    url
}

/// Makes a call whose reply breaks off as planned, and checks that each report arrives once and in
/// order.
async fn call(client: &Client, server: &Mutex<Server>, breaking: Breaking) -> bool {
    server.lock().unwrap().breaking = breaking;
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let call = client
        .call_tool("x", ())
        .on_progress(move |progress| tell.lock().unwrap().push(progress.done));
    let called = within(call.into_future()).await;
    assert_no_panic(&format!("{breaking:?}"));
    let told = told.lock().unwrap().clone();
    match called {
        Ok(_) => {
            assert_eq!(told, [1.0, 2.0], "{breaking:?}");
            true
        }
        Err(error) => {
            assert!(error.local().is_some(), "{breaking:?}: {error}");
            assert!([1.0, 2.0].starts_with(&told), "{breaking:?}: {told:?}");
            false
        }
    }
}

#[tokio::test]
async fn replies_that_break_off_after_each_byte_are_resumed() {
    watch_panics();
    let server = Arc::new(Mutex::new(Server::default()));
    let url = listen(Arc::clone(&server)).await;
    let client = Client::http(url).revision(Revision::V2025_11_25);
    let client = client.connect().await.unwrap();
    let sample = json!({"id": 10, "params": {"_meta": {"progressToken": 10}}});
    let events = events(&sample);
    let whole = HEAD.len() + events.concat().len();
    // The client can resume after the first event, even without its last byte.
    let known = HEAD.len() + events[0].len();
    for first in 0..=whole {
        let breaking = Breaking {
            first,
            then: usize::MAX,
        };
        let is_whole = call(&client, &server, breaking).await;
        assert!(is_whole == (first >= known), "{first} of {whole}, {known}");
    }
    // Each resumption must bring at least one event, or else the client gives up.
    let longest = events.iter().map(String::len).max().unwrap_or_default();
    for then in (0..=whole).step_by(3) {
        let breaking = Breaking { first: known, then };
        let is_whole = call(&client, &server, breaking).await;
        assert!(is_whole || then < HEAD.len() + longest, "{breaking:?}");
        assert!(!is_whole || then >= HEAD.len(), "{breaking:?}");
    }
}
