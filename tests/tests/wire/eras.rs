//! The rules that determine the era of a message and open sessions: "Which era a message is of",
//! cell by cell.

use plainly_peer::table::cases;
use serde_json::json;

use crate::fixture::Fixture;
use crate::http::{Client, Http, mirrored};
use crate::sender::{LEGACY, META, MODERN, Sender, call, initialize, request, say};
use crate::stream::Stream;

/// The beginning of the result of request 1.
fn result() -> String {
    r#"{"jsonrpc":"2.0","id":1,"result":"#.to_owned()
}

fn error(code: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"#)
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const LIST_WITH_TOKEN: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#;

fn modern(method: &str) -> String {
    request("1", method, "").replace("META", META)
}

/// A request whose `_meta` names this version.
fn of_version(version: &str, method: &str) -> String {
    modern(method).replace(MODERN, version)
}

/// The senders of the rows: one without a session, and one of each legacy revision.
fn sessions() -> Vec<Sender> {
    Sender::all()
}

#[tokio::test]
async fn on_a_stream_each_message_is_of_the_era_that_it_shows() {
    for session in sessions() {
        let has_session = session != Sender::Modern;
        let by_session = |expected: String| {
            if has_session { expected } else { error(-32602) }
        };
        let cells = [
            (modern("tools/list"), result()),
            (modern("server/discover"), result()),
            (modern("ping"), error(-32601)),
            (modern("initialize"), error(-32601)),
            (of_version("2025-11-25", "tools/list"), error(-32022)),
            (of_version("2025-11-25", "initialize"), error(-32022)),
            (of_version("2024-11-05", "ping"), error(-32022)),
            (of_version("1900-01-01", "tools/list"), error(-32022)),
            (of_version("", "tools/list"), error(-32022)),
            (
                of_version(&"x".repeat(1 << 20), "tools/list"),
                error(-32022),
            ),
            (PING.to_owned(), result()),
            (LIST.to_owned(), by_session(result())),
            (LIST_WITH_TOKEN.to_owned(), by_session(result())),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#.to_owned(),
                by_session(error(-32601)),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#.to_owned(),
                by_session(error(-32601)),
            ),
        ];
        let fixture = Fixture::new();
        let mut stream = Stream::careless(&fixture.server, session).await;
        for (sent, expected) in cells {
            let reply = stream.ask(&sent).await;
            assert!(
                reply.starts_with(&expected),
                "{session:?}\n{sent}\nexpected {expected}\ngot {reply}"
            );
        }
    }
}

