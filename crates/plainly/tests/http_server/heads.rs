//! Hosts, origins, paths, methods and media types.

use crate::support::{Server, statuses};

/// A request from its request line and headers, with a body of four bytes where the length is not given.
fn request(line: &str, headers: &[&str], port: u16) -> String {
    let mut text = format!("{line}\r\n");
    for header in headers {
        text.push_str(&header.replace("PORT", &port.to_string()));
        text.push_str("\r\n");
    }
    text + "\r\n1234"
}

const POST: &str = "POST /mcp HTTP/1.1";
const HOST: &str = "Host: localhost:PORT";
const JSON: &str = "Content-Type: application/json";
const BOTH: &str = "Accept: application/json, text/event-stream";
const FOUR: &str = "Content-Length: 4";

/// Sends each set of headers beside otherwise good ones, and expects this status; only 200 may reach the handler.
async fn check(server: &Server, line: &str, others: &[&str], cases: &[(&[&str], u16)]) {
    for (headers, expected) in cases {
        let before = server.echo.calls();
        let headers = [*headers, others].concat();
        let response = server.send(request(line, &headers, server.port())).await;
        assert_eq!(
            statuses(&response),
            [*expected],
            "{line} {headers:?}: {response}"
        );
        assert_eq!(
            server.echo.calls() - before,
            usize::from(*expected == 200),
            "{line} {headers:?}"
        );
        assert!(
            !response.to_ascii_lowercase().contains("access-control"),
            "{headers:?}: {response}"
        );
        server.assert_lives(&format!("{line} {headers:?}")).await;
    }
}

#[tokio::test]
async fn only_the_own_names_are_answered_to() {
    let server = Server::start().await;
    let cases: &[(&[&str], u16)] = &[
        (&["Host: localhost:PORT"], 200),
        (&["Host: LocalHost:PORT"], 200),
        (&["Host: 127.0.0.1:PORT"], 200),
        (&["Host: [::1]:PORT"], 200),
        (&["Host: evil.example:PORT"], 403),
        (&["Host: localhost.evil.example:PORT"], 403),
        (&["Host: 127.0.0.1.evil:PORT"], 403),
        (&["Host: localhost.:PORT"], 403),
        (&["Host: localhost:1"], 403),
        (&["Host: localhost"], 403),
        (&["Host: [::ffff:127.0.0.1]:PORT"], 403),
        (&["Host: [::]:PORT"], 403),
        (&["Host: 0:PORT"], 403),
        (&["Host: 2130706433:PORT"], 403),
        (&["Host: 127.1:PORT"], 403),
        (&["Host: 0x7f000001:PORT"], 403),
        (&[], 400),
        (&["Host:"], 400),
        (&["Host: localhost:PORT", "Host: localhost:PORT"], 400),
        (&["Host: localhost:PORT", "Host: evil.example"], 400),
        (&["Host: user@localhost:PORT"], 400),
        (&["Host: localhost:PORT, evil.example"], 400),
        (&["Host: localhost:"], 400),
        (&["Host: localhost:99999"], 400),
        (&["Host: localhost:+80"], 400),
        (&["Host: [::1"], 400),
        (&["Host: localhost/x:PORT"], 400),
        (&["Host: lo calhost:PORT"], 400),
        (&["Host: löcalhost:PORT"], 400),
    ];
    check(&server, POST, &[JSON, BOTH, FOUR], cases).await;
    check(
        &server,
        "POST /mcp HTTP/1.0",
        &[JSON, BOTH, FOUR],
        &[(&[], 400), (&[HOST], 200)],
    )
    .await;
}

#[tokio::test]
async fn the_target_must_name_the_same_host() {
    let server = Server::start().await;
    let own = format!("POST http://localhost:{}/mcp HTTP/1.1", server.port());
    check(
        &server,
        &own,
        &[JSON, BOTH, FOUR],
        &[(&[HOST], 200), (&["Host: 127.0.0.1:PORT"], 400), (&[], 400)],
    )
    .await;
    let foreign = "POST http://evil.example/mcp HTTP/1.1";
    check(
        &server,
        foreign,
        &[JSON, BOTH, FOUR],
        &[(&[HOST], 400), (&["Host: evil.example"], 403)],
    )
    .await;
}

#[tokio::test]
async fn pages_of_other_origins_are_turned_away() {
    let server = Server::start().await;
    let cases: &[(&[&str], u16)] = &[
        (&[], 200),
        (&["Origin: http://localhost:PORT"], 200),
        (&["Origin: http://127.0.0.1:PORT"], 200),
        (&["Origin: http://[::1]:PORT"], 200),
        (&["Origin: null"], 403),
        (&["Origin:"], 403),
        (&["Origin: https://evil.example"], 403),
        (&["Origin: http://localhost.evil:PORT"], 403),
        (&["Origin: http://evil.example:PORT"], 403),
        (&["Origin: https://localhost:PORT"], 403),
        (&["Origin: http://localhost:1"], 403),
        (&["Origin: http://localhost"], 403),
        (&["Origin: HTTP://LOCALHOST:PORT"], 403),
        (&["Origin: http://localhost:PORT/"], 403),
        (&["Origin: http://user@localhost:PORT"], 403),
        (&["Origin: http://löcalhost:PORT"], 403),
        (&["Origin: localhost:PORT"], 403),
        (
            &[
                "Origin: http://localhost:PORT",
                "Origin: http://localhost:PORT",
            ],
            403,
        ),
        (
            &[
                "Origin: http://localhost:PORT",
                "Origin: https://evil.example",
            ],
            403,
        ),
        (
            &["Origin: http://localhost:PORT, https://evil.example"],
            403,
        ),
        (
            &["Origin: https://evil.example", "Authorization: Bearer x"],
            403,
        ),
    ];
    check(&server, POST, &[HOST, JSON, BOTH, FOUR], cases).await;
}

