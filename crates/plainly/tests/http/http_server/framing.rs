//! The bounds of a body. The bytes after it must never be read as a request by mistake.

use super::cases;
use super::support::{Server, statuses};

/// Returns a complete request that must never run, because the server counts its calls.
fn canary(server: &Server) -> String {
    server.good("\"canary\"")
}

fn head(server: &Server, headers: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nAccept: */*\r\n{headers}\r\n",
        server.port()
    )
}

/// Checks that the server rejects `bytes` with one response, and runs nothing that follows on the
/// connection.
async fn assert_refused(server: &Server, what: &str, bytes: &[u8], expected: &[u16]) {
    let before = server.echo.calls();
    let response = server.send(bytes).await;
    let statuses = statuses(&response);
    assert!(
        statuses.len() == 1 && expected.contains(&statuses[0]),
        "{what}: {response}"
    );
    assert_eq!(server.echo.calls(), before, "{what} ran something");
    server.assert_lives(what).await;
}

#[tokio::test]
async fn lengths_that_are_none_are_refused() {
    let server = Server::start().await;
    let lengths = cases::<&str>("no lengths");
    for length in lengths {
        let text =
            head(&server, &format!("Content-Length: {length}\r\n")) + "12345" + &canary(&server);
        assert_refused(&server, length, text.as_bytes(), &[400, 413, 431]).await;
    }
    let two =
        head(&server, "Content-Length: 5\r\nContent-Length: 6\r\n") + "12345" + &canary(&server);
    assert_refused(&server, "two lengths", two.as_bytes(), &[400]).await;
}

#[tokio::test]
async fn heads_that_two_servers_could_read_differently_are_refused() {
    let server = Server::start().await;
    let headers = cases::<(&str, &str)>("ambiguous heads");
    for (what, headers) in headers {
        let text = head(&server, headers) + "12345" + &canary(&server);
        assert_refused(&server, what, text.as_bytes(), &[400]).await;
    }
    let old = head(&server, "Transfer-Encoding: chunked\r\n").replace("HTTP/1.1", "HTTP/1.0")
        + "0\r\n\r\n"
        + &canary(&server);
    assert_refused(&server, "chunked in HTTP/1.0", old.as_bytes(), &[400]).await;
    for line in [
        "POST  /mcp HTTP/1.1",
        "POST /mcp HTTP/3.0",
        "POST /mcp",
        "POST /m cp HTTP/1.1",
        "\0",
        "P\nOST /mcp HTTP/1.1",
    ] {
        let text = head(&server, "Content-Length: 0\r\n").replace("POST /mcp HTTP/1.1", line)
            + &canary(&server);
        assert_refused(&server, line, text.as_bytes(), &[400]).await;
    }
    // A peer that speaks HTTP/2 gets no answer, because it would read one as HTTP/2.
    let other = server
        .send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    assert_eq!(other, "");
    server.assert_lives("HTTP/2").await;
}

#[tokio::test]
async fn behind_a_chunked_body_there_is_no_request() {
    let server = Server::start().await;
    let smuggled = canary(&server);
    for lengths in ["", "Content-Length: 3\r\n", "Content-Length: 300\r\n"] {
        for order in [
            format!("{lengths}Transfer-Encoding: chunked\r\n"),
            format!("Transfer-Encoding: chunked\r\n{lengths}"),
        ] {
            let before = server.echo.calls();
            let text = head(&server, &order) + "3\r\n[4]\r\n0\r\n\r\n" + &smuggled;
            let response = server.send(text).await;
            assert_eq!(statuses(&response), [200], "{order}: {response}");
            assert!(
                response.contains("\r\nconnection: close\r\n") && response.ends_with("[4]"),
                "{order}: {response}"
            );
            assert_eq!(server.echo.calls() - before, 1, "{order}");
            server.assert_lives(&order).await;
        }
    }
}

#[tokio::test]
async fn chunks_that_are_none_are_refused() {
    let server = Server::start().await;
    let chunked = head(&server, "Transfer-Encoding: chunked\r\n");
    let bodies = [
        ("size too large", "10000000000000000\r\n".to_owned()),
        ("negative size", "-1\r\n1\r\n0\r\n\r\n".to_owned()),
        ("size with a sign", "+3\r\n[4]\r\n0\r\n\r\n".to_owned()),
        ("size in 0x", "0x3\r\n[4]\r\n0\r\n\r\n".to_owned()),
        ("no size", "\r\n[4]\r\n0\r\n\r\n".to_owned()),
        ("longer than its size", "3\r\n[4]5\r\n0\r\n\r\n".to_owned()),
        ("bare LF", "3\n[4]\n0\n\n".to_owned()),
        (
            "endless extension",
            format!("3;{}\r\n[4]\r\n0\r\n\r\n", "x".repeat(1 << 20)),
        ),
        (
            "endless trailers",
            format!("3\r\n[4]\r\n0\r\nX: {}\r\n\r\n", "x".repeat(1 << 20)),
        ),
        ("cut off", "3\r\n[".to_owned()),
    ];
    for (what, body) in bodies {
        let text = chunked.clone() + &body + &canary(&server);
        // The largest body may be rejected before it is read.
        assert_refused(&server, what, text.as_bytes(), &[400, 413]).await;
    }
    let most = chunked + "FFFFFFFFFFFFFFFF\r\n" + &canary(&server);
    assert_refused(&server, "the largest size", most.as_bytes(), &[400, 413]).await;
}

#[tokio::test]
async fn a_body_shorter_than_its_length_is_refused_and_a_longer_one_is_no_request() {
    let server = Server::start().await;
    let short = head(&server, "Content-Length: 10\r\n") + "[5]";
    assert_refused(&server, "short body", short.as_bytes(), &[400]).await;
    let before = server.echo.calls();
    let long = server
        .send(head(&server, "Content-Length: 3\r\n") + "[5]garbage\r\n\r\n")
        .await;
    assert_eq!(statuses(&long), [200, 400], "{long}");
    assert_eq!(server.echo.calls() - before, 1);
    server.assert_lives("long body").await;
    let none = server.send(head(&server, "")).await;
    let found = statuses(&none);
    assert_eq!(found, [200], "without a length there is no body: {none}");
}

#[tokio::test]
async fn a_message_at_the_limit_passes_and_one_byte_more_does_not() {
    let server = Server::with_limits(|limits| limits.message_bytes = 1_000).await;
    let (at, over) = ("x".repeat(1_000), "x".repeat(1_001));
    assert!(server.send(server.good(&at)).await.ends_with(&at));
    let refused = server.send(server.good(&over)).await;
    assert!(
        statuses(&refused) == [413] && refused.contains("\r\nconnection: close\r\n"),
        "{refused}"
    );
    let chunked = |body: &str| {
        head(&server, "Transfer-Encoding: chunked\r\n")
            + &format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
    };
    assert!(server.send(chunked(&at)).await.ends_with(&at));
    assert_refused(
        &server,
        "one byte more in chunks",
        chunked(&over).as_bytes(),
        &[413],
    )
    .await;
    let many =
        head(&server, "Transfer-Encoding: chunked\r\n") + &"1\r\nx\r\n".repeat(1_001) + "0\r\n\r\n";
    assert_refused(&server, "many small chunks", many.as_bytes(), &[413]).await;
    let pieces =
        head(&server, "Transfer-Encoding: chunked\r\n") + &"1\r\nx\r\n".repeat(1_000) + "0\r\n\r\n";
    let joined = server.send(pieces).await;
    assert!(joined.ends_with(&at), "{joined}");
}

#[tokio::test]
async fn who_sends_all_of_a_body_that_is_too_large_before_it_reads_is_told() {
    let server = Server::with_limits(|limits| limits.message_bytes = 1_000).await;
    let large = server.good(&"x".repeat(8 << 20));
    let mut client = server.connect().await;
    client.write(large).await;
    assert_eq!(statuses(&client.read_to_end().await), [413]);
}

#[tokio::test]
async fn a_body_that_never_ends_stops_being_read() {
    let server = Server::with_limits(|limits| limits.message_bytes = 1_000).await;
    let mut client = server.connect().await;
    client
        .write(head(&server, "Transfer-Encoding: chunked\r\n"))
        .await;
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, "x".repeat(1 << 16));
    // The server stops reading and closes the connection, so that a later write fails.
    let mut written = 0;
    while tokio::io::AsyncWriteExt::write_all(&mut client.0, chunk.as_bytes())
        .await
        .is_ok()
    {
        written += chunk.len();
        assert!(written < 256 << 20, "the server goes on reading");
    }
    assert_eq!(server.echo.calls(), 0);
    server.assert_lives("an endless body").await;
}

#[tokio::test]
async fn who_asks_before_sending_too_much_is_not_told_to_go_on() {
    let server = Server::start().await;
    let expect = |length: usize| format!("{}Expect: 100-continue\r\n\r\n", server.head(length));
    let mut client = server.connect().await;
    client.write(expect(99_999_999)).await;
    let refused = client.read_to_end().await;
    assert_eq!(statuses(&refused), [413], "{refused}");
    let mut client = server.connect().await;
    client.write(expect(3)).await;
    let expected = "HTTP/1.1 100 Continue\r\n\r\n";
    assert_eq!(client.read_until("\r\n\r\n").await, expected);
    client.write("[6]").await;
    assert_eq!(statuses(&client.read_until("[6]").await), [200]);
}

#[tokio::test]
async fn an_upgrade_is_ignored() {
    let server = Server::start().await;
    let upgrade = server.head(3)
        + "Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n[7]";
    let response = server
        .send(upgrade + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .await;
    assert_eq!(statuses(&response).first(), Some(&200), "{response}");
    assert_eq!(server.echo.calls(), 1);
    server.assert_lives("an upgrade").await;
}

#[tokio::test]
async fn heads_have_a_most_of_headers_and_of_bytes() {
    let server = Server::start().await;
    // The head already contains four headers.
    let many = |count: usize| server.head(3) + &"X-Some: x\r\n".repeat(count - 4) + "\r\n[8]";
    assert_eq!(statuses(&server.send(many(100)).await), [200]);
    assert_refused(&server, "101 headers", many(101).as_bytes(), &[431]).await;
    let large = |bytes: usize| {
        let rest = server.head(3) + "X-Large: \r\n\r\n";
        server.head(3) + &format!("X-Large: {}\r\n\r\n[8]", "x".repeat(bytes - rest.len()))
    };
    assert_eq!(statuses(&server.send(large(60 << 10)).await), [200]);
    assert_refused(
        &server,
        "a large head",
        large((64 << 10) + 1).as_bytes(),
        &[431],
    )
    .await;
    assert_refused(&server, "a huge head", large(1 << 20).as_bytes(), &[431]).await;
    let line = server
        .good("[8]")
        .replace("/mcp", &format!("/{}", "x".repeat(1 << 16)));
    assert_refused(&server, "a long target", line.as_bytes(), &[414, 431]).await;
    for most in [20, 200] {
        let server = Server::with_limits(|limits| limits.headers = most).await;
        let many = |count: usize| server.head(3) + &"X-Some: x\r\n".repeat(count - 4) + "\r\n[8]";
        assert_eq!(statuses(&server.send(many(most)).await), [200]);
        assert_refused(&server, "one more", many(most + 1).as_bytes(), &[431]).await;
    }
    let server = Server::with_limits(|limits| limits.head_bytes = 10 << 10).await;
    let large = |bytes: usize| {
        let rest = server.head(3) + "X-Large: \r\n\r\n";
        server.head(3) + &format!("X-Large: {}\r\n\r\n[8]", "x".repeat(bytes - rest.len()))
    };
    assert_eq!(statuses(&server.send(large(9 << 10)).await), [200]);
    assert_refused(&server, "larger", large((10 << 10) + 1).as_bytes(), &[431]).await;
}
