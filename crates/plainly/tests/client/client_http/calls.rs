//! Replies over HTTP, as JSON and as events, and abandoned calls.

use super::cases;
use std::time::Duration;

use plainly::client::LocalError;
use plainly_peer::assert_local;
use serde_json::json;

use super::server;

#[tokio::test]
async fn a_reply_may_come_after_other_events() {
    for (before, end) in cases::<(&str, &str)>("events before a reply") {
        let (client, server) = server::modern().await;
        let (tools, ()) = tokio::join!(client.tools(), async {
            let mut request = server.request("tools/list").await;
            request.events().await;
            request.write(before).await;
            let response = request.response(json!({"tools": []}));
            let (head, tail) = response.split_at(10);
            request.write(&format!("data: {head}")).await;
            request.write(&format!("{tail}{end}")).await;
            // A message after the reply is ignored.
            request
                .write("data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
                .await;
        });
        assert!(tools.unwrap().is_empty(), "{before:?}");
    }
}

#[tokio::test]
async fn a_stream_that_goes_on_after_the_reply_is_left() {
    let (client, server) = server::modern().await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        let mut request = server.request("tools/list").await;
        request.events().await;
        request.last_event().await;
        request.hung_up().await;
    });
    tools.unwrap();
}

#[tokio::test]
async fn events_that_end_before_the_reply_are_an_interruption() {
    for (cut, expected) in [
        ("", ""),
        (
            "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[]}}\n",
            "",
        ),
        (
            "data: hello\n\n",
            "; the server sent \"hello\", which is not a message, instead",
        ),
        (
            "event: error\ndata: the disk is full\n\n",
            "; the server sent the error \"the disk is full\" instead",
        ),
        (
            "event: error\ndata: {\"error\": 7}\n\n",
            "; the server sent the error \"{\\\"error\\\": 7}\" instead",
        ),
    ] {
        let (client, server) = server::modern().await;
        let (tools, ()) = tokio::join!(client.tools(), async {
            let mut request = server.request("tools/list").await;
            request.events().await;
            request.write(cut).await;
        });
        let error = tools.unwrap_err();
        assert_local!(error, LocalError::Interrupted { .. });
        let told = format!("the reply to `tools/list` was cut off{expected}");
        assert_eq!(error.to_string(), told);
    }
}

