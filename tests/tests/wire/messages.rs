//! What is a JSON-RPC message and what is not: versions, ids, methods, params; and whose replies carry which id.

use crate::case::{Case, Expect, check};
use crate::fixture::Fixture;
use crate::http::Http;
use crate::sender::{Sender, call, request};
use crate::stream::Stream;

const INVALID: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const PARAMS: i64 = -32602;

#[tokio::test]
async fn every_id_comes_back_byte_for_byte() {
    let ids = [
        "1",
        "\"1\"",
        "0",
        "\"0\"",
        "\"\"",
        "-1",
        "2147483648",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
        "\"\\u0031\"",
        "\"a\\n\\\"b\\\"\\\\\\/\"",
        "\"😀\"",
        "\"\\ud83d\\ude00\"",
    ];
    let mut cases: Vec<_> = ids
        .iter()
        .map(|id| Case::good(*id, call(id, "canary", "{}"), id))
        .collect();
    let long = format!("\"{}\"", "x".repeat(1024));
    cases.push(Case::good(
        "1,024 bytes",
        call(&long, "canary", "{}"),
        &long,
    ));
    check(&Sender::all(), &cases).await;
}

#[tokio::test]
async fn what_is_no_id_is_an_invalid_request_without_id() {
    let long = format!("\"{}\"", "x".repeat(1025));
    let ids = [
        "1.0",
        "1e0",
        "1.5",
        "-0",
        "null",
        "true",
        "{}",
        "[]",
        "[1]",
        "9223372036854775808",
        "18446744073709551615",
        "-9223372036854775809",
        "1000000000000000000000000000000",
        &long,
    ];
    let cases: Vec<_> = ids
        .iter()
        .map(|id| Case::new(*id, call(id, "canary", "{}"), Expect::no_message(INVALID)))
        .collect();
    check(&Sender::all(), &cases).await;
}

