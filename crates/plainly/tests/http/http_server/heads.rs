//! Hosts, origins, paths, methods and media types.

use plainly_peer::table::rows;

use super::support::{Server, statuses};

const TABLES: &str = include_str!("heads.txt");

/// Returns a request with these headers. Its body has four bytes, if no header gives the length.
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

/// Returns the headers in a cell of heads.txt.
fn listed(cell: &str) -> Vec<&str> {
    cell.split(" & ").filter(|header| *header != "-").collect()
}

/// Sends each set of headers in addition to otherwise valid ones, and expects this status. Only a
/// request with the status 200 may reach the handler.
async fn check<'a>(
    server: &Server,
    line: &str,
    others: &[&'a str],
    cases: impl IntoIterator<Item = [&'a str; 2]>,
) {
    for [headers, status] in cases {
        let before = server.echo.calls();
        let headers = [&listed(headers)[..], others].concat();
        let expected: u16 = status.parse().unwrap();
        let response = server.send(request(line, &headers, server.port())).await;
        let found = statuses(&response);
        assert_eq!(found, [expected], "{line} {headers:?}: {response}");
        assert_eq!(
            server.echo.calls() - before,
            usize::from(expected == 200),
            "{line} {headers:?}"
        );
        assert_eq!(
            response.to_ascii_lowercase().contains("access-control"),
            headers.contains(&"Origin: https://app.example.com"),
            "{headers:?}: {response}"
        );
        server.assert_lives(&format!("{line} {headers:?}")).await;
    }
}

#[tokio::test]
async fn only_the_own_names_are_answered_to() {
    let server = Server::start().await;
    check(&server, POST, &[JSON, BOTH, FOUR], rows(TABLES, "hosts")).await;
    check(
        &server,
        "POST /mcp HTTP/1.0",
        &[JSON, BOTH, FOUR],
        [["-", "400"], [HOST, "200"]],
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
        [[HOST, "200"], ["Host: 127.0.0.1:PORT", "400"], ["-", "400"]],
    )
    .await;
    let foreign = "POST http://evil.example/mcp HTTP/1.1";
    check(
        &server,
        foreign,
        &[JSON, BOTH, FOUR],
        [[HOST, "400"], ["Host: evil.example", "403"]],
    )
    .await;
}

#[tokio::test]
async fn pages_of_other_origins_are_turned_away() {
    let server = Server::start().await;
    check(
        &server,
        POST,
        &[HOST, JSON, BOTH, FOUR],
        rows(TABLES, "origins"),
    )
    .await;
}

#[tokio::test]
async fn what_was_allowed_is_let_in_and_its_likes_are_not() {
    let server = Server::with(|service| {
        service
            .allow_host("Files.example.com")
            .and_then(|service| service.allow_host("exact.example.com:8443"))
            .and_then(|service| service.allow_host("default.example.com:443"))
            .and_then(|service| service.allow_origin("https://App.example.com:443"))
            .and_then(|service| service.allow_origin("http://other.example.com:443"))
            .unwrap()
    })
    .await;
    check(
        &server,
        POST,
        &[JSON, BOTH, FOUR],
        rows(TABLES, "allowed hosts"),
    )
    .await;
    check(
        &server,
        POST,
        &[HOST, JSON, BOTH, FOUR],
        rows(TABLES, "allowed origins"),
    )
    .await;
}

#[tokio::test]
async fn what_cannot_be_allowed_is_said_at_once() {
    let service = || plainly::transport::http::HttpService::new(super::support::Echo::default());
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
    for [path, expected] in rows(TABLES, "paths") {
        check(
            &server,
            &format!("POST {path} HTTP/1.1"),
            &[HOST, JSON, BOTH, FOUR],
            [["-", expected]],
        )
        .await;
    }
}

#[tokio::test]
async fn a_delete_ends_a_session() {
    let server = Server::start().await;
    for [headers, expected] in rows(TABLES, "deletes") {
        let headers = listed(headers);
        let text = request("DELETE /mcp HTTP/1.1", &headers, server.port()).replace("1234", "");
        let response = server.send(text).await;
        let status: u16 = expected.parse().unwrap();
        assert_eq!(statuses(&response), [status], "{headers:?}: {response}");
        let found = response.contains("content-type");
        assert_eq!(found, expected == "403", "{response}");
    }
    assert_eq!((server.echo.calls(), server.echo.ended_sessions()), (0, 2));
}

#[tokio::test]
async fn simple_requests_of_browsers_run_nothing() {
    let server = Server::start().await;
    check(
        &server,
        POST,
        &[HOST, BOTH, FOUR],
        rows(TABLES, "media types"),
    )
    .await;
    let rebound = "Origin: https://evil.example & Content-Type: text/plain";
    check(&server, POST, &[HOST, BOTH, FOUR], [[rebound, "403"]]).await;
}

#[tokio::test]
async fn clients_must_take_both_kinds_of_answer() {
    let server = Server::start().await;
    check(
        &server,
        POST,
        &[HOST, JSON, FOUR],
        rows(TABLES, "accepted kinds"),
    )
    .await;
}

#[tokio::test]
async fn the_first_failing_check_answers() {
    let server = Server::start().await;
    for [line, headers, expected] in rows(TABLES, "order") {
        let headers = listed(headers);
        let response = server.send(request(line, &headers, server.port())).await;
        let found = statuses(&response)[0].to_string();
        assert_eq!(found, expected, "{line} {headers:?}: {response}");
        server.assert_lives(line).await;
    }
}

#[tokio::test]
async fn sessions_and_event_ids_are_nobodys_business_here() {
    let server = Server::start().await;
    let session = "Mcp-Session-Id: secret-session & Last-Event-ID: 7";
    check(&server, POST, &[HOST, JSON, BOTH, FOUR], [[session, "200"]]).await;
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