#[tokio::test]
async fn a_reply_that_can_not_be_read_is_invalid() {
    let json = "Content-Type: application/json\r\n";
    let other_path = "in place of a message";
    #[rustfmt::skip]
    let cases = [
        ("200 OK", "Content-Type: text/html\r\n", "<title>Welcome</title>",
            "HTTP status 200 OK with content type \"text/html\" in place of a message; the path of the URL may be wrong"),
        ("200 OK", "", r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#, other_path),
        ("200 OK", json, "{", "the server sent \"{\", which is not a message"),
        ("200 OK", json, "", "the body is empty"),
        ("200 OK", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n", "abc",
            "the body is encoded as \"gzip\", and the client accepts no encoding"),
        ("200 OK", json, r#"{"jsonrpc":"2.0","id":77,"result":{"tools":[]}}"#,
            "the server sent a reply with the id 77, which no open request has"),
        ("200 OK", json, r#"{"jsonrpc":"2.0","id":"x","result":{"tools":[]}}"#,
            "the server sent a reply with the id \"x\", which no open request has"),
        ("200 OK", json, r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[],"tools":[]}}"#, "the key \"tools\" is given twice"),
        ("202 Accepted", "", "", other_path),
    ];
    let (client, server) = server::modern().await;
    for (status, headers, body, expected) in cases {
        let (tools, ()) = tokio::join!(client.tools(), async {
            let request = server.request("tools/list").await;
            let body = body.replace("\"id\":2", &format!("\"id\":{}", request.body["id"]));
            request.answer(status, headers, &body).await;
        });
        let error = tools.unwrap_err();
        let Some(LocalError::InvalidResponse { body: begun, .. }) = error.local() else {
            panic!("{body}: {error}");
        };
        if headers.contains("text/html") {
            assert_eq!(begun, body);
        }
        assert!(plainly_peer::told(&error).contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_read() {
    let (client, server) = server::modern().await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        let request = server.request("tools/list").await;
        let body = " ".repeat((32 << 20) + 1);
        request.json("200 OK", &body).await;
    });
    let error = tools.unwrap_err();
    let expected = "invalid reply to `tools/list`: it is larger than 33554432 bytes";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn an_error_is_the_servers_with_any_status_and_even_without_an_id() {
    for status in [
        "200 OK",
        "400 Bad Request",
        "404 Not Found",
        "500 Internal Server Error",
    ] {
        for id in ["null", "2"] {
            let (client, server) = server::modern().await;
            let (read, ()) = tokio::join!(client.read("a:b"), async {
                let request = server.request("resources/read").await;
                let error = r#"{"code":-32602,"message":"no","data":{"uri":"a:b"}}"#;
                let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
                request.json(status, &body).await;
            });
            assert!(read.unwrap_err().is_resource_not_found(), "{status} {id}");
        }
    }
}

#[tokio::test]
async fn a_result_counts_only_under_a_status_of_success() {
    for status in ["302 Found", "404 Not Found", "500 Internal Server Error"] {
        let (client, server) = server::modern().await;
        let (tools, ()) = tokio::join!(client.tools(), async {
            let request = server.request("tools/list").await;
            let body = request.response(json!({"tools": []}));
            request.json(status, &body).await;
        });
        let error = tools.unwrap_err();
        let Some(LocalError::HttpStatus { status: number, .. }) = error.local() else {
            panic!("{status}: {error}");
        };
        assert!(status.starts_with(&number.to_string()), "{status}: {error}");
    }
}

#[tokio::test]
async fn an_error_without_an_id_is_the_reply_as_an_event_too() {
    for id in ["", "\"id\":null,"] {
        let (client, server) = server::modern().await;
        let (read, ()) = tokio::join!(client.read("a:b"), async {
            let mut request = server.request("resources/read").await;
            request.events().await;
            let error = r#"{"code":-32602,"message":"no","data":{"uri":"a:b"}}"#;
            request
                .write(&format!(
                    "data: {{\"jsonrpc\":\"2.0\",{id}\"error\":{error}}}\n\n"
                ))
                .await;
        });
        let error = read.unwrap_err();
        assert!(error.is_resource_not_found(), "{error}");
    }
}

#[tokio::test]
async fn events_that_are_ignored_do_not_keep_others_from_their_turn() {
    const EVENTS: usize = 64_000;
    let (client, server) = server::modern().await;
    let call = tokio::spawn(async move {
        let mut turns = 0;
        let mut call = std::pin::pin!(client.tools());
        let tools = std::future::poll_fn(|context| {
            turns += 1;
            call.as_mut().poll(context)
        });
        (tools.await, turns)
    });
    let mut request = server.request("tools/list").await;
    request.events().await;
    request.write(&"data:1\n\n".repeat(EVENTS)).await;
    request.last_event().await;
    let (tools, turns) = call.await.unwrap();
    assert!(tools.unwrap().is_empty());
    // Chunks have at least 8 KiB, which is about a thousand events.
    assert!(turns >= EVENTS / 128, "{turns}");
}

#[tokio::test]
async fn an_error_page_that_never_ends_is_shown_as_far_as_it_came() {
    let (client, server) = server::modern().await;
    let client = client.with_timeout(Duration::from_secs(10));
    let (tools, ()) = tokio::join!(client.tools(), async {
        let mut request = server.request("tools/list").await;
        request
            .write("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nnot here")
            .await;
        request.hung_up().await;
    });
    let error = tools.unwrap_err();
    let Some(LocalError::HttpStatus { status, body, .. }) = error.local() else {
        panic!("{error}");
    };
    assert_eq!((*status, body.as_str()), (404, "not here"));
}

#[tokio::test]
async fn a_server_that_asks_to_wait_is_heard_whatever_its_body() {
    let json = "Content-Type: application/json\r\n";
    let date =
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n";
    let vague = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"slow down"}}"#;
    let hinted = r#"{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"slow down","data":{"code":"RATE_LIMIT_EXCEEDED","retry_after":60}}}"#;
    let (client, server) = server::modern().await;
    for (status, headers, body, seconds) in [
        ("429 Too Many Requests", "Retry-After: 7\r\n", "", Some(7)),
        ("429 Too Many Requests", date, "wait", Some(30)),
        ("429 Too Many Requests", json, vague, None),
        (
            "503 Service Unavailable",
            &format!("{json}Retry-After: 7\r\n"),
            vague,
            Some(7),
        ),
        ("503 Service Unavailable", json, hinted, Some(60)),
    ] {
        let (tools, ()) = tokio::join!(client.tools(), async {
            let request = server.request("tools/list").await;
            request.answer(status, headers, body).await;
        });
        let error = tools.unwrap_err();
        assert!(error.is_retryable(), "{status} {body}: {error}");
        let after = seconds.map(Duration::from_secs);
        assert_eq!(error.retry_after(), after, "{status} {body}: {error}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (client, server) = server::modern().await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        let request = server.request("tools/list").await;
        request
            .answer(
                "307 Temporary Redirect",
                "Location: http://127.0.0.1:1/\r\n",
                "",
            )
            .await;
    });
    let error = tools.unwrap_err();
    assert_local!(error, LocalError::HttpStatus { status: 307, .. });
}

#[tokio::test]
async fn a_dropped_call_closes_its_connection() {
    for events in [false, true] {
        let (client, server) = server::modern().await;
        let call = tokio::spawn(async move { client.tools().await });
        let mut request = server.request("tools/list").await;
        if events {
            request.events().await;
        }
        call.abort();
        request.hung_up().await;
    }
}

#[tokio::test]
async fn a_legacy_server_is_told_of_a_dropped_call() {
    let (client, server) = server::legacy(Some("s")).await;
    let call = tokio::spawn(async move { client.tools().await });
    let request = server.request("tools/list").await;
    call.abort();
    let cancelled = server.request("notifications/cancelled").await;
    cancelled.is_of(Some("s"));
    assert_eq!(cancelled.body["params"]["requestId"], request.body["id"]);
    cancelled.answer("202 Accepted", "", "").await;
}

#[tokio::test]
async fn what_a_legacy_server_asks_is_answered_by_a_message_of_its_own() {
    let (client, server) = server::legacy(Some("s")).await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        let mut request = server.request("tools/list").await;
        request.events().await;
        request
            .write("data: {\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}\n\n")
            .await;
        let pong = server.next().await;
        pong.is_of(Some("s"));
        assert_eq!(
            pong.body,
            json!({"jsonrpc": "2.0", "id": "p", "result": {}})
        );
        pong.answer("202 Accepted", "", "").await;
        request.last_event().await;
    });
    assert!(tools.unwrap().is_empty());
}
