//! Many requests on a connection, slow peers, lost peers, and the end of connections.

use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;

use plainly_peer::within;

use super::support::{Server, statuses};

const SHORT: Duration = Duration::from_millis(100);

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = Server::start().await;
    let all: String = (0..100)
        .map(|number| server.good(&format!("[{number:03}]")))
        .collect();
    let response = server.send(all).await;
    let bodies: Vec<_> = response
        .split("HTTP/1.1 200 OK")
        .skip(1)
        .map(|one| one[one.len() - 5..].to_owned())
        .collect();
    assert_eq!(
        bodies,
        (0..100)
            .map(|number| format!("[{number:03}]"))
            .collect::<Vec<_>>()
    );
    assert_eq!(server.echo.calls(), 100);
}

#[tokio::test]
async fn a_request_that_comes_in_single_bytes_is_whole() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.0.set_nodelay(true).unwrap();
    for byte in server.good("[1,2]").into_bytes() {
        client.write([byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(statuses(&client.read_until("[1,2]").await), [200]);
}

#[tokio::test]
async fn half_a_connection_is_enough_for_an_answer() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.write(server.good("\"slow\"")).await;
    tokio::io::AsyncWriteExt::shutdown(&mut client.0)
        .await
        .unwrap();
    server.echo.running(1).await;
    server.echo.release(1);
    let response = client.read_to_end().await;
    // The response may be preceded by an informational one, which checks whether the client still
    // listens.
    assert!(
        statuses(&response).last() == Some(&200) && response.ends_with("\"slow\""),
        "{response}"
    );
}

#[tokio::test]
async fn half_a_connection_is_enough_for_a_large_answer() {
    let server = Server::start().await;
    let response = server.send(server.good("\"large\"")).await;
    assert!(response.len() > 32 << 20, "{}", response.len());
}

#[tokio::test]
async fn a_lost_peer_cancels_its_request() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.write(server.good("\"slow\"")).await;
    server.echo.running(1).await;
    client.reset();
    server.echo.running(0).await;
    server.assert_lives("a reset").await;
}

#[tokio::test]
async fn a_peer_that_closed_cancels_its_request() {
    let server = Server::start().await;
    let mut client = server.connect().await;
    client.write(server.good("\"slow\"")).await;
    server.echo.running(1).await;
    drop(client);
    server.echo.running(0).await;
    server.assert_lives("a close").await;
}

#[tokio::test]
async fn resets_anywhere_harm_nobody_else() {
    let server = Server::start().await;
    let request = server.good("\"slow\"");
    for cut in 0..=request.len() {
        let mut client = server.connect().await;
        client.write(&request[..cut]).await;
        client.reset();
    }
    server.echo.running(0).await;
    for cut in [0, 1, 10, 50, 100] {
        let mut client = server.connect().await;
        client.write(server.good("\"large\"")).await;
        let mut some = vec![0; cut];
        client.0.read_exact(&mut some).await.unwrap();
        client.reset();
    }
    server.echo.running(0).await;
    server.assert_lives("resets").await;
}