#[tokio::test]
async fn what_was_allowed_is_let_in_and_its_likes_are_not() {
    let server = Server::with(|service| {
        service
            .allow_host("Files.example.com")
            .and_then(|service| service.allow_host("exact.example.com:8443"))
            .and_then(|service| service.allow_origin("https://App.example.com"))
            .unwrap()
    })
    .await;
    let hosts: &[(&[&str], u16)] = &[
        (&["Host: files.example.com"], 200),
        (&["Host: FILES.example.com:9"], 200),
        (&["Host: exact.example.com:8443"], 200),
        (&["Host: exact.example.com"], 403),
        (&["Host: files.example.com.evil"], 403),
        (&["Host: localhost:PORT"], 200),
    ];
    check(&server, POST, &[JSON, BOTH, FOUR], hosts).await;
    let origins: &[(&[&str], u16)] = &[
        (&["Origin: https://app.example.com"], 200),
        (&["Origin: http://app.example.com"], 403),
        (&["Origin: https://app.example.com:8443"], 403),
        (&["Origin: https://app.example.com.evil"], 403),
        (&["Origin: https://files.example.com"], 403),
    ];
    check(&server, POST, &[HOST, JSON, BOTH, FOUR], origins).await;
}

#[tokio::test]
async fn what_cannot_be_allowed_is_said_at_once() {
    let service = || plainly::transport::http::HttpService::new(crate::support::Echo::default());
    for host in [
        "",
        "https://example.com",
        "*",
        "a b",
        "example.com:x",
        "u@example.com",
    ] {
        assert!(service().allow_host(host).is_err(), "{host}");
    }
    for origin in [
        "",
        "example.com",
        "*",
        "null",
        "https://",
        "https://example.com/",
        "://example.com",
    ] {
        assert!(service().allow_origin(origin).is_err(), "{origin}");
    }
}

#[tokio::test]
async fn without_a_session_only_post_is_a_method_and_only_the_endpoint_is_a_path() {
    let server = Server::start().await;
    for method in [
        "GET", "PUT", "PATCH", "HEAD", "TRACE", "OPTIONS", "MADEUP", "post",
    ] {
        let line = format!("{method} /mcp HTTP/1.1");
        let preflight = [
            "Origin: http://localhost:PORT",
            "Access-Control-Request-Private-Network: true",
            HOST,
        ];
        let text = request(&line, &preflight, server.port()).replace("1234", "");
        let response = server.send(text).await;
        assert_eq!(statuses(&response), [405], "{method}: {response}");
        assert!(
            response
                .to_ascii_lowercase()
                .contains("\r\nallow: post, get, delete\r\n"),
            "{method}: {response}"
        );
        assert!(
            !response.to_ascii_lowercase().contains("access-control"),
            "{method}: {response}"
        );
    }
    let connect = server
        .send(format!(
            "CONNECT localhost:{0} HTTP/1.1\r\nHost: localhost:{0}\r\n\r\n",
            server.port()
        ))
        .await;
    assert_eq!(statuses(&connect), [404], "{connect}");
    let paths: &[(&str, u16)] = &[
        ("/mcp?session=1", 200),
        ("/", 404),
        ("/mcp/", 404),
        ("/MCP", 404),
        ("/mcp/..", 404),
        ("/%6dcp", 404),
        ("//mcp", 404),
        ("*", 404),
    ];
    for (path, expected) in paths {
        check(
            &server,
            &format!("POST {path} HTTP/1.1"),
            &[HOST, JSON, BOTH, FOUR],
            &[(&[], *expected)],
        )
        .await;
    }
}

#[tokio::test]
async fn a_delete_ends_a_session() {
    let server = Server::start().await;
    let cases: &[(&[&str], u16)] = &[
        (&[HOST, "Mcp-Session-Id: x"], 204),
        (&[HOST], 400),
        (&["Host: evil.example"], 403),
        (
            &[HOST, "Origin: https://evil.example", "Mcp-Session-Id: x"],
            403,
        ),
    ];
    for (headers, expected) in cases {
        let text = request("DELETE /mcp HTTP/1.1", headers, server.port()).replace("1234", "");
        let response = server.send(text).await;
        assert_eq!(statuses(&response), [*expected], "{headers:?}: {response}");
        assert_eq!(
            response.contains("content-type"),
            *expected == 403,
            "{response}"
        );
    }
    assert_eq!((server.echo.calls(), server.echo.ended_sessions()), (0, 2));
}