#[tokio::test]
async fn over_http_each_message_is_of_the_era_that_it_shows() {
    let header = |version: &str| format!("MCP-Protocol-Version: {version}\r\n");
    let (_, http) = Fixture::listening().await;
    for session in sessions() {
        let client = http.client(session).await.saying_anything();
        let id = match &client.session {
            Some(id) => format!("Mcp-Session-Id: {id}\r\n"),
            None => String::new(),
        };
        let by_session = |status: u16, expected: String| match session {
            Sender::Modern => (400, error(-32600)),
            Sender::Legacy(_) => (status, expected),
        };
        let ok = || by_session(200, result());
        let unsupported = match session {
            Sender::Modern => (400, error(-32022)),
            Sender::Legacy("2025-06-18" | "2025-11-25") => (400, error(-32602)),
            // These revisions don't have the header.
            Sender::Legacy(_) => (200, result()),
        };
        let now = header(MODERN);
        #[rustfmt::skip]
        let cells = [
            // `_meta` names a version, so the message is modern whatever the session.
            (now.clone(), modern("tools/list"), (200, result())),
            (now.clone(), modern("ping"), (404, error(-32601))),
            (now.clone(), modern("initialize"), (404, error(-32601))),
            (String::new(), modern("tools/list"), (400, error(-32020))),
            (header("2025-11-25"), modern("tools/list"), (400, error(-32020))),
            (header("2025-11-25"), of_version("2025-11-25", "tools/list"), (400, error(-32022))),
            (header("1900-01-01"), of_version("1900-01-01", "tools/list"), (400, error(-32022))),
            (header("2027-01-01"), of_version("2027-01-01", "initialize"), (400, error(-32022))),
            (header("draft"), of_version("draft", "tools/list"), (400, error(-32022))),
            (now.clone(), of_version("2025-11-25", "tools/list"), (400, error(-32020))),
            // The version header names a modern revision, so the message is modern whatever the
            // session.
            (now.clone(), LIST.to_owned(), (400, error(-32602))),
            (now.clone(), LIST_WITH_TOKEN.to_owned(), (400, error(-32602))),
            (now.clone(), PING.to_owned(), (400, error(-32602))),
            (now, initialize("1", "2025-11-25"), (400, error(-32602))),
            // Neither names a modern version, so the session decides.
            (String::new(), LIST.to_owned(), ok()),
            (String::new(), LIST_WITH_TOKEN.to_owned(), ok()),
            (String::new(), PING.to_owned(), ok()),
            (String::new(), r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#.to_owned(), by_session(200, error(-32601))),
            (header("2025-11-25"), LIST.to_owned(), ok()),
            (header("2024-11-05"), LIST.to_owned(), ok()),
            (header("1900-01-01"), LIST.to_owned(), unsupported.clone()),
            (header("rubbish"), PING.to_owned(), unsupported),
        ];
        for (version, sent, (status, expected)) in cells {
            let headers = format!("{id}{version}{}", mirrored(sent.as_bytes()));
            let got = client.post(&headers, sent.as_bytes()).await;
            assert!(
                got.status == status && got.body.starts_with(&expected),
                "{session:?} {headers}\n{sent}\nexpected {status} {expected}\ngot {got:?}"
            );
        }
    }
}

#[tokio::test]
async fn initialize_answers_every_version_and_never_with_an_error() {
    let versions = LEGACY
        .map(|revision| (revision, revision))
        .into_iter()
        .chain([
            (MODERN, "2025-11-25"),
            ("2027-01-01", "2025-11-25"),
            ("1900-01-01", "2025-11-25"),
            ("2025-11-26", "2025-11-25"),
            ("", "2025-11-25"),
            ("draft", "2025-11-25"),
            (" 2025-06-18", "2025-11-25"),
        ]);
    let (fixture, http) = Fixture::listening().await;
    for (asked, answered) in versions {
        let sent = initialize("1", asked);
        let mut stream = Stream::careless(&fixture.server, Sender::Modern).await;
        let client = http.client(Sender::Modern).await.saying_anything();
        let over_http = client.post("", sent.as_bytes()).await;
        assert_eq!(over_http.status, 200, "{over_http:?}");
        assert!(
            over_http.header("mcp-session-id").is_some(),
            "{over_http:?}"
        );
        for reply in [stream.ask(&sent).await, over_http.body] {
            let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
            assert_eq!(reply["result"]["protocolVersion"], answered, "{asked}");
            assert_eq!(reply["result"]["serverInfo"]["name"], "fixture");
        }
        // The server serves the negotiated revision from then on.
        let silent = !Sender::Legacy(answered).has_errors_without_id();
        stream.send("{").await;
        let answers = stream.before_a_good_reply(asked).await;
        assert_eq!(answers.is_empty(), silent, "{asked}: {answers:?}");
    }
}

#[tokio::test]
async fn an_initialize_that_lacks_something_opens_nothing() {
    let (fixture, http) = Fixture::listening().await;
    let good = initialize("1", "2025-11-25");
    for (from, to) in cases::<(&str, &str)>(include_str!("eras.txt"), "lacking initialize") {
        let bad = good.replacen(from, to, 1);
        let mut stream = Stream::careless(&fixture.server, Sender::Modern).await;
        let reply = stream.ask(&bad).await;
        assert!(reply.starts_with(&error(-32602)), "{bad}: {reply}");
        let reply = stream.ask(LIST).await;
        assert!(reply.starts_with(&error(-32602)), "{bad}: {reply}");
        let client = http.client(Sender::Modern).await.saying_anything();
        let reply = client.post("", bad.as_bytes()).await;
        assert!(
            reply.status == 200
                && reply.body.starts_with(&error(-32602))
                && reply.header("mcp-session-id").is_none(),
            "{bad}: {reply:?}"
        );
    }
}

#[tokio::test]
async fn what_versions_there_are_to_choose_from_is_said_as_the_era_has_it() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let reply = stream.ask(&of_version("1900-01-01", "tools/list")).await;
    let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
    let data = json!({"supported": [MODERN], "requested": "1900-01-01"});
    assert_eq!(reply["error"]["data"], data);
    let http = Http::listen(&fixture.server).await;
    let client = http.client(Sender::Legacy("2025-11-25")).await;
    let id = client.session.clone().unwrap();
    let headers = format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 1900-01-01\r\n");
    let reply = client.post(&headers, LIST.as_bytes()).await.json();
    let mut supported = LEGACY;
    supported.reverse();
    let data = json!({"supported": supported, "requested": "1900-01-01"});
    assert_eq!(reply["error"]["data"], data);
}

