//! Valid and invalid JSON-RPC messages: versions, ids, methods and params; and which replies have
//! which id.

use std::time::Duration;

use crate::case::{Case, Expect, cases, check};
use crate::fixture::Fixture;
use crate::http::Http;
use crate::sender::{Sender, call, request};
use crate::stream::Stream;

const INVALID: i64 = -32600;

#[tokio::test]
async fn every_id_comes_back_byte_for_byte() {
    let mut all = cases("ids");
    let long = format!("\"{}\"", "x".repeat(1024));
    let message = call(&long, "canary", "{}");
    all.push(Case::good("1,024 bytes", message, &long));
    check(&Sender::all(), &all).await;
}

#[tokio::test]
async fn what_is_no_id_is_an_invalid_request_without_id() {
    let mut all = cases("no ids");
    let long = call(&format!("\"{}\"", "x".repeat(1025)), "canary", "{}");
    all.push(Case::new("1,025 bytes", long, Expect::no_message(INVALID)));
    check(&Sender::all(), &all).await;
}

#[tokio::test]
async fn the_envelope_is_checked_before_anything_runs() {
    let mut all = cases("envelopes");
    let long = call("1", "canary", "{}").replacen("tools/call", &"x".repeat(1 << 20), 1);
    let invalid = Expect::error("1", INVALID, 400);
    all.push(Case::new("a method of 1 MiB", long, invalid));
    check(&Sender::all(), &all).await;
}

#[tokio::test]
async fn params_are_an_object_or_absent() {
    check(&Sender::all(), &cases("params")).await;
}

#[tokio::test]
async fn modern_requests_introduce_their_sender() {
    check(&[Sender::Modern], &cases("introductions")).await;
}

#[tokio::test]
async fn legacy_requests_need_no_params() {
    check(&Sender::legacy(), &cases("requests without params")).await;
}

#[tokio::test]
async fn unknown_methods_are_not_found() {
    check(&Sender::legacy(), &cases("unknown methods in a session")).await;
    check(
        &[Sender::Modern],
        &cases("unknown methods of a modern client"),
    )
    .await;
    check(&[Sender::Modern], &cases("methods of sessions")).await;
    check(&Sender::legacy(), &cases("methods of modern clients")).await;
}

#[tokio::test]
async fn a_method_with_control_characters_is_nobodys() {
    check(&Sender::legacy(), &cases("control characters in a session")).await;
    check(
        &[Sender::Modern],
        &cases("control characters of a modern client"),
    )
    .await;
}

#[tokio::test]
async fn names_with_nul_are_not_cut_short() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let mut stream = Stream::careless(&fixture.server, sender).await;
        for more in [
            r#""name":"canary\u0000""#,
            r#""name":"canary\u0000x","arguments":{}"#,
            r#""name":"\u0000canary""#,
        ] {
            let reply = stream.ask(&request("1", "tools/call", more)).await;
            let expected = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#;
            assert!(reply.starts_with(expected), "{reply}");
        }
        for uri in [r"app://motd\u0000", r"app://motd\u0000x", r"app://motd\n"] {
            let reply = stream
                .ask(&request(
                    "1",
                    "resources/read",
                    &format!(r#""uri":"{uri}""#),
                ))
                .await;
            assert!(
                reply.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#)
                    && reply.contains(&format!(r#""data":{{"uri":"{uri}"}}"#)),
                "{reply}"
            );
        }
    }
    assert_eq!(fixture.probe.ran(), 0);
}

#[tokio::test]
async fn a_notification_is_never_answered_and_runs_nothing() {
    check(&Sender::all(), &cases("notifications")).await;
}

#[tokio::test]
async fn a_notification_with_wrong_params_is_not_answered_on_a_stream() {
    check(&Sender::all(), &cases("notifications with wrong params")).await;
}

#[tokio::test]
async fn a_response_from_a_client_is_never_answered_with_a_message_of_ours() {
    check(&Sender::legacy(), &cases("responses in a session")).await;
    check(&[Sender::Modern], &cases("responses of a modern client")).await;
}

#[tokio::test]
async fn two_servers_that_answer_each_other_fall_silent() {
    let fixture = Fixture::new();
    let mut stream = Stream::careless(&fixture.server, Sender::Modern).await;
    let error = stream.ask("{").await;
    stream.send(&error).await;
    let found = stream.before_a_good_reply("an echoed error").await;
    assert_eq!(found, [] as [String; 0]);
}

#[tokio::test]
async fn unreadable_lines_are_answered_100_times_and_then_rarely() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    stream.write("{\n".repeat(500).as_bytes()).await;
    let answers = stream.before_a_good_reply("a storm").await.len();
    assert!((100..150).contains(&answers), "{answers}");
}

#[tokio::test(start_paused = true)]
async fn after_a_storm_no_part_of_the_pause_between_two_answers_is_lost() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    stream.write("{\n".repeat(100).as_bytes()).await;
    let answers = stream.before_a_good_reply("a storm").await.len();
    assert_eq!(answers, 100);
    let mut answers = 0;
    for _ in 0..50 {
        tokio::time::advance(Duration::from_millis(60)).await;
        stream.write(b"{\n").await;
        answers += stream
            .before_a_good_reply("a line now and then")
            .await
            .len();
    }
    assert_eq!(answers, 30, "one for each 100 of 3,000 milliseconds");
}

#[tokio::test]
async fn ids_may_be_used_again_once_they_are_answered() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        let http = Http::listen(&fixture.server).await;
        let client = http.client(sender).await;
        for _ in 0..3 {
            let reply = stream.ask(&call("7", "canary", "{}")).await;
            assert!(reply.contains(r#""id":7,"result":"#), "{reply}");
            let reply = client.send(&call("7", "canary", "{}")).await;
            assert!(reply.body.contains(r#""id":7,"result":"#), "{reply:?}");
        }
    }
}
