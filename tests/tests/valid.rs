//! The validation of messages by the schemas detects faults. The tests read the schemas in
//! `PLAINLY_SPEC` and are skipped without it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use plainly::errors::{Era, Revision};
use plainly_tests::valid::Conversation;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

#[expect(
    clippy::print_stdout,
    reason = "whoever runs the tests must see what was not tested"
)]
fn is_skipped() -> bool {
    let is_skipped = std::env::var_os("PLAINLY_SPEC").is_none();
    if is_skipped {
        println!("skipped: PLAINLY_SPEC is not set");
    }
    is_skipped
}

/// Reports whether `act` does not panic.
fn passes(act: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(act)).is_ok()
}

/// Reports whether `reply` is a valid reply to a request of `method` with the id 1 in this
/// revision.
fn answers(revision: Revision, method: &str, reply: &str) -> bool {
    let mut conversation = match revision.era() {
        Era::Modern => Conversation::new(),
        Era::Legacy => Conversation::of_session(revision),
    };
    let asked = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
    conversation.note(asked.as_bytes());
    passes(|| conversation.heard(reply.as_bytes()))
}

#[test]
fn a_server_is_held_to_the_result_of_the_method_and_the_revision() {
    if is_skipped() {
        return;
    }
    let (old, new) = (Revision::V2024_11_05, Revision::LATEST);
    let result = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
    #[rustfmt::skip]
    let cases = [
        (old, "tools/list", r#"{"tools":[]}"#, true),
        (old, "tools/list", r#"{"tools":1}"#, false),
        (old, "tools/list", r#"{"prompts":[]}"#, false),
        (new, "tools/list", r#"{"tools":[]}"#, false),
        (new, "tools/list", r#"{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#, true),
        (new, "tools/call", r#"{"resultType":"input_required","requestState":"s"}"#, true),
        (new, "tools/call", r#"{"resultType":"task","taskId":"t"}"#, true),
        (new, "tools/call", r#"{"content":[{"type":"sound"}],"resultType":"complete"}"#, false),
        (old, "tools/call", r#"{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}"#, false),
        (Revision::V2025_03_26, "tools/call", r#"{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}"#, true),
        (old, "ping", r#"{}"#, true),
        (old, "ping", r#"[]"#, false),
    ];
    for (revision, method, reply, expected) in cases {
        let found = answers(revision, method, &result(reply));
        assert_eq!(found, expected, "{revision} {method} {reply}");
    }
}

#[test]
fn a_server_is_held_to_the_errors_and_messages_of_the_revision() {
    if is_skipped() {
        return;
    }
    let (old, new) = (Revision::V2025_06_18, Revision::LATEST);
    #[rustfmt::skip]
    let cases = [
        (old, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}"#, true),
        (old, r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}"#, false),
        (new, r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}"#, true),
        (new, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}"#, false),
        (new, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"x"}}"#, false),
        (new, r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}"#, false),
        (old, r#"{"jsonrpc":"2.0","id":2,"result":[]}"#, false),
        (old, r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#, false),
        (old, r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}"#, false),
        (old, r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#, true),
        (new, r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}"#, false),
        (old, "{", false),
    ];
    for (revision, message, expected) in cases {
        let found = answers(revision, "tools/list", message);
        assert_eq!(found, expected, "{revision} {message}");
    }
}

#[test]
fn a_client_is_held_to_the_requests_and_answers_of_the_revision() {
    if is_skipped() {
        return;
    }
    let call = |meta: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{meta}"name":"a"}}}}"#)
    };
    let says = |conversation: &Conversation, message: &str| {
        passes(|| conversation.check(message.as_bytes()))
    };
    let modern = Conversation::new();
    assert!(says(&modern, &call(&format!("{META},"))));
    assert!(!says(&modern, &call("")));
    let mut legacy = Conversation::of_session(Revision::V2025_06_18);
    assert!(says(&legacy, &call("")));
    assert!(!says(&legacy, &call("").replace("\"name\"", "\"title\"")));
    let roots = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":"q","result":{result}}}"#);
    assert!(!says(&legacy, &roots(r#"{"roots":[]}"#)), "nobody asked");
    legacy.heard(br#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#);
    assert!(says(&legacy, &roots(r#"{"roots":[]}"#)));
    assert!(!says(&legacy, &roots(r#"{"roots":[1]}"#)));
}
