//! Headers that mirror the body, and the order of the checks of a request: the server reports the
//! first fault and reaches no later step.

use crate::fixture::Fixture;
use crate::sender::{META, MODERN, Sender, call, request};
use plainly_peer::table::cases;

const MISMATCH: i64 = -32020;
const VERSION: &str = "MCP-Protocol-Version: 2026-07-28\r\n";
const METHOD: &str = "Mcp-Method: tools/call\r\n";
const NAME: &str = "Mcp-Name: canary\r\n";

fn body() -> Vec<u8> {
    Sender::Modern.fill(call("1", "canary", "{}").as_bytes())
}

/// Sends a call of the tool `canary` with each set of headers, and checks the outcome.
async fn check(cases: &[(&str, String)], status: u16, code: Option<i64>) {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    let beginning = match code {
        Some(code) => format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"#),
        None => r#"{"jsonrpc":"2.0","id":1,"result":"#.to_owned(),
    };
    for (name, headers) in cases {
        let before = fixture.probe.ran();
        let reply = client.post(headers, &body()).await;
        let ran = fixture.probe.ran() - before;
        assert!(
            reply.status == status
                && reply.body.starts_with(&beginning)
                && ran == usize::from(code.is_none()),
            "{name}: {headers}{ran} runs, {reply:?}"
        );
    }
}

#[tokio::test]
async fn a_header_that_does_not_mirror_the_body_is_a_mismatch() {
    let mut cases = Vec::new();
    for (line, other) in [
        (VERSION, "2025-11-25"),
        (METHOD, "tools/list"),
        (NAME, "echo"),
    ] {
        let (name, value) = line.trim_end().split_once(": ").unwrap();
        let all = [VERSION, METHOD, NAME].concat();
        let with = |new: String| all.replace(line, &new);
        cases.extend([
            ("missing", with(String::new())),
            ("empty", with(format!("{name}:\r\n"))),
            ("there twice", with(format!("{line}{line}"))),
            (
                "joined by a comma",
                with(format!("{name}: {value}, {value}\r\n")),
            ),
            ("another", with(format!("{name}: {other}\r\n"))),
            (
                "good and another",
                with(format!("{line}{name}: {other}\r\n")),
            ),
            ("beyond ascii", with(format!("{name}: {value}é\r\n"))),
            ("with a tail", with(format!("{name}: {value}x\r\n"))),
        ]);
    }
    for line in ["Mcp-Method: Tools/Call\r\n", "Mcp-Method: TOOLS/CALL\r\n"] {
        cases.push(("in another case", [VERSION, line, NAME].concat()));
    }
    cases.push((
        "in another case",
        [VERSION, METHOD, "Mcp-Name: Canary\r\n"].concat(),
    ));
    for version in [
        "2026-7-28",
        "2026-07-28Z",
        "\"2026-07-28\"",
        "1900-01-01",
        "draft",
    ] {
        let line = format!("MCP-Protocol-Version: {version}\r\n");
        cases.push(("another version", [&line, METHOD, NAME].concat()));
    }
    check(&cases, 400, Some(MISMATCH)).await;
}

#[tokio::test]
async fn names_of_headers_have_no_case_and_values_no_white_space_around() {
    let cases = [
        ("upper case", [VERSION, METHOD, NAME].concat().to_uppercase().replace("TOOLS/CALL", "tools/call").replace("CANARY", "canary")),
        ("white space", "mcp-protocol-version: \t2026-07-28 \r\nmcp-method:tools/call\t\r\nmcp-name:   canary\r\n".to_owned()),
        ("others", [VERSION, METHOD, NAME, "Mcp-Param-X: 1\r\nMcp-Other: x\r\n"].concat()),
    ];
    check(&cases, 200, None).await;
}

#[tokio::test]
async fn encoded_names_are_decoded_strictly() {
    // The header encodes "canary" correctly, or almost.
    let header = |value: &str| [VERSION, METHOD, &format!("Mcp-Name: {value}\r\n")].concat();
    let good = [("encoded", header("=?base64?Y2FuYXJ5?="))];
    check(&good, 200, None).await;
    let bad = cases::<&str>(include_str!("headers.txt"), "encoded names");
    let bad: Vec<_> = bad
        .into_iter()
        .map(|value| (value, header(value)))
        .collect();
    check(&bad, 400, Some(MISMATCH)).await;
}

