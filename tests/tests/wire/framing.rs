//! The splitting of a byte stream into messages.

use crate::fixture::Fixture;
use crate::log::Log;
use crate::sender::{Sender, call, say};
use crate::stream::Stream;

fn filled(template: &str) -> Vec<u8> {
    let mut bytes = Sender::Modern.fill(template.as_bytes());
    bytes.push(b'\n');
    bytes
}

#[tokio::test]
async fn a_thousand_messages_in_one_write_are_answered_in_order() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let all: Vec<u8> = (0..1_000)
        .flat_map(|id| filled(&call(&id.to_string(), "canary", "{}")))
        .collect();
    let (server, mut replies) = (fixture.server.clone(), Vec::new());
    drop(server);
    // Writes and reads in turn, because neither pipe has room for all of it.
    for part in all.chunks(32 << 10) {
        stream.write(part).await;
        while replies.len() < fixture.probe.ran() {
            replies.push(stream.next().await);
        }
    }
    while replies.len() < 1_000 {
        replies.push(stream.next().await);
    }
    for (id, reply) in replies.iter().enumerate() {
        let beginning = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#);
        assert!(reply.starts_with(&beginning), "{reply}");
    }
    assert_eq!(fixture.probe.ran(), 1_000);
}

#[tokio::test]
async fn a_message_may_be_split_at_every_byte() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let message = filled(&say("1", "echo", "häh 😀"));
    for cut in 0..message.len() {
        let (head, tail) = message.split_at(cut);
        stream.write(head).await;
        // Lets the server process the first part.
        tokio::task::yield_now().await;
        stream.write(tail).await;
        let reply = stream.next().await;
        assert!(reply.contains("häh 😀"), "cut at {cut}: {reply}");
    }
}

#[tokio::test]
async fn replies_leave_while_a_line_is_half_here() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    stream.send(say("1", "slow", "slow")).await;
    fixture.probe.gate.holds(1).await;
    let message = filled(&call("2", "canary", "{}"));
    let (head, tail) = message.split_at(40);
    stream.write(head).await;
    fixture.probe.gate.open(1);
    assert!(stream.next().await.contains("slow"));
    stream.write(tail).await;
    assert!(stream.next().await.contains(r#""id":2,"result""#));
}

#[tokio::test]
async fn line_endings_and_blank_lines_are_no_messages() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    stream.write(b"\n\r\n   \n\t\r\n").await;
    let mut message = filled(&call("1", "canary", "{}"));
    message.insert(message.len() - 1, b'\r');
    stream.write(&message).await;
    assert!(stream.next().await.contains(r#""id":1,"result""#));
    stream.write(b" \t").await;
    assert!(
        stream
            .ask(&call("2", "canary", "{}"))
            .await
            .contains(r#""id":2,"result""#)
    );
}

#[tokio::test]
async fn a_line_at_the_limit_is_served_and_one_byte_more_is_not() {
    let base = filled(&say("1", "echo", "")).len() - 1;
    let fixture = Fixture::with_limits(|limits| limits.message_bytes = base + 1_000);
    for (padding, served) in [(999, true), (1_000, true), (1_001, false), (500_000, false)] {
        let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
        let reply = stream.ask(&say("1", "echo", &"x".repeat(padding))).await;
        let expected = match served {
            true => r#"{"jsonrpc":"2.0","id":1,"result":"#,
            false => r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#,
        };
        assert!(reply.starts_with(expected), "{padding}: {reply}");
        let found = stream.before_a_good_reply("a long line").await;
        assert_eq!(found, [] as [String; 0]);
    }
}

#[tokio::test]
async fn the_last_line_is_answered_with_or_without_its_end() {
    let (log, _guard) = Log::capture();
    for sender in Sender::all() {
        let fixture = Fixture::new();
        let mut whole = sender.fill(call("1", "canary", "{}").as_bytes());
        whole.push(b'\n');
        let without_end = whole.len() - 1;
        for length in [1, 20, without_end - 1, without_end] {
            let before = log.text().len();
            let mut stream = Stream::open(&fixture.server, sender).await;
            stream.write(&whole).await;
            stream.write(&whole[..length]).await;
            let lines = stream.end().await;
            let last = match length == without_end {
                true => Some(r#"{"jsonrpc":"2.0","id":1,"result":"#),
                false => Some(r#"{"jsonrpc":"2.0","error":{"code":-32700,"#)
                    .filter(|_| sender.has_errors_without_id()),
            };
            let found = lines.get(1).map(String::as_str);
            assert!(
                found.is_some() == last.is_some()
                    && found
                        .unwrap_or_default()
                        .starts_with(last.unwrap_or_default()),
                "{sender:?}, {length}: {lines:?}"
            );
            let said = log.text()[before..].contains("code=-32700");
            assert_eq!(said, length != without_end, "{sender:?}, {length}");
        }
        assert_eq!(fixture.probe.ran(), 5);
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_is_refused_by_its_id_on_every_revision() {
    let (log, _guard) = Log::capture();
    for sender in Sender::all() {
        let fixture = Fixture::with_limits(|limits| limits.message_bytes = 1_000);
        let mut stream = Stream::careless(&fixture.server, sender).await;
        let long = "x".repeat(100_000);
        let last =
            format!(r#"{{"method":"ping","params":{{"a":"{long}"}},"jsonrpc":"2.0","id":"z"}}"#);
        for (id, sent) in [("7", say("7", "echo", &long)), ("\"z\"", last)] {
            let reply = stream.ask(&sent).await;
            let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
            assert_eq!(reply["id"].to_string(), id);
            let error = &reply["error"];
            let why = "Payload too large: a message may have at most 1000 bytes";
            assert_eq!(
                (&error["code"], &error["message"]),
                (&(-32600).into(), &why.into())
            );
            assert_eq!(error["data"]["limit"], 1_000, "{sender:?}");
        }
        let before = log.text().len();
        stream.send(format!("\"{long}\"")).await;
        let answers = stream.before_a_good_reply("no id").await;
        assert_eq!(answers.len(), usize::from(sender.has_errors_without_id()));
        assert!(
            log.text()[before..].contains("Payload too large"),
            "{sender:?}"
        );
    }
}

#[tokio::test]
async fn a_reply_is_one_line_whatever_it_holds() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let text = r"a\nb\r\nc\u0000\u001b[31m\u2028\u0085\u007f";
    let reply = stream.ask(&say("1", "echo", text)).await;
    let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
    let expected = "a\nb\r\nc\0\u{1b}[31m\u{2028}\u{85}\u{7f}";
    assert_eq!(reply["result"]["content"][0]["text"], expected);
}