/// Time is simulated, so that delays of the machine do not count.
#[tokio::test(start_paused = true)]
async fn who_does_not_finish_a_head_is_closed() {
    let server = Server::with_limits(|limits| limits.head = SHORT * 5).await;
    for start in ["", "P", "PRI * HT", "POST /mcp HTTP/1.1\r\nHost: "] {
        let mut client = server.connect().await;
        client.write(start).await;
        assert_eq!(client.read_to_end().await, "", "{start:?}");
    }
    // Single bytes do not extend the time limit.
    let mut client = server.connect().await;
    let (mut reader, mut writer) = client.0.split();
    let drip = async {
        loop {
            if tokio::io::AsyncWriteExt::write_all(&mut writer, b"x")
                .await
                .is_err()
            {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(SHORT / 4).await;
        }
    };
    let end = async {
        reader
            .read_to_end(&mut Vec::new())
            .await
            .map_or(0, |bytes| bytes)
    };
    tokio::select! { () = drip => {}, bytes = within(end) => assert_eq!(bytes, 0) }
    // A request before does not extend the time limit either.
    let mut client = server.connect().await;
    client.write(server.good("[1]") + "POST").await;
    client.read_until("[1]").await;
    client.write(" /mcp").await;
    assert_eq!(client.read_to_end().await, "");
    assert_eq!(server.echo.calls(), 1);
    server.assert_lives("unfinished heads").await;
}

/// Time is simulated, so that delays of the machine do not count.
#[tokio::test(start_paused = true)]
async fn who_does_not_finish_a_body_is_told_so() {
    let server = Server::with_limits(|limits| limits.body = SHORT).await;
    for sent in ["", "[1"] {
        let mut client = server.connect().await;
        client.write(server.head(3) + "\r\n" + sent).await;
        let response = client.read_to_end().await;
        assert!(
            statuses(&response) == [408] && response.contains("\r\nconnection: close\r\n"),
            "{response}"
        );
    }
    assert_eq!(server.echo.calls(), 0);
    server.assert_lives("unfinished bodies").await;
}

/// Time is simulated, so that delays of the machine do not count.
#[tokio::test(start_paused = true)]
async fn a_connection_waits_for_its_next_request_only_so_long() {
    let server = Server::with_limits(|limits| {
        limits.head = SHORT * 5;
        limits.idle = SHORT * 15;
    })
    .await;
    let mut client = server.connect().await;
    for request in ["[1]", "[2]"] {
        client.write(server.good(request)).await;
        client.read_until(request).await;
        // This is longer than the limit for a head, which does not apply while no head has begun.
        tokio::time::sleep(SHORT * 7).await;
    }
    assert_eq!(client.read_to_end().await, "");
}

/// Time is simulated, so that delays of the machine do not count.
#[tokio::test(start_paused = true)]
async fn a_slow_handler_is_not_cut_off_by_limits_of_the_connection() {
    let server = Server::with_limits(|limits| {
        limits.head = SHORT * 3;
        limits.body = SHORT * 3;
        limits.idle = SHORT * 3;
        limits.write_stall = SHORT * 3;
    })
    .await;
    let mut client = server.connect().await;
    client.write(server.good("\"slow\"")).await;
    server.echo.running(1).await;
    tokio::time::sleep(SHORT * 9).await;
    server.echo.release(1);
    assert_eq!(statuses(&client.read_until("\"slow\"").await), [200]);
}

#[tokio::test]
async fn who_does_not_take_an_answer_is_closed() {
    let server = Server::with_limits(|limits| {
        limits.write_stall = SHORT * 2;
        limits.connections_per_peer = 1;
    })
    .await;
    let mut client = server.connect().await;
    client.write(server.good("\"large\"")).await;
    // The client reads nothing until the server has closed the connection, which frees the slot of
    // the only peer.
    within(async { while statuses(&server.send(server.good("[1]")).await) != [200] {} }).await;
    let mut bytes = Vec::new();
    let end = within(client.0.read_to_end(&mut bytes)).await;
    assert!(end.is_err() || bytes.len() < 32 << 20, "all of it came");
}

#[tokio::test]
async fn who_takes_an_answer_slowly_gets_it() {
    let server = Server::with_limits(|limits| limits.write_stall = SHORT * 4).await;
    let slowly = async {
        loop {
            let mut client = server.connect().await;
            client.write(server.good("\"large\"")).await;
            let (mut total, mut longest) = (0, Duration::ZERO);
            let mut space = vec![0; 4 << 20];
            // The pauses together exceed the server's patience. The rest is read at once, before
            // the machine causes a delay itself.
            let mut pauses = [SHORT; 6].into_iter();
            while total < 32 << 20 {
                let start = Instant::now();
                tokio::time::sleep(pauses.next().unwrap_or_default()).await;
                let read = client.0.read(&mut space).await.unwrap_or(0);
                longest = longest.max(start.elapsed());
                total += read;
                if read == 0 {
                    break;
                }
            }
            if total >= 32 << 20 {
                return;
            }
            // The server closes the connection of a slow reader only if the machine itself was
            // delayed.
            assert!(longest > SHORT * 2, "closed after {total} bytes");
        }
    };
    within(slowly).await;
}

#[tokio::test]
async fn a_handler_that_panics_takes_only_its_connection_with_it() {
    let server = Server::with_limits(|limits| limits.connections = 1).await;
    let response = server.send(server.good("\"panic\"")).await;
    assert_eq!(response, "");
    server.assert_lives("a panic").await;
}

#[tokio::test]
async fn a_peer_has_only_so_many_connections() {
    let server = Server::with_limits(|limits| limits.connections_per_peer = 2).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut client = server.connect().await;
        client.write(server.good("[1]")).await;
        client.read_until("[1]").await;
        held.push(client);
    }
    assert_eq!(server.connect().await.read_to_end().await, "");
    held.clear();
    // The server notices the closed connections with a delay.
    within(async { while statuses(&server.send(server.good("[1]")).await) != [200] {} }).await;
}

#[tokio::test]
async fn beyond_all_places_connections_wait_for_one() {
    let server = Server::with_limits(|limits| limits.connections = 1).await;
    let mut first = server.connect().await;
    first.write(server.good("[1]")).await;
    first.read_until("[1]").await;
    let mut second = server.connect().await;
    second.write(server.good("[2]")).await;
    let mut byte = [0];
    assert!(
        tokio::time::timeout(SHORT, second.0.read(&mut byte))
            .await
            .is_err(),
        "served beyond the limit"
    );
    drop(first);
    assert_eq!(statuses(&second.read_until("[2]").await), [200]);
}

#[tokio::test]
async fn at_the_end_what_runs_is_finished_and_the_rest_closed() {
    let mut server = Server::start().await;
    let mut idle = server.connect().await;
    idle.write(server.good("[1]")).await;
    idle.read_until("[1]").await;
    let mut silent = server.connect().await;
    let mut busy = server.connect().await;
    busy.write(server.good("\"slow\"")).await;
    server.echo.running(1).await;
    server.stop();
    assert_eq!(idle.read_to_end().await, "");
    assert_eq!(silent.read_to_end().await, "");
    within(async {
        while tokio::net::TcpStream::connect(server.site.address)
            .await
            .is_ok()
        {}
    })
    .await;
    server.echo.release(1);
    let response = busy.read_to_end().await;
    assert!(
        statuses(&response) == [200] && response.ends_with("\"slow\""),
        "{response}"
    );
    within(server.site.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn at_the_end_of_its_time_what_still_runs_is_dropped() {
    let mut server = Server::with_limits(|limits| limits.shutdown = SHORT).await;
    let mut busy = server.connect().await;
    busy.write(server.good("\"slow\"")).await;
    server.echo.running(1).await;
    server.stop();
    within(server.site.serving).await.unwrap().unwrap();
    server.echo.running(0).await;
    assert_eq!(busy.read_to_end().await, "");
}

#[tokio::test]
async fn beyond_loopback_the_hosts_must_be_named() {
    use plainly::transport::http::{HttpServer, HttpService};
    let service = HttpService::new(super::support::Echo::default());
    let public = HttpServer::bind("0.0.0.0:0").await.unwrap();
    let error = public
        .serve(service.clone(), std::future::pending())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    let public = HttpServer::bind("0.0.0.0:0").await.unwrap();
    public
        .serve(
            service.allow_host("example.com").unwrap(),
            std::future::ready(()),
        )
        .await
        .unwrap();
}
