//! The share that one principal may use over all its connections, and what it leaves to others.

use std::task::{Context, Waker};

use plainly::server::{Principal, Server};
use plainly::transport::{Exchange, ReplyBody};
use serde_json::{Value, json};

use crate::support::{assert_overloaded, exchange, frame, json_of, saying, server, waiting};
use plainly_peer::Peer;
use plainly_peer::message::modern as request;
use plainly_peer::within;

fn alice() -> Principal {
    Principal::new("alice")
}

/// Everyone but Alice: another user, and anonymous users.
fn others() -> [Option<Principal>; 2] {
    [Some(Principal::new("bob")), None]
}

#[tokio::test]
async fn requests_of_one_leave_room_for_others() {
    let (server, gate) = server(|limits| limits.requests = 24);
    let alice = alice();
    let calls = [waiting(1), waiting(1)];
    let [mut first, mut second] = calls
        .each_ref()
        .map(|call| Box::pin(exchange(&server, Some(&alice), call)));
    let mut context = Context::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut context).is_pending());
    assert!(second.as_mut().poll(&mut context).is_pending());
    // Requests over HTTP and over a stream count together.
    let mut stream = Peer::known(&server, Some(&alice), 1 << 16);
    stream.send_all(&[waiting(1), saying(2, 1)]).await;
    let overloaded = stream.next().await;
    assert_eq!(
        (&overloaded["id"], &overloaded["error"]["data"]["kind"]),
        (&json!(2), &json!("overloaded"))
    );
    assert_overloaded(&exchange(&server, Some(&alice), &saying(3, 1)).await);
    for other in others() {
        for _ in 0..2 {
            let reply = exchange(&server, other.as_ref(), &saying(4, 1)).await;
            assert_eq!(reply.status, 200, "{other:?}");
        }
        let mut stream = Peer::known(&server, other.as_ref(), 1 << 16);
        assert!(stream.ask(saying(1, 1)).await["result"].is_object());
    }
    // A cancelled or answered request, or one whose peer disconnected, frees its place.
    drop(first);
    assert_eq!(
        exchange(&server, Some(&alice), &saying(5, 1)).await.status,
        200
    );
    gate.add_permits(2);
    assert_eq!(second.await.status, 200);
    assert_eq!(stream.next().await["id"], 1);
    let calls: Vec<_> = (0..4).map(waiting).collect();
    let mut running: Vec<_> = calls
        .iter()
        .map(|call| Box::pin(exchange(&server, Some(&alice), call)))
        .collect();
    let pending: Vec<_> = running
        .iter_mut()
        .map(|one| one.as_mut().poll(&mut context).is_pending())
        .collect();
    assert_eq!(pending, [true, true, true, false]);
}

#[tokio::test]
async fn requests_of_one_have_a_limit_by_default() {
    let (server, _gate) = server(|_| {});
    let alice = alice();
    let calls: Vec<_> = (0..513).map(waiting).collect();
    let mut context = Context::from_waker(Waker::noop());
    let mut running: Vec<_> = calls
        .iter()
        .map(|call| Box::pin(exchange(&server, Some(&alice), call)))
        .collect();
    let pending = running
        .iter_mut()
        .filter_map(|one| one.as_mut().poll(&mut context).is_pending().then_some(()));
    assert_eq!(pending.count(), 512);
    assert_eq!(exchange(&server, None, &saying(1, 1)).await.status, 200);
}

fn listening(id: u32) -> Value {
    request(
        id,
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    )
}

