//! Event streams over HTTP, in either era.

use plainly::server::Server;
use plainly::transport::http::HttpLimits;
use plainly_peer::message::LEGACY;
use plainly_peer::{Response, Site, within};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::legacy::{done, listed, subscribe, updated as told};
use super::support::{Source, acknowledged, changed, ended, limited, listen, server, updated};

async fn serve(server: &Server) -> Site {
    let limits = HttpLimits::from(server.limits());
    Site::serve(server.http().limits(limits)).await
}

async fn hear(http: &Site, id: impl Into<Value>, notifications: &Value) -> Response {
    http.post("/", None, &listen(id, notifications)).await
}

async fn ask(http: &Site, session: &str, message: &Value) -> Value {
    http.send("POST /", session, message).await.json().await
}

#[tokio::test]
async fn a_listen_request_is_answered_by_events() {
    let source = Source::new();
    let http = serve(&server(&source)).await;
    let asked = json!({"resourcesListChanged": true, "resourceSubscriptions": ["db://1"]});
    let mut first = hear(&http, "x", &asked).await;
    assert_eq!(first.status, 200);
    assert_eq!(first.header("content-type"), Some("text/event-stream"));
    assert_eq!(first.next().await, Some(acknowledged("x", &asked)));
    let mut second = hear(&http, 2, &json!({"resourcesListChanged": true})).await;
    second.next().await;
    source.updated("db://1");
    assert_eq!(first.next().await, Some(updated("x", "db://1")));
    source.listed();
    assert_eq!(first.next().await, Some(changed("x", "resources")));
    assert_eq!(second.next().await, Some(changed(2, "resources")));
    drop(first);
    drop(second);
    source.watched_by(0).await;
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams_with_a_result() {
    let source = Source::new();
    let mut http = serve(&server(&source)).await;
    let mut modern = Vec::new();
    for id in 1..=20 {
        let mut response = hear(&http, id, &json!({"resourcesListChanged": true})).await;
        response.next().await;
        modern.push((id, response));
    }
    let session = http.session("/", "2025-11-25").await;
    let mut legacy = http.send("GET /", &session, "").await;
    http.stop();
    for (id, mut response) in modern {
        assert_eq!(response.next().await, Some(ended(id)));
        assert_eq!(response.next().await, None);
    }
    assert_eq!(legacy.next().await, None);
    within(http.serving).await.unwrap().unwrap();
    source.watched_by(0).await;
}

#[tokio::test]
async fn beyond_all_places_listening_is_refused() {
    let http = serve(&limited(&Source::new(), |limits| {
        limits.subscriptions.open = 1
    }))
    .await;
    let mut first = hear(&http, 1, &json!({"resourcesListChanged": true})).await;
    first.next().await;
    let mut second = hear(&http, 2, &json!({"resourcesListChanged": true})).await;
    assert_eq!(second.status, 503);
    let error = second.json().await;
    let expected = (&json!(2), &json!("overloaded"));
    assert_eq!((&error["id"], &error["error"]["data"]["kind"]), expected);
    let session = http.session("/", "2025-11-25").await;
    assert_eq!(http.send("GET /", &session, "").await.status, 503);
}

#[tokio::test]
async fn a_session_hears_on_its_stream() {
    for revision in LEGACY {
        let source = Source::new();
        let http = serve(&server(&source)).await;
        let session = http.session("/", revision).await;
        assert_eq!(ask(&http, &session, &subscribe(1, "db://1")).await, done(1));
        let mut stream = http.send("GET /", &session, "").await;
        assert_eq!(stream.status, 200, "{revision}");
        assert_eq!(stream.header("content-type"), Some("text/event-stream"));
        assert_eq!(ask(&http, &session, &subscribe(2, "db://2")).await, done(2));
        source.updated("db://2");
        assert_eq!(stream.next().await, Some(told("db://2")), "{revision}");
        source.updated("db://1");
        assert_eq!(stream.next().await, Some(told("db://1")), "{revision}");
        source.listed();
        assert_eq!(stream.next().await, Some(listed()), "{revision}");
        drop(stream);
        source.watched_by(0).await;
    }
}

#[tokio::test]
async fn the_stream_of_a_session_stays_with_who_opened_it() {
    let source = Source::new();
    let http = serve(&server(&source)).await;
    let (session, other) = (
        http.session("/", "2025-11-25").await,
        http.session("/", "2025-11-25").await,
    );
    let mut first = http.send("GET /", &session, "").await;
    let mut second = http.send("GET /", &session, "").await;
    assert_eq!(second.status, 409);
    assert!(second.body().await.contains("stream_taken"));
    let mut third = http.send("GET /", &other, "").await;
    source.listed();
    assert_eq!(first.next().await, Some(listed()));
    assert_eq!(third.next().await, Some(listed()));
    drop(first);
    // The server notices the closed stream with a delay.
    let again = within(async {
        loop {
            let response = http.send("GET /", &session, "").await;
            if response.status == 200 {
                return response;
            }
        }
    });
    let mut again = again.await;
    source.listed();
    assert_eq!(again.next().await, Some(listed()));
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let source = Source::new();
    let http = serve(&limited(&source, |limits| limits.sessions.open = 1)).await;
    let session = http.session("/", "2025-11-25").await;
    let mut stream = http.send("GET /", &session, "").await;
    assert_eq!(http.send("DELETE /", &session, "").await.status, 204);
    assert_eq!(stream.next().await, None);
    assert_eq!(http.send("GET /", &session, "").await.status, 404);
    let session = http.session("/", "2025-11-25").await;
    let mut stream = http.send("GET /", &session, "").await;
    http.session("/", "2025-11-25").await;
    let found = stream.next().await;
    assert_eq!(found, None, "of a session that had to make room");
    source.watched_by(0).await;
}

#[tokio::test]
async fn a_session_with_a_stream_is_not_idle() {
    let source = Source::new();
    let idle = std::time::Duration::from_millis(50);
    let http = serve(&limited(&source, |limits| limits.sessions.idle = idle)).await;
    let session = http.session("/", "2025-11-25").await;
    let mut stream = http.send("GET /", &session, "").await;
    tokio::time::sleep(idle * 4).await;
    assert_eq!(ask(&http, &session, &subscribe(1, "db://1")).await, done(1));
    source.updated("db://1");
    assert_eq!(stream.next().await, Some(told("db://1")));
}

#[tokio::test]
async fn only_sessions_have_streams_of_their_own() {
    let http = serve(&server(&Source::new())).await;
    let session = http.session("/", "2025-11-25").await;
    let modern = "MCP-Protocol-Version: 2026-07-28\r\n";
    let cases = [
        (String::new(), 405),
        (modern.to_owned(), 405),
        (format!("{modern}{session}"), 405),
        ("Mcp-Session-Id: 0123\r\n".to_owned(), 404),
    ];
    for (headers, status) in cases {
        assert_eq!(
            http.send("GET /", &headers, "").await.status,
            status,
            "{headers}"
        );
    }
    let blind = serve(&server(&Source::blind())).await;
    let session = blind.session("/", "2025-11-25").await;
    assert_eq!(blind.send("GET /", &session, "").await.status, 405);
}

#[tokio::test]
async fn a_server_that_is_mounted_elsewhere_ends_them_when_it_is_told() {
    let source = Source::new();
    let server = server(&source);
    let (stop, stopped) = oneshot::channel::<()>();
    let router = axum::Router::new().fallback_service(server.http());
    let http = Site::listen(async move |listener| {
        let serving = axum::serve(listener, router);
        let stopped = async { drop(stopped.await) };
        serving.with_graceful_shutdown(stopped).await
    })
    .await;
    let asked = json!({"resourcesListChanged": true});
    let mut first = hear(&http, 1, &asked).await;
    first.next().await;
    let session = http.session("/", "2025-11-25").await;
    let mut stream = http.send("GET /", &session, "").await;
    server.end_subscriptions();
    let mut late = hear(&http, 2, &asked).await;
    assert_eq!(late.status, 503);
    assert!(late.body().await.contains("shutting_down"));
    drop(stop);
    assert_eq!(first.next().await, Some(ended(1)));
    assert_eq!(first.next().await, None);
    assert_eq!(stream.next().await, None);
    drop((first, stream, late));
    within(http.serving).await.unwrap().unwrap();
    source.watched_by(0).await;
}

#[tokio::test]
async fn a_session_outlives_the_listener_on_which_its_stream_was_ended() {
    let source = Source::new();
    let server = server(&source);
    let (mut first, second) = (serve(&server).await, serve(&server).await);
    let session = first.session("/", "2025-11-25").await;
    let mut stream = first.send("GET /", &session, "").await;
    first.stop();
    assert_eq!(stream.next().await, None);
    drop(stream);
    within(first.serving).await.unwrap().unwrap();
    let mut stream = second.send("GET /", &session, "").await;
    assert_eq!(stream.status, 200);
    source.watched_by(1).await;
    source.listed();
    assert_eq!(stream.next().await, Some(listed()));
}