#[tokio::test]
async fn modern_and_legacy_requests_share_a_stream() {
    let fixture = Fixture::new();
    for revision in LEGACY {
        let mut stream = Stream::open(&fixture.server, Sender::Legacy(revision)).await;
        for id in 0..4 {
            let (meta, is_modern) = [("{}", false), (META, true)][id % 2];
            let sent = say(&id.to_string(), "echo", "hi").replace("META", meta);
            let reply = stream.ask(&sent).await;
            let is_shaped = reply.contains(r#""resultType":"complete""#);
            assert!(reply.contains(r#""text":"hi""#), "{reply}");
            assert_eq!(is_shaped, is_modern, "{revision}: {reply}");
        }
    }
}

#[tokio::test]
async fn clients_of_every_revision_share_an_endpoint() {
    let (fixture, http) = Fixture::listening().await;
    let mut clients: Vec<(Sender, Client)> = Vec::new();
    for sender in Sender::all() {
        clients.push((sender, http.client(sender).await));
    }
    for _ in 0..2 {
        for (sender, client) in &clients {
            let reply = client.send(call("1", "canary", "{}")).await;
            assert_eq!(reply.status, 200, "{sender:?}: {reply:?}");
            let is_shaped = reply.body.contains(r#""resultType":"complete""#);
            assert_eq!(is_shaped, *sender == Sender::Modern, "{reply:?}");
        }
    }
    assert_eq!(fixture.probe.ran(), 10);
}

#[tokio::test]
async fn a_session_lives_from_initialize_to_delete() {
    let (_, http) = Fixture::listening().await;
    for revision in LEGACY {
        let client = http.client(Sender::Legacy(revision)).await;
        let other = http.client(Sender::Legacy(revision)).await;
        assert_ne!(client.session, other.session);
        assert_eq!(client.send(LIST).await.status, 200);

        let nobody = client.with_session(None);
        let reply = nobody.send(LIST).await;
        assert!(
            reply.status == 400 && reply.body.starts_with(&error(-32600)),
            "{reply:?}"
        );
        assert_eq!(nobody.delete().await.status, 405);

        assert_eq!(client.delete().await.status, 204);
        let reply = client.send(LIST).await;
        assert!(
            reply.status == 404 && reply.body.starts_with(&error(-32600)),
            "{reply:?}"
        );
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(client.send(initialized).await.status, 404);
        assert_eq!(client.delete().await.status, 404);
        assert_eq!(other.send(LIST).await.status, 200);

        let id = other.session.clone().unwrap();
        let guesses = [
            String::new(),
            "x".to_owned(),
            id.to_uppercase() + "0",
            format!("{id}, {id}"),
            "0".repeat(32),
        ];
        for guess in guesses {
            let guessing = other.with_session(Some(guess.clone()));
            assert_eq!(guessing.send(LIST).await.status, 404, "{guess:?}");
        }
    }
}

#[tokio::test]
async fn a_modern_request_neither_needs_nor_sees_a_session() {
    let (_, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    let body = Sender::Modern.fill(call("1", "canary", "{}").as_bytes());
    let notification = br#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#;
    for session in ["", "x", "0123456789abcdef0123456789abcdef"] {
        let header = format!("Mcp-Session-Id: {session}\r\nLast-Event-ID: 1\r\n");
        let reply = client
            .post(&(header.clone() + &client.headers(&body)), &body)
            .await;
        assert_eq!(reply.status, 200, "{session}: {reply:?}");
        assert_eq!(reply.header("mcp-session-id"), None);
        let reply = client
            .post(&(header + &client.headers(notification)), notification)
            .await;
        assert_eq!(reply.status, 202, "{session}: {reply:?}");
    }
}

#[tokio::test]
async fn an_initialize_that_says_too_much_opens_nothing() {
    let (fixture, http) = Fixture::listening().await;
    let params = |length: usize| {
        let beginning =
            r#"{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":{"x":""#;
        let end = r#""}}},"clientInfo":{"name":"client","version":"1"}}"#;
        let filling = "x".repeat(length - beginning.len() - end.len());
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{beginning}{filling}{end}}}"#
        )
    };
    for (length, opens) in [(64 << 10, true), ((64 << 10) + 1, false), (2 << 20, false)] {
        let sent = params(length);
        let expected = if opens { result() } else { error(-32602) };
        let mut stream = Stream::careless(&fixture.server, Sender::Modern).await;
        let reply = stream.ask(&sent).await;
        assert!(reply.starts_with(&expected), "{length}: {reply}");
        let listed = stream.ask(LIST).await;
        assert!(listed.starts_with(&expected), "{length}: {listed}");
        let client = http.client(Sender::Modern).await.saying_anything();
        let reply = client.post("", sent.as_bytes()).await;
        assert!(reply.body.starts_with(&expected), "{length}: {reply:?}");
        assert_eq!(reply.header("mcp-session-id").is_some(), opens, "{length}");
    }
}

#[tokio::test]
async fn a_session_is_ended_by_its_own_era_only() {
    let (_, http) = Fixture::listening().await;
    for revision in LEGACY {
        let client = http.client(Sender::Legacy(revision)).await;
        for refused in [
            client
                .delete_with("MCP-Protocol-Version: 2026-07-28\r\n")
                .await,
            client.with_session(None).delete().await,
        ] {
            assert_eq!(refused.status, 405, "{refused:?}");
            let expected = Some("POST, GET, DELETE");
            assert_eq!(refused.header("allow").as_deref(), expected, "{refused:?}");
        }
        assert_eq!(client.send(LIST).await.status, 200, "{revision}");
        let header = format!("MCP-Protocol-Version: {revision}\r\n");
        assert_eq!(client.delete_with(&header).await.status, 204);
    }
}

#[tokio::test]
async fn a_stream_may_be_initialized_again() {
    let fixture = Fixture::new();
    let mut stream = Stream::careless(&fixture.server, Sender::Legacy("2025-11-25")).await;
    stream.send("{").await;
    assert_eq!(stream.before_a_good_reply("{").await.len(), 1);
    let again = stream.ask(&initialize("1", "2024-11-05")).await;
    let expected = r#""protocolVersion":"2024-11-05""#;
    assert!(again.contains(expected), "{again}");
    stream.send("{").await;
    assert_eq!(stream.before_a_good_reply("{").await.len(), 0);
}

#[tokio::test]
async fn many_clients_open_sessions_that_never_meet() {
    let (_, http) = Fixture::listening().await;
    let mut names = std::collections::HashSet::new();
    for _ in 0..200 {
        let client = http.client(Sender::Legacy("2025-06-18")).await;
        let name = client.session.unwrap();
        assert!(name.len() >= 32 && name.bytes().all(|byte| byte.is_ascii_graphic()));
        assert!(names.insert(name));
    }
}

#[tokio::test]
async fn before_any_session_both_ways_to_begin_are_named() {
    let (fixture, http) = Fixture::listening().await;
    let mut stream = Stream::careless(&fixture.server, Sender::Modern).await;
    let sent = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let over_stream = stream.ask(sent).await;
    let over_http = http
        .client(Sender::Modern)
        .await
        .saying_anything()
        .post("", sent.as_bytes())
        .await;
    for reply in [over_stream, over_http.body] {
        for way in [
            "no session. Send initialize first",
            "or use the ",
            "_meta of revision 2026-07-28",
        ] {
            assert!(reply.contains(way), "{way}: {reply}");
        }
    }
    let half = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let reply = stream.ask(half).await;
    assert!(
        reply.contains("is a required property") && !reply.contains("initialize"),
        "{reply}"
    );
}