#[tokio::test]
async fn simple_requests_of_browsers_run_nothing() {
    let server = Server::start().await;
    let cases: &[(&[&str], u16)] = &[
        (&[JSON], 200),
        (&["Content-Type: APPLICATION/JSON; charset=UTF-8"], 200),
        (&[], 415),
        (&["Content-Type: text/plain"], 415),
        (&["Content-Type: application/x-www-form-urlencoded"], 415),
        (&["Content-Type: multipart/form-data; boundary=x"], 415),
        (&["Content-Type: application/jsonx"], 415),
        (&["Content-Type: application/json-patch+json"], 415),
        (&["Content-Type: text/json"], 415),
        (&["Content-Type: application/json; charset=utf-16"], 415),
        (&[JSON, JSON], 415),
        (&[JSON, "Content-Encoding: identity"], 200),
        (&[JSON, "Content-Encoding: gzip"], 415),
        (&[JSON, "Content-Encoding: br"], 415),
        (
            &[JSON, "Content-Encoding: identity", "Content-Encoding: zstd"],
            415,
        ),
    ];
    check(&server, POST, &[HOST, BOTH, FOUR], cases).await;
    let rebound: &[(&[&str], u16)] = &[(
        &["Origin: https://evil.example", "Content-Type: text/plain"],
        403,
    )];
    check(&server, POST, &[HOST, BOTH, FOUR], rebound).await;
}

#[tokio::test]
async fn clients_must_take_both_kinds_of_answer() {
    let server = Server::start().await;
    let cases: &[(&[&str], u16)] = &[
        (&[BOTH], 200),
        (&["Accept: */*"], 200),
        (&["Accept: application/*, text/*"], 200),
        (
            &[
                "Accept: application/json",
                "Accept: text/event-stream;q=0.5",
            ],
            200,
        ),
        (&[], 406),
        (&["Accept: application/json"], 406),
        (&["Accept: text/event-stream"], 406),
        (&["Accept: application/json;q=0, text/event-stream"], 406),
        (&["Accept: application/jsonp, text/event-stream"], 406),
    ];
    check(&server, POST, &[HOST, JSON, FOUR], cases).await;
}

#[tokio::test]
async fn the_first_failing_check_answers() {
    let server = Server::start().await;
    let cases: &[(&str, &[&str], u16)] = &[
        (
            "GET /nope HTTP/1.1",
            &[
                "Host: evil.example",
                "Origin: null",
                "Content-Type: text/plain",
            ],
            403,
        ),
        ("GET /nope HTTP/1.1", &[HOST, "Origin: null"], 403),
        ("GET /nope HTTP/1.1", &[HOST], 404),
        (
            "GET /mcp HTTP/1.1",
            &[HOST, "Content-Type: text/plain"],
            405,
        ),
        (
            POST,
            &[
                HOST,
                "Content-Type: text/plain",
                "Content-Length: 99999999999",
            ],
            415,
        ),
        (POST, &[HOST, JSON, "Content-Length: 99999999999"], 406),
        (
            POST,
            &[HOST, JSON, BOTH, "Content-Length: 99999999999"],
            413,
        ),
    ];
    for (line, headers, expected) in cases {
        let response = server.send(request(line, headers, server.port())).await;
        assert_eq!(
            statuses(&response).first(),
            Some(expected),
            "{line} {headers:?}: {response}"
        );
        server.assert_lives(line).await;
    }
}

#[tokio::test]
async fn sessions_and_event_ids_are_nobodys_business_here() {
    let server = Server::start().await;
    let cases: &[(&[&str], u16)] =
        &[(&["Mcp-Session-Id: secret-session", "Last-Event-ID: 7"], 200)];
    check(&server, POST, &[HOST, JSON, BOTH, FOUR], cases).await;
    let response = server
        .send(request(
            POST,
            &[HOST, JSON, BOTH, FOUR, "Mcp-Session-Id: secret-session"],
            server.port(),
        ))
        .await;
    assert!(!response.contains("secret-session"), "{response}");
}

#[tokio::test]
async fn answers_say_what_they_are_and_empty_ones_nothing() {
    let server = Server::start().await;
    let full = server.send(server.good("[2]")).await;
    assert!(
        full.contains("\r\ncontent-type: application/json\r\n")
            && full.contains("\r\ncontent-length: 3\r\n"),
        "{full}"
    );
    let empty = server.send(server.good("\"notification\"")).await;
    assert_eq!(statuses(&empty), [202]);
    assert!(
        !empty.contains("content-type") && empty.ends_with("\r\n\r\n"),
        "{empty}"
    );
    let refused = server
        .send(
            server
                .good("[3]")
                .replace("application/json\r\nAccept", "text/plain\r\nAccept"),
        )
        .await;
    assert!(
        refused.contains("unsupported_media_type")
            && refused.contains("\r\ncontent-type: application/json\r\n"),
        "{refused}"
    );
}