#[tokio::test]
async fn subscriptions_of_one_leave_room_for_others() {
    for (set, most) in [(Some(24), 3), (None, 2_500)] {
        let (server, _gate) =
            server(|limits| limits.subscriptions.open = set.unwrap_or(limits.subscriptions.open));
        let alice = alice();
        let mut open = Vec::new();
        for _ in 1..most {
            let reply = exchange(&server, Some(&alice), &listening(1)).await;
            assert!(matches!(reply.body, ReplyBody::Feed(_)), "{reply:?}");
            open.push(reply);
        }
        let mut stream = Peer::known(&server, Some(&alice), 1 << 16);
        let expected = "notifications/subscriptions/acknowledged";
        assert_eq!(stream.ask(listening(1)).await["method"], expected);
        assert_eq!(
            stream.ask(listening(2)).await["error"]["data"]["kind"],
            "overloaded"
        );
        assert_overloaded(&exchange(&server, Some(&alice), &listening(1)).await);
        // Subscriptions don't count as requests in flight, nor requests as subscriptions.
        assert_eq!(
            exchange(&server, Some(&alice), &saying(1, 1)).await.status,
            200
        );
        for other in others() {
            let reply = exchange(&server, other.as_ref(), &listening(1)).await;
            assert_eq!(reply.status, 200, "{other:?}");
        }
        let nobody: Vec<_> = (0..most + 1).map(|_| listening(1)).collect();
        for one in &nobody {
            assert_eq!(exchange(&server, None, one).await.status, 200);
        }
        open.pop();
        assert_eq!(
            exchange(&server, Some(&alice), &listening(1)).await.status,
            200
        );
        drop(stream);
        let again = async {
            loop {
                let mut replies = Vec::new();
                for _ in 0..2 {
                    replies.push(exchange(&server, Some(&alice), &listening(1)).await);
                }
                if replies.iter().all(|reply| reply.status == 200) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        within(again).await;
    }
}

fn initialize() -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string()
}

/// Opens a session and returns its id.
async fn open(server: &Server, principal: Option<&Principal>) -> String {
    let reply = within(server.exchange(&frame(principal, &[], initialize()))).await;
    let name = reply.headers.get("mcp-session-id");
    let name = name.unwrap_or_else(|| panic!("{}", json_of(&reply)));
    name.to_str().unwrap().to_owned()
}

/// Reports whether a session exists.
async fn is_there(server: &Server, principal: Option<&Principal>, name: &str) -> bool {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let reply = within(server.exchange(&frame(principal, &[("mcp-session-id", name)], ping))).await;
    assert!(reply.status == 200 || reply.status == 404, "{reply:?}");
    reply.status == 200
}

#[tokio::test]
async fn sessions_of_one_end_no_others() {
    for (set, most) in [(Some(24), 3), (None, 1_250)] {
        let (server, _gate) =
            server(|limits| limits.sessions.open = set.unwrap_or(limits.sessions.open));
        let alice = alice();
        let mut theirs = Vec::new();
        for other in others() {
            let name = open(&server, other.as_ref()).await;
            theirs.push((other, name));
        }
        let mut own = Vec::new();
        for _ in 0..most {
            own.push(open(&server, Some(&alice)).await);
        }
        for name in &own {
            assert!(is_there(&server, Some(&alice), name).await, "at the limit");
        }
        own.push(open(&server, Some(&alice)).await);
        let mut alive = Vec::new();
        for name in &own {
            alive.push(is_there(&server, Some(&alice), name).await);
        }
        let expected: Vec<_> = (0..=most).map(|number| number > 0).collect();
        assert_eq!(alive, expected, "the one that was idle longest is gone");
        for (other, name) in &theirs {
            assert!(is_there(&server, other.as_ref(), name).await);
        }
    }
}

#[tokio::test]
async fn streams_of_events_of_one_leave_room_for_others() {
    let (server, _gate) = server(|limits| limits.sessions.open = 16);
    let alice = alice();
    let open =
        |principal: Option<&Principal>| server.open_pipe(frame(principal, &[], String::new()));
    let first = open(Some(&alice)).unwrap();
    let second = open(Some(&alice)).unwrap();
    let refused = open(Some(&alice)).unwrap_err();
    assert_eq!(refused.message(), open(Some(&alice)).unwrap_err().message());
    let mut theirs = Vec::new();
    for other in others() {
        theirs.extend((0..2).map(|_| open(other.as_ref()).unwrap()));
    }
    assert_eq!(theirs.len(), 4);
    drop(first);
    assert!(open(Some(&alice)).is_ok());
    // That stream was dropped at once, so its place is free again.
    let third = open(Some(&alice)).unwrap();
    assert!(open(Some(&alice)).is_err());
    drop((second, third));
}