#[tokio::test]
async fn a_uri_is_mirrored_byte_by_byte() {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    let uri = "app://motd";
    let body = Sender::Modern
        .fill(request("1", "resources/read", &format!(r#""uri":"{uri}""#)).as_bytes());
    for (name, status) in [
        (uri, 200),
        ("app://motd/", 400),
        ("APP://motd", 400),
        ("app://mot%64", 400),
        ("app://motd?", 400),
    ] {
        let headers = format!("{VERSION}Mcp-Method: resources/read\r\nMcp-Name: {name}\r\n");
        let reply = client.post(&headers, &body).await;
        assert_eq!(reply.status, status, "{name}: {reply:?}");
    }
    // A method of an extension needs no name, but a wrong one is rejected.
    let body = Sender::Modern
        .fill(request("1", "resources/metadata", &format!(r#""uri":"{uri}""#)).as_bytes());
    for (name, is_mismatch) in [
        (String::new(), false),
        (format!("Mcp-Name: {uri}\r\n"), false),
        ("Mcp-Name: app://other\r\n".to_owned(), true),
    ] {
        let headers = format!("{VERSION}Mcp-Method: resources/metadata\r\n{name}");
        let reply = client.post(&headers, &body).await.json();
        assert_eq!(reply["error"]["code"] == MISMATCH, is_mismatch, "{reply}");
    }
    // A method without a name has nothing to contradict.
    let body = Sender::Modern.fill(request("1", "tools/list", "").as_bytes());
    let headers = format!("{VERSION}Mcp-Method: tools/list\r\nMcp-Name: anything\r\n");
    assert_eq!(client.post(&headers, &body).await.status, 200);
    assert_eq!(fixture.probe.ran(), 1);
}

#[tokio::test]
async fn a_name_beyond_ascii_travels_encoded() {
    let (_, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    let body = Sender::Modern.fill(request("1", "resources/read", r#""uri":"app://ü""#).as_bytes());
    let headers =
        format!("{VERSION}Mcp-Method: resources/read\r\nMcp-Name: =?base64?YXBwOi8vw7w=?=\r\n");
    let reply = client.post(&headers, &body).await;
    // The server looked up the URI, so the header matched.
    assert!(
        reply.status == 200 && reply.body.contains(r#""data":{"uri":"app://ü"}"#),
        "{reply:?}"
    );
}

#[tokio::test]
async fn a_header_that_is_not_ascii_or_there_twice_is_told_with_what_came() {
    let (_, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    let body = Sender::Modern.fill(request("1", "resources/read", r#""uri":"日""#).as_bytes());
    let read = "Mcp-Method: resources/read\r\n";
    for (headers, said) in [
        (
            format!("{VERSION}{read}Mcp-Name: 日\r\n"),
            r#"Mcp-Name is "日", which is not visible ASCII: encode it, as =?base64?5pel?="#,
        ),
        (
            format!("{VERSION}{read}Mcp-Name: a\r\nMcp-Name: \u{9b}2J\r\n"),
            r#"Mcp-Name is given more than once, also as "\u{9b}2J""#,
        ),
        (
            format!("{VERSION}{read}Mcp-Name: =?base64?x?=\r\n"),
            r#"Mcp-Name is "=?base64?x?=": header value contains invalid base64"#,
        ),
        (
            format!("{VERSION}Mcp-Method: läs\r\nMcp-Name: =?base64?5pel?=\r\n"),
            r#"Mcp-Method is "läs", which is not visible ASCII"#,
        ),
        (
            format!("MCP-Protocol-Version: é\r\n{read}Mcp-Name: =?base64?5pel?=\r\n"),
            r#"MCP-Protocol-Version is "é", which is not visible ASCII"#,
        ),
    ] {
        let reply = client.post(&headers, &body).await;
        let error = &reply.json()["error"];
        let found = (reply.status, &error["code"], &error["message"]);
        let said = format!("Header mismatch: {said}");
        assert_eq!(found, (400, &MISMATCH.into(), &said.into()), "{headers}");
    }
}

#[tokio::test]
async fn legacy_sessions_ignore_the_headers_that_mirror() {
    let (_, http) = Fixture::listening().await;
    for sender in Sender::legacy() {
        let client = http.client(sender).await;
        let body = sender.fill(call("1", "canary", "{}").as_bytes());
        let headers = client.headers(&body) + "Mcp-Method: nope\r\nMcp-Name: nope\r\n";
        assert_eq!(client.post(&headers, &body).await.status, 200);
    }
}

/// One request for each step of the checks, wrong from that step on. The server always reports the
/// first fault.
#[tokio::test]
async fn a_request_is_checked_in_order_and_nothing_after_the_first_fault_is_reached() {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await.saying_anything();
    let wrong_headers = "MCP-Protocol-Version: 1900-01-01\r\nMcp-Method: x\r\nMcp-Name: y\r\n";
    let old = |template: String| template.replace("META", META).replace(MODERN, "1900-01-01");
    let old_header = "MCP-Protocol-Version: 1900-01-01\r\n";
    let unknown = request("1", "nope", r#""name":"nope""#);
    let no_tool = request("1", "tools/call", r#""name":1,"arguments":[]"#);
    let modern = |template: &str| template.replace("META", META);
    #[rustfmt::skip]
    let steps = [
        ("json", wrong_headers.to_owned(), "{\"jsonrpc\":\"1.0\",".to_owned(), 400, -32700),
        ("envelope", wrong_headers.to_owned(), r#"{"jsonrpc":"1.0","id":1,"method":"nope","params":[]}"#.to_owned(), 400, -32600),
        ("params", wrong_headers.to_owned(), r#"{"jsonrpc":"2.0","id":1,"method":"nope","params":[]}"#.to_owned(), 400, -32602),
        ("version header against _meta", wrong_headers.to_owned(), modern(&unknown), 400, -32020),
        (
            "headers that are there twice",
            format!("{VERSION}Mcp-Method: nope\r\nMcp-Method: nope\r\n"),
            unknown.replace("META", "{}"),
            400,
            -32020,
        ),
        ("headers in visible ASCII", format!("{VERSION}Mcp-Method: n\u{f6}pe\r\n"), unknown.replace("META", "{}"), 400, -32020),
        (
            "names that are there twice",
            format!("{VERSION}{METHOD}{NAME}{NAME}"),
            request("1", "tools/call", r#""name":"canary""#).replace("META", "{}"),
            400,
            -32020,
        ),
        ("_meta complete", format!("{VERSION}Mcp-Method: x\r\n"), unknown.replace("META", "{}"), 400, -32602),
        ("version supported", format!("{old_header}Mcp-Method: x\r\nMcp-Name: y\r\n"), old(unknown.clone()), 400, -32022),
        ("method header", format!("{VERSION}Mcp-Method: x\r\nMcp-Name: y\r\n"), modern(&unknown), 400, -32020),
        ("method known", format!("{VERSION}Mcp-Method: nope\r\nMcp-Name: y\r\n"), modern(&unknown), 404, -32601),
        ("params of the method", format!("{VERSION}{METHOD}"), modern(&no_tool), 200, -32602),
    ];
    for (step, headers, body, status, code) in steps {
        let reply = client.post(&headers, body.as_bytes()).await;
        assert!(
            reply.status == status && reply.json()["error"]["code"] == code,
            "{step}: expected {status} {code}, got {reply:?}"
        );
    }
    assert_eq!(fixture.probe.ran(), 0);
}

/// Requests that HTTP refuses: method, headers, body, status and message. The message has the value
/// that was sent and the expected one.
const REFUSED: [(&str, &str, &str, u16, &str); 14] = [
    (
        "POST",
        "Host: evil.example:1\r\n",
        "",
        403,
        "Forbidden: this server does not accept the Host \"evil.example:1\"; if clients should reach the server by this name, allow it (--allow-host, allow_host)",
    ),
    (
        "POST",
        "HOSTOrigin: https://evil.example\r\n",
        "",
        403,
        "Forbidden: requests from the Origin \"https://evil.example\" are not allowed; if pages of this origin should use the server, allow it (--allow-origin, allow_origin)",
    ),
    (
        "POST",
        "HOSTOrigin: null\r\n",
        "",
        403,
        "Forbidden: requests from the Origin \"null\" are not allowed",
    ),
    (
        "POST",
        "HOSTOrigin: \u{9b}2J\r\n",
        "",
        403,
        "Forbidden: requests from the Origin \"\\u{9b}2J\" are not allowed",
    ),
    (
        "POST",
        "HOSTOrigin: null\r\nOrigin: null\r\n",
        "",
        403,
        "Forbidden: Origin is given more than once",
    ),
    (
        "POST",
        "HOSTHOST",
        "",
        400,
        "Bad request: Host is given more than once",
    ),
    (
        "POST",
        "Host: a b\r\n",
        "",
        400,
        "Bad request: invalid Host \"a b\": expected a host name and an optional port",
    ),
    (
        "POST",
        "HOSTContent-Type:\r\n",
        "{}",
        415,
        "Unsupported media type: Content-Type is empty. Send the message as application/json",
    ),
    (
        "POST",
        "HOSTContent-Type: ; boundary=x\r\n",
        "{}",
        415,
        "Unsupported media type: Content-Type \"; boundary=x\" names no type. Send the message as application/json",
    ),
    (
        "POST",
        "HOSTTYPESContent-Encoding:\r\n",
        "{}",
        415,
        "Unsupported media type: Content-Encoding is empty. Send the body without it",
    ),
    (
        "POST",
        "HOSTTYPESContent-Length: 10\r\n",
        "{}",
        400,
        "Bad request: the body is incomplete: it breaks off after 2 of 10 bytes",
    ),
    (
        "POST",
        "HOSTTYPESTransfer-Encoding: chunked\r\n",
        "x\r\n{}\r\n",
        400,
        "Bad request: the body is incomplete: its chunks are malformed, or it breaks off before the last one",
    ),
    (
        "POST",
        "HOSTTYPES",
        "",
        400,
        "Parse error: the message is empty",
    ),
    (
        "POST",
        "HOSTTYPESContent-Length: 99999999\r\n",
        "",
        413,
        "Payload too large: a message may have at most 4194304 bytes",
    ),
];

#[tokio::test]
async fn what_http_refuses_is_told_with_what_came_and_what_would_do() {
    let (_, http) = Fixture::listening().await;
    let host = format!("Host: {}\r\n", http.address);
    let types = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    for (method, headers, body, status, said) in REFUSED {
        let headers = headers.replace("HOST", &host).replace("TYPES", types);
        let request = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\n{headers}\r\n{body}");
        let reply = http.cut(request.as_bytes()).await;
        let found = (reply.status, &reply.json()["error"]["message"]);
        assert_eq!(found, (status, &said.into()), "{headers}");
    }
}

/// HTTP's own refusals come before errors in the message.
#[tokio::test]
async fn what_http_refuses_is_refused_before_the_message_is_read() {
    let (fixture, http) = Fixture::listening().await;
    let address = http.address;
    let good_body = String::from_utf8(body()).unwrap();
    let mirror = [VERSION, METHOD, NAME].concat();
    let json = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let host = format!("Host: {address}\r\n");
    #[rustfmt::skip]
    let rows = [
        ("foreign host", "POST /mcp", "Host: evil.example\r\nOrigin: https://evil.example\r\n".to_owned(), 403),
        ("foreign origin", "POST /nope", format!("{host}Origin: https://evil.example\r\n"), 403),
        ("null origin", "PUT /mcp", format!("{host}Origin: null\r\n{json}"), 403),
        ("path", "PUT /nope", host.clone(), 404),
        ("method", "PUT /mcp", host.clone(), 405),
        ("get", "GET /mcp", format!("{host}{json}"), 405),
        ("media type", "POST /mcp", format!("{host}Content-Type: text/plain\r\n"), 415),
        ("accept", "POST /mcp", format!("{host}Content-Type: application/json\r\nAccept: text/html\r\n"), 406),
    ];
    for (row, line, headers, status) in rows {
        let request = format!(
            "{line} HTTP/1.1\r\n{headers}{mirror}Connection: close\r\nContent-Length: {}\r\n\r\n{good_body}",
            good_body.len()
        );
        let reply = http.raw(request.as_bytes()).await;
        assert!(
            reply.status == status
                && reply.json()["error"]["code"] == -32600
                && reply.json().get("id").is_none(),
            "{row}: expected {status}, got {reply:?}"
        );
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    assert_eq!(fixture.probe.ran(), 0);
    let good = http
        .client(Sender::Modern)
        .await
        .send(call("1", "canary", "{}"))
        .await;
    assert_eq!(good.status, 200);
}
