//! Each limit, tested exactly, one beyond it, and far beyond it.

use plainly_protocol::envelope::{Envelope, Limits, MalformedKind, parse, parse_object};

use crate::messages::verdict;

fn with_params(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"x","params":{params},"id":1}}"#)
}

/// A request with so many levels of nesting, its message and its params included.
fn nested(open: &str, close: &str, depth: usize) -> String {
    let inner = depth - 2;
    with_params(&format!(
        r#"{{"_meta":{}0{}}}"#,
        open.repeat(inner),
        close.repeat(inner)
    ))
}

#[test]
fn depth() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let levels = open.matches(['[', '{']).count();
        let at = |depth: usize| verdict(nested(open, close, 2 + (depth - 2) / levels));
        assert_eq!(at(64), "request 1 x");
        for deeper in [66, 127, 128, 130, 1_000_000] {
            assert_eq!(at(deeper), "invalid request 1", "{deeper} levels of {open}");
        }
    }
    assert_eq!(verdict(nested("[", "]", 65)), "invalid request 1");
}

#[test]
fn depth_counts_the_batch() {
    let batch = |depth| format!("[{}]", nested("[", "]", depth));
    assert_eq!(verdict(batch(63)), "batch: request 1 x");
    assert_eq!(verdict(batch(64)), "batch: invalid request 1");
}

#[test]
fn no_id_is_read_out_of_what_is_too_deep() {
    let mut limits = Limits::default();
    limits.depth = 1;
    let refused = parse(br#"{"jsonrpc":"2.0","id":[1],"method":"x"}"#, &limits).unwrap_err();
    assert_eq!(
        (refused.kind, refused.id.is_none()),
        (MalformedKind::InvalidRequest, true)
    );
    let refused = parse(
        br#"{"jsonrpc":"2.0","params":[7],"id":1,"method":"x"}"#,
        &limits,
    )
    .unwrap_err();
    assert_eq!(refused.id.map(|id| id.as_raw()), Some("1"));
}

#[test]
fn a_million_brackets_need_no_stack() {
    let run = || {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let million = 1_000_000;
            assert_eq!(verdict(open.repeat(million)), "parse error");
            let closed = format!("{}0{}", open.repeat(million), close.repeat(million));
            assert!(verdict(&closed).ends_with("invalid request"));
            assert_eq!(verdict(format!("{closed}]")), "parse error");
        }
    };
    let thread = std::thread::Builder::new().stack_size(128 * 1024);
    thread.spawn(run).unwrap().join().unwrap();
}

fn members(count: usize) -> String {
    let members: Vec<_> = (0..count)
        .map(|index| format!("\"prefix{index}\":0"))
        .collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn members_of_an_object() {
    assert_eq!(verdict(with_params(&members(10_000))), "request 1 x");
    assert_eq!(verdict(with_params(&members(10_001))), "invalid request 1");
    assert_eq!(verdict(with_params(&members(50_000))), "invalid request 1");
    // In the message itself, the id may be among the members that were not read.
    let wide = |count| members(count).replacen('{', r#"{"jsonrpc":"2.0","id":1,"method":"x","#, 1);
    assert_eq!(verdict(wide(9_997)), "request 1 x");
    assert_eq!(verdict(wide(9_998)), "invalid request");
}

#[test]
fn a_duplicate_among_many_members() {
    for count in [15, 16, 17, 9_999] {
        let twice = members(count).replacen('{', &format!("{{\"prefix{}\":0,", count - 1), 1);
        assert_eq!(verdict(with_params(&twice)), "invalid request 1");
    }
}

#[test]
fn values_in_a_message() {
    // The values are the message, its four members, the list and its elements.
    let list = |count: usize| with_params(&format!("{{\"a\":[{}0]}}", "0,".repeat(count - 1)));
    assert_eq!(verdict(list(200_000 - 6)), "request 1 x");
    assert_eq!(verdict(list(200_000 - 5)), "invalid request 1");
    let batch = format!("[{},{}]", list(100_000), list(100_000));
    assert_eq!(verdict(batch), "invalid request");
}

#[test]
fn messages_in_a_batch() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let batch = |count: usize| format!("[{}{ping}]", format!("{ping},").repeat(count - 1));
    let envelope = |batch: &str| match parse(batch.as_bytes(), &Limits::default()) {
        Ok(Envelope::Batch(messages)) => Ok(messages.len()),
        Ok(Envelope::Single(_)) => panic!("is a batch"),
        Err(malformed) => Err((malformed.kind, malformed.id.is_some())),
    };
    assert_eq!(envelope(&batch(1_000)), Ok(1_000));
    let found = envelope(&batch(1_001));
    assert_eq!(found, Err((MalformedKind::InvalidRequest, false)));
    let found = envelope(&batch(10_000));
    assert_eq!(found, Err((MalformedKind::InvalidRequest, false)));
    let found = envelope(&format!("{}x", batch(1_001)));
    assert_eq!(found, Err((MalformedKind::Parse, false)));
}

#[test]
fn method_and_id() {
    let message =
        |method: &str, id: &str| format!(r#"{{"jsonrpc":"2.0","method":"{method}","id":"{id}"}}"#);
    let long = "a".repeat(1 << 20);
    assert!(verdict(message(&long[..256], "1")).starts_with("request"));
    let expected = r#"invalid request "1""#;
    assert_eq!(verdict(message(&long[..257], "1")), expected);
    assert_eq!(verdict(message(&long, "1")), r#"invalid request "1""#);
    assert!(verdict(message(&r"\u0061".repeat(256), "1")).starts_with("request"));
    assert!(verdict(message("x", &long[..1024])).starts_with("request"));
    assert_eq!(verdict(message("x", &long[..1025])), "invalid request");
}

#[test]
fn an_object_by_itself() {
    let limits = Limits::default();
    let object = parse_object(r#" {"a": [1], "params": {"b":2}} "#, &limits).unwrap();
    assert_eq!(object.raw(), r#"{"a": [1], "params": {"b":2}}"#);
    let expected = [("a", "[1]"), ("params", r#"{"b":2}"#)];
    assert_eq!(object.members().collect::<Vec<_>>(), expected);
    for (text, kind) in [
        ("", MalformedKind::Parse),
        ("{} {}", MalformedKind::Parse),
        ("[]", MalformedKind::InvalidRequest),
        (r#"{"a":1,"a":1}"#, MalformedKind::InvalidRequest),
        (&members(10_001), MalformedKind::InvalidRequest),
    ] {
        assert_eq!(
            parse_object(text, &limits).unwrap_err().kind,
            kind,
            "{text}"
        );
    }
}
