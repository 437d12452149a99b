//! Secrets appear in no error, no debug output and no log, and there is only one way to send them.

use std::sync::{Arc, Mutex};

use plainly::client::{Builder, Client, Http, LocalError, Traffic};
use plainly_peer::{Host, assert_local};
use tokio::net::TcpListener;

use super::server;

#[tokio::test]
async fn a_token_beside_another_authorization_is_a_mistake() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    type Way = fn(Builder<Http>) -> Builder<Http>;
    let ways: [Way; 2] = [
        |builder| builder.bearer("s3cret"),
        |builder| builder.token(|| async { Ok("s3cret".to_owned()) }),
    ];
    for way in ways {
        for (user, header, expected) in [
            (
                "",
                Some("AUTHORIZATION"),
                r#"header "Authorization" can't be set: this client has a token, or something that gives it one"#,
            ),
            (
                "anna:s3cret@",
                None,
                r#"header "Authorization" can't be set: this client has a token, or something that gives it one, and the URL has a user name"#,
            ),
            (
                ":s3cret@",
                None,
                r#"header "Authorization" can't be set: this client has a token, or something that gives it one, and the URL has a user name"#,
            ),
        ] {
            let mut builder = way(Client::http(format!("http://{user}{address}/mcp")));
            if let Some(name) = header {
                builder = builder.header(name, "s3cret");
            }
            let error = builder.connect().await.unwrap_err();
            assert_local!(error, LocalError::ReservedHeader { .. });
            assert_eq!(error.to_string(), expected);
        }
    }
}

/// Returns all output about a client whose server rejects a call, and the names of its sensitive
/// headers.
async fn said(way: fn(Builder<Http>) -> Builder<Http>, status: &str) -> (String, Vec<String>) {
    let host = Host::start().await;
    let sensitive = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sensitive);
    let builder = Client::http(format!("{}?key=s3cret", host.url)).on_traffic(move |traffic| {
        if let Traffic::Request { headers, .. } = traffic {
            let marked = headers.iter().filter(|(_, value)| value.is_sensitive());
            let names = marked.map(|(name, _)| name.as_str().to_owned());
            seen.lock().expect("no panic").extend(names);
        }
    });
    let builder = way(builder);
    let mut said = format!("{builder:?}");
    let (client, ()) = tokio::join!(builder.connect(), host.discover());
    let client = client.expect("the server is modern");
    let (called, ()) = tokio::join!(client.tools(), async {
        let asked = host.request("tools/list").await;
        asked.answer(status, "", "").await;
    });
    let error = called.expect_err("the server refuses");
    said += &format!("{client:?} {error} {error:?}");
    client.close().await;
    let sensitive = std::mem::take(&mut *sensitive.lock().expect("no panic"));
    (said, sensitive)
}

#[tokio::test]
async fn a_token_is_in_no_error_and_no_debug_output_and_marked_where_traffic_is_shown() {
    type Way = fn(Builder<Http>) -> Builder<Http>;
    let ways: [Way; 2] = [
        |builder| builder.bearer("s3cret"),
        |builder| builder.token(|| async { Ok("s3cret".to_owned()) }),
    ];
    for way in ways {
        for status in [
            "401 Unauthorized",
            "403 Forbidden",
            "500 Internal Server Error",
            "200 OK",
        ] {
            let (said, sensitive) = said(way, status).await;
            assert!(!said.contains("s3cret"), "{status}: {said}");
            // A rejected client asks for another token, and receives the same one.
            assert_eq!(sensitive, ["authorization", "authorization"], "{status}");
        }
    }
}

#[tokio::test]
async fn what_is_unusable_is_not_told_in_its_error() {
    for token in ["s3cret s3cret", "s3cret\n", "s3cretü"] {
        let (builder, _host) = server::start().await;
        let error = builder.bearer(token).connect().await.unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(!told.contains("s3cret"), "{told}");
        assert_eq!(
            error.authorization().unwrap().advice(),
            "give the token exactly as it was issued, alone and whole"
        );
    }
}
