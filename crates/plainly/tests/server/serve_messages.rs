//! A server over messages without a byte stream.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::future::{IntoFuture, poll_fn};
use std::io;
use std::time::Duration;

use bytes::Bytes;
use plainly::limits::Limits;
use plainly::transport::{Duplex, Inbound, Messages};
use plainly::{Server, Tool};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::Instant;

const STALL: Duration = Duration::from_secs(10);
/// The length of a reply that exceeds the buffer of a connection in memory.
const LONG: usize = 100_000;

async fn long() -> String {
    "x".repeat(LONG)
}

async fn endless() -> String {
    std::future::pending().await
}

fn server() -> Server {
    let mut limits = Limits::default();
    (limits.write_stall, limits.message_bytes) = (STALL, 2 * LONG);
    let server = Server::builder("test", "1").limits(limits);
    let server = server.tool(Tool::new("long", long));
    server.tool(Tool::new("endless", endless)).build().unwrap()
}

fn send(to: &mut Duplex, message: &Value) {
    to.send(message.to_string().into());
}

async fn receive(from: &mut Duplex) -> Option<Value> {
    let received = poll_fn(|context| from.poll_receive(context)).await;
    received.unwrap().map(|inbound| match inbound {
        Inbound::Message(message) => serde_json::from_slice(&message).unwrap(),
        Inbound::TooLong { .. } => panic!("it has no limit"),
    })
}

fn discover() -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}})
}

fn call(id: u32, tool: &str) -> Value {
    let mut call = discover();
    call["id"] = json!(id);
    call["method"] = json!("tools/call");
    call["params"]["name"] = json!(tool);
    call
}

#[tokio::test]
async fn a_message_may_be_too_long_though_its_transport_knows_no_limit() {
    let (mut near, far) = Duplex::pair();
    let serving = tokio::spawn(server().serve_messages(far).into_future());
    near.send(Bytes::from(vec![b' '; 2 * LONG + 1]));
    let refused = receive(&mut near).await.unwrap();
    assert_eq!(refused["id"], Value::Null);
    assert!(refused["error"]["code"].is_number(), "{refused}");
    let mut long = discover();
    long["params"]["long"] = json!("x".repeat(2 * LONG));
    send(&mut near, &long);
    let refused = receive(&mut near).await.unwrap();
    let found = (&refused["id"], &refused["error"]["data"]["limit"]);
    assert_eq!(found, (&json!(1), &json!(2 * LONG)), "{refused}");
    send(&mut near, &discover());
    assert!(receive(&mut near).await.unwrap()["result"].is_object());
    poll_fn(|context| near.poll_close(context)).await.unwrap();
    assert_eq!(receive(&mut near).await, None);
    serving.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn each_message_that_is_taken_gives_the_peer_its_time_again() {
    let (mut near, far) = Duplex::pair();
    let serving = tokio::spawn(server().serve_messages(far).into_future());
    for id in 1..=5 {
        send(&mut near, &call(id, "long"));
    }
    for _ in 1..=4 {
        tokio::time::sleep(STALL * 9 / 10).await;
        assert!(receive(&mut near).await.unwrap()["result"].is_object());
    }
    tokio::time::sleep(STALL * 2).await;
    let error = serving.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn it_stops_when_it_is_told_to() {
    let (mut near, far) = Duplex::pair();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = server().serve_messages(far).until(async {
        let _told = stopped.await;
    });
    let serving = tokio::spawn(serving.into_future());
    send(&mut near, &discover());
    assert!(receive(&mut near).await.is_some());
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
    assert_eq!(receive(&mut near).await, None);
}

#[tokio::test(start_paused = true)]
async fn it_stops_when_it_is_told_to_after_its_peer_has_finished() {
    let began = Instant::now();
    let (mut near, far) = Duplex::pair();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = server().serve_messages(far).until(async {
        let _told = stopped.await;
    });
    let serving = tokio::spawn(serving.into_future());
    send(&mut near, &call(1, "endless"));
    let mut listen = discover();
    (listen["id"], listen["method"]) = (json!(2), json!("subscriptions/listen"));
    listen["params"]["notifications"] = json!({});
    send(&mut near, &listen);
    let acknowledged = receive(&mut near).await.unwrap();
    assert!(acknowledged["method"].is_string(), "{acknowledged}");
    poll_fn(|context| near.poll_close(context)).await.unwrap();
    // The subscription ends once the server has seen that its peer has finished.
    assert_eq!(receive(&mut near).await.unwrap()["id"], 2);
    stop.send(()).unwrap();
    let ended = receive(&mut near).await.unwrap();
    assert_eq!(ended["id"], 1, "{ended}");
    serving.await.unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(1));
}
