//! Valid and invalid JSON: grammar, UTF-8, depth and duplicate keys.

use plainly_peer::table::rows;

use crate::case::{Case, Expect, cases, check};
use crate::sender::{Sender, call, request};

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;

/// A valid call of the tool `canary`, with `from` replaced.
fn mutated(from: &str, to: &[u8]) -> Vec<u8> {
    let good = call("1", "canary", r#"{"note":"a"}"#);
    let (head, tail) = good.split_once(from).expect("nothing to replace");
    [head.as_bytes(), to, tail.as_bytes()].concat()
}

#[tokio::test]
async fn what_is_no_json_is_a_parse_error_without_id() {
    let mut all = cases("no JSON");
    for (name, bytes) in [
        ("utf-16", b"\xff\xfe{\0}\0".to_vec()),
        ("a raw tab in a string", mutated(r#""a""#, b"\"\t\"")),
        ("a raw NUL in a string", mutated(r#""a""#, b"\"\0\"")),
    ] {
        all.push(Case::new(name, bytes, Expect::no_message(PARSE)));
    }
    check(&Sender::all(), &all).await;
}

#[tokio::test]
async fn json_that_nobody_can_hold_is_refused_by_its_id() {
    check(&Sender::all(), &cases("JSON that nobody can hold")).await;
}

#[tokio::test]
async fn invalid_utf_8_is_a_parse_error_wherever_it_is() {
    let faults: [&[u8]; 6] = [
        b"\xff",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xe2\x82",
        b"\xf4\x90\x80\x80",
        b"\x80",
    ];
    let mut cases = Vec::new();
    for fault in faults {
        let quoted = [b"\"", fault, b"\""].concat();
        let ignored = [b"\"ignored\":", &quoted[..], b",\"jsonrpc\""].concat();
        let ignored_key = [&quoted[..], b":1,\"jsonrpc\""].concat();
        for (place, bytes) in [
            ("a used string", mutated("tools/call", fault)),
            ("an argument", mutated(r#""a""#, &quoted)),
            ("an ignored value", mutated(r#""jsonrpc""#, &ignored)),
            ("an ignored key", mutated(r#""jsonrpc""#, &ignored_key)),
            ("a key of the arguments", mutated(r#""note""#, &quoted)),
            ("whitespace", mutated(r#""note""#, fault)),
        ] {
            cases.push(Case::new(
                format!("{fault:x?} in {place}"),
                bytes,
                Expect::no_message(PARSE),
            ));
        }
    }
    check(&[Sender::Modern, Sender::Legacy("2025-06-18")], &cases).await;
}

#[tokio::test]
async fn a_mark_is_stripped_once_from_the_start_of_a_stream_and_refused_elsewhere() {
    let marked = format!("\u{feff}{}", call("1", "canary", "{}"));
    let cases = [Case::new("a mark", marked, Expect::no_message(PARSE))];
    check(&Sender::legacy(), &cases).await;

    let fixture = crate::fixture::Fixture::new();
    let mut stream = crate::stream::Stream::open(&fixture.server, Sender::Modern).await;
    stream.write("\u{feff}".as_bytes()).await;
    let reply = stream.ask(&call("1", "canary", "{}")).await;
    let expected = r#"{"jsonrpc":"2.0","id":1,"result":"#;
    assert!(reply.starts_with(expected), "{reply}");
    stream.write("\u{feff}".as_bytes()).await;
    let reply = stream.ask(&call("2", "canary", "{}")).await;
    let expected = r#"{"jsonrpc":"2.0","error":{"code":-32700,"#;
    assert!(reply.starts_with(expected), "{reply}");
}

/// `depth` nested arrays.
fn arrays(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

/// `depth` nested objects.
fn objects(depth: usize) -> String {
    r#"{"a":"#.repeat(depth - 1) + "{}" + &"}".repeat(depth - 1)
}

#[tokio::test]
async fn a_message_may_be_64_deep() {
    // The message, its params and the arguments are the first three levels.
    let nested = |value: String| call("1", "canary", &format!(r#"{{"deep":{value}}}"#));
    let in_params = |value: String| {
        request(
            "1",
            "tools/call",
            &format!(r#""name":"canary","ignored":{value}"#),
        )
    };
    let too_deep = || Expect::error("1", INVALID, 400);
    let mut cases = vec![
        Case::good("64 deep, arrays", nested(arrays(61)), "1"),
        Case::good("64 deep, objects", nested(objects(61)), "1"),
        Case::good("64 deep, in params", in_params(arrays(62)), "1"),
    ];
    for depth in [65, 127, 128, 129, 1_000] {
        cases.push(Case::new(
            format!("{depth} deep, arrays"),
            nested(arrays(depth - 3)),
            too_deep(),
        ));
        cases.push(Case::new(
            format!("{depth} deep, objects"),
            nested(objects(depth - 3)),
            too_deep(),
        ));
        cases.push(Case::new(
            format!("{depth} deep, in params"),
            in_params(arrays(depth - 2)),
            too_deep(),
        ));
        let ignored =
            nested("1".to_owned()).replacen('{', &format!(r#"{{"x":{},"#, objects(depth - 1)), 1);
        cases.push(Case::new(
            format!("{depth} deep, ignored"),
            ignored,
            too_deep(),
        ));
    }
    check(&Sender::all(), &cases).await;
}

#[tokio::test]
async fn a_million_levels_overflow_no_stack() {
    let million = 1_000_000;
    #[rustfmt::skip]
    let cases = [
        Case::new("unclosed arrays", "[".repeat(million), Expect::no_message(PARSE)),
        Case::new("arrays", arrays(million), Expect::no_message(INVALID)),
        Case::new("unclosed objects", r#"{"a":"#.repeat(million / 2), Expect::no_message(PARSE)),
        Case::new("objects", objects(million / 2), Expect::no_message(INVALID)),
        Case::new("in the arguments", call("1", "canary", &format!(r#"{{"x":{}}}"#, arrays(million))), Expect::error("1", INVALID, 400)),
    ];
    check(&[Sender::Modern], &cases).await;
}

#[tokio::test]
async fn a_duplicate_key_is_an_invalid_request_wherever_it_is() {
    for sender in Sender::all() {
        let cases: Vec<_> = rows(include_str!("cases.txt"), "duplicate keys")
            .map(|[place, from, to]| {
                let good = call("1", "canary", r#"{"note":"a"}"#);
                let filled = String::from_utf8(sender.fill(good.as_bytes())).unwrap();
                // A legacy client's `_meta` is empty.
                let filled = filled.replace(r#""_meta":{}"#, r#""_meta":{"b":1}"#);
                assert!(filled.contains(from), "{place}: {filled}");
                let bytes = filled.replacen(from, to, 1);
                Case::new(place, bytes, Expect::error("1", INVALID, 400))
            })
            .chain([Case::new(
                "id",
                mutated(r#""id":1"#, br#""id":1,"id":1"#),
                Expect::no_message(INVALID),
            )])
            .collect();
        check(&[sender], &cases).await;
    }
}

#[tokio::test]
async fn keys_are_compared_exactly() {
    check(&Sender::all(), &cases("keys")).await;
    // A modern request without `params` lacks `_meta`, also if it has `Params`. Its headers mirror
    // a name that the body does not have.
    check(&[Sender::Modern], &cases("keys of a modern client")).await;
}

#[tokio::test]
async fn numbers_reach_typed_arguments_exactly_or_not_at_all() {
    let fixture = crate::fixture::Fixture::new();
    let mut stream = crate::stream::Stream::open(&fixture.server, Sender::Modern).await;
    for exact in [
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "0",
    ] {
        let reply = stream
            .ask(&call("1", "number", &format!(r#"{{"n":{exact}}}"#)))
            .await;
        let expected = format!(r#"{{"type":"text","text":"{exact}"}}"#);
        assert!(reply.contains(&expected), "{reply}");
    }
    // JSON has only one kind of number, and by the schema a whole one is an integer.
    for (written, whole) in [("1E+2", "100"), ("3.0", "3"), ("-0.0", "0")] {
        let arguments = format!(r#"{{"n":{written}}}"#);
        let reply = stream.ask(&call("1", "number", &arguments)).await;
        let expected = format!(r#"{{"type":"text","text":"{whole}"}}"#);
        assert!(reply.contains(&expected), "{reply}");
    }
    for rounded in ["9223372036854775808", "1e30", "0.1", "1.5", "\"1\"", "null"] {
        let reply = stream
            .ask(&call("1", "number", &format!(r#"{{"n":{rounded}}}"#)))
            .await;
        assert!(
            reply.contains("Invalid arguments") && reply.contains(r#""isError":true"#),
            "{rounded}: {reply}"
        );
    }
}

#[tokio::test]
async fn many_members_cost_linear_time_and_too_many_are_refused() {
    let members = |count: usize| {
        let members: Vec<_> = (0..count).map(|n| format!(r#""key-{n:06}":0"#)).collect();
        call("1", "canary", &format!("{{{}}}", members.join(",")))
    };
    let cases = [
        Case::good("10,000 members", members(10_000), "1"),
        Case::new(
            "10,001 members",
            members(10_001),
            Expect::error("1", INVALID, 400),
        ),
    ];
    check(&[Sender::Modern, Sender::Legacy("2025-11-25")], &cases).await;
}