#[tokio::test]
async fn the_envelope_is_checked_before_anything_runs() {
    let with = |from: &str, to: &str| call("1", "canary", "{}").replacen(from, to, 1);
    let invalid = || Expect::error("1", INVALID, 400);
    let long = "x".repeat(1 << 20);
    let mut cases: Vec<_> = [
        ("no jsonrpc", with(r#""jsonrpc":"2.0","#, "")),
        ("jsonrpc 1.0", with(r#""2.0""#, r#""1.0""#)),
        ("jsonrpc as a number", with(r#""2.0""#, "2.0")),
        ("jsonrpc with a space", with(r#""2.0""#, r#""2.0 ""#)),
        ("jsonrpc null", with(r#""2.0""#, "null")),
        ("a method that is a number", with(r#""tools/call""#, "1")),
        ("a method that is null", with(r#""tools/call""#, "null")),
        ("a method that is an object", with(r#""tools/call""#, "{}")),
        ("a method of 1 MiB", with("tools/call", &long)),
        ("a method of 257 bytes", with("tools/call", &long[..257])),
        ("no method", with(r#""method":"tools/call","#, "")),
        (
            "method and result",
            with(r#""method""#, r#""result":{},"method""#),
        ),
        (
            "method and error",
            with(r#""method""#, r#""error":{"code":1,"message":""},"method""#),
        ),
        (
            "result and error",
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#.to_owned(),
        ),
    ]
    .map(|(name, bytes)| Case::new(name, bytes, invalid()))
    .into();
    for scalar in ["5", "\"x\"", "null", "true", "1.5", "{}"] {
        cases.push(Case::new(scalar, scalar, Expect::no_message(INVALID)));
    }
    check(&Sender::all(), &cases).await;
}

#[tokio::test]
async fn params_are_an_object_or_absent() {
    let cases: Vec<_> = ["[]", "null", "\"x\"", "1", "[{}]"]
        .iter()
        .map(|params| {
            let bytes =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            Case::new(
                format!("params {params}"),
                bytes,
                Expect::error("1", PARAMS, 400),
            )
        })
        .collect();
    check(&Sender::all(), &cases).await;
}

#[tokio::test]
async fn modern_requests_introduce_their_sender() {
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let metas = [
        ("empty", "{}".to_owned()),
        ("null", "null".to_owned()),
        ("an array", "[]".to_owned()),
        ("a string", "\"x\"".to_owned()),
        ("version only", format!("{{{version}}}")),
        ("a progress token only", r#"{"progressToken":1}"#.to_owned()),
        (
            "capabilities null",
            format!(r#"{{{version},"io.modelcontextprotocol/clientCapabilities":null}}"#),
        ),
        (
            "capabilities an array",
            format!(r#"{{{version},"io.modelcontextprotocol/clientCapabilities":[]}}"#),
        ),
        (
            "capabilities a string",
            format!(r#"{{{version},"io.modelcontextprotocol/clientCapabilities":"all"}}"#),
        ),
        (
            "client info a string",
            format!(r#"{{{version},{capabilities},"io.modelcontextprotocol/clientInfo":"me"}}"#),
        ),
        (
            "version a number",
            format!(r#"{{"io.modelcontextprotocol/protocolVersion":2026,{capabilities}}}"#),
        ),
        (
            "version null",
            format!(r#"{{"io.modelcontextprotocol/protocolVersion":null,{capabilities}}}"#),
        ),
        ("capabilities only", format!("{{{capabilities}}}")),
    ];
    let missing = || Expect::error("1", PARAMS, 400);
    let mut cases: Vec<_> = metas
        .into_iter()
        .map(|(name, meta)| {
            Case::new(
                name,
                call("1", "canary", "{}").replace("META", &meta),
                missing(),
            )
        })
        .collect();
    cases.push(Case::new(
        "params absent",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        missing(),
    ));
    check(&[Sender::Modern], &cases).await;
}

#[tokio::test]
async fn legacy_requests_need_no_params() {
    let cases = [
        "ping",
        "tools/list",
        "resources/list",
        "resources/templates/list",
    ]
    .map(|method| {
        let bytes = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
        Case::new(method, bytes, Expect::result("1"))
    });
    check(&Sender::legacy(), &cases).await;
}

#[tokio::test]
async fn unknown_methods_are_not_found() {
    let long = "x".repeat(256);
    let names = [
        "",
        " ",
        "rpc.x",
        "Tools/Call",
        "tools/call ",
        "tools",
        "prompts/list",
        "tasks/get",
        "resources/subscribe",
        "notifications/initialized",
        "notifications/unknown",
        &long,
    ];
    let cases = |status| {
        names.map(|name| {
            Case::new(
                name,
                request("1", name, ""),
                Expect::error("1", UNKNOWN_METHOD, status),
            )
        })
    };
    check(&Sender::legacy(), &cases(200)).await;
    // A header has no white space around it, so these methods can't be mirrored.
    let unmirrored = |case: Case, name: &str| match name {
        " " | "tools/call " => case.over_http(Expect::error("1", -32020, 400)),
        _ => case,
    };
    let modern: Vec<_> = cases(404)
        .into_iter()
        .zip(names)
        .map(|(case, name)| unmirrored(case, name))
        .collect();
    check(&[Sender::Modern], &modern).await;
    let lost = ["ping", "initialize", "logging/setLevel"].map(|name| {
        Case::new(
            name,
            request("1", name, ""),
            Expect::error("1", UNKNOWN_METHOD, 404),
        )
    });
    check(&[Sender::Modern], &lost).await;
    let not_yet = [Case::new(
        "server/discover",
        request("1", "server/discover", ""),
        Expect::error("1", UNKNOWN_METHOD, 200),
    )];
    check(&Sender::legacy(), &not_yet).await;
}

#[tokio::test]
async fn a_method_with_control_characters_is_nobodys() {
    let names = [
        r"tools/call\u0000",
        r"tools/call\n",
        r"\u0000",
        r"tools\r\n/call",
    ];
    let cases = |status| {
        names.map(|name| {
            Case::new(
                name,
                request("1", name, ""),
                Expect::error("1", UNKNOWN_METHOD, status),
            )
        })
    };
    check(&Sender::legacy(), &cases(200)).await;
    let modern = cases(404).map(|case| case.over_http(Expect::error("1", -32020, 400)));
    check(&[Sender::Modern], &modern).await;
}

#[tokio::test]
async fn names_with_nul_are_not_cut_short() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender)
            .await
            .saying_anything();
        for more in [
            r#""name":"canary\u0000""#,
            r#""name":"canary\u0000x","arguments":{}"#,
            r#""name":"\u0000canary""#,
        ] {
            let reply = stream.ask(&request("1", "tools/call", more)).await;
            assert!(
                reply.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"#),
                "{reply}"
            );
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
    let without_id = call("1", "canary", "{}").replace(r#""id":1,"#, "");
    let notification = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
    };
    let cases = [
        Case::new("a request without id", without_id, Expect::Silence),
        Case::new(
            "initialized",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            Expect::Silence,
        ),
        Case::new(
            "unknown",
            notification("notifications/unknown", "{}"),
            Expect::Silence,
        ),
        Case::new(
            "cancels nothing",
            notification("notifications/cancelled", r#"{"requestId":99}"#),
            Expect::Silence,
        ),
        Case::new(
            "cancels nobody",
            notification("notifications/cancelled", "{}"),
            Expect::Silence,
        ),
        Case::new(
            "cancels null",
            notification("notifications/cancelled", r#"{"requestId":null}"#),
            Expect::Silence,
        ),
        Case::new(
            "cancels an object",
            notification("notifications/cancelled", r#"{"requestId":{}}"#),
            Expect::Silence,
        ),
        Case::new(
            "progress",
            notification(
                "notifications/progress",
                r#"{"progressToken":1,"progress":1}"#,
            ),
            Expect::Silence,
        ),
    ];
    check(&Sender::all(), &cases).await;
}

#[tokio::test]
async fn a_notification_with_wrong_params_is_not_answered_on_a_stream() {
    let cases = ["[]", "null", "1"].map(|params| {
        let bytes =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#);
        Case::new(params, bytes, Expect::Silence).over_http(Expect::no_message(PARAMS))
    });
    check(&Sender::all(), &cases).await;
}

#[tokio::test]
async fn a_response_from_a_client_is_never_answered_with_a_message_of_ours() {
    let responses = [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
    ];
    let cases = responses.map(|bytes| Case::new(bytes, bytes, Expect::Silence));
    check(&Sender::legacy(), &cases).await;
    let modern = responses.map(|bytes| {
        Case::new(bytes, bytes, Expect::Silence).over_http(Expect::no_message(INVALID))
    });
    check(&[Sender::Modern], &modern).await;
}

#[tokio::test]
async fn two_servers_that_answer_each_other_fall_silent() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern)
        .await
        .saying_anything();
    let error = stream.ask("{").await;
    stream.send(&error).await;
    assert_eq!(
        stream.before_a_good_reply("an echoed error").await,
        [] as [String; 0]
    );
}

#[tokio::test]
async fn unreadable_lines_are_answered_100_times_and_then_rarely() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    stream.write("{\n".repeat(500).as_bytes()).await;
    let answers = stream.before_a_good_reply("a storm").await.len();
    assert!((100..150).contains(&answers), "{answers}");
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
