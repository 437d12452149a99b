//! The authorization of requests: every request asks for credentials, a rejection is handled once,
//! and other servers never receive a token.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly::client::{
    Again, AuthError, Authorizer, Builder, Client, Credentials, Head, Http, LocalError, Refusal,
    Retries, UnsentRequest,
};
use plainly::protocol::types::Root;
use plainly_peer::{AnsweredRequest, Host, assert_local, within};
use serde_json::json;
use tokio::sync::mpsc;

use super::server;

const EVENTS: &str = "Content-Type: text/event-stream\r\n";
const UNAUTHORIZED: &str = "401 Unauthorized";

/// Adds a function that returns the tokens `t0`, `t1` and so on. Also returns the number of its
/// calls.
fn tokens(builder: Builder<Http>) -> (Builder<Http>, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let builder = builder.token(move || {
        let number = count.fetch_add(1, Ordering::SeqCst);
        async move { Ok(format!("t{number}")) }
    });
    (builder, asked)
}

fn token(asked: &AnsweredRequest) -> &str {
    asked
        .headers
        .get("authorization")
        .map_or("", String::as_str)
}

/// A legacy server that rejects the first request of each kind, and then accepts no older token.
struct Doorkeeper {
    host: Host,
    kinds: Vec<String>,
    /// Receives each kind whose first request was accepted.
    passed: mpsc::UnboundedSender<String>,
    /// The requests that are never answered, and those that stay open.
    held: Vec<AnsweredRequest>,
    /// The call whose reply has begun.
    call: Option<String>,
}

fn kind(asked: &AnsweredRequest) -> String {
    let method = asked.body["method"].as_str();
    match &*asked.method {
        "POST" => method.unwrap_or("answer").to_owned(),
        "GET" if asked.headers.contains_key("last-event-id") => "resumption".to_owned(),
        other => other.to_owned(),
    }
}

impl Doorkeeper {
    async fn watch(mut self) {
        loop {
            let asked = self.host.next().await;
            let kind = kind(&asked);
            let is_first = !self.kinds.contains(&kind);
            let expected = format!("Bearer t{}", self.kinds.len());
            assert_eq!(token(&asked), expected, "{kind}");
            if is_first {
                self.kinds.push(kind);
                let challenge = "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
                asked.answer(UNAUTHORIZED, challenge, "").await;
                continue;
            }
            self.serve(&kind, asked).await;
            let _unheard = self.passed.send(kind);
        }
    }

    async fn serve(&mut self, kind: &str, mut asked: AnsweredRequest) {
        match kind {
            "server/discover" => asked.answer("400 Bad Request", "", "").await,
            "initialize" => {
                let result = plainly_peer::message::initialized("2025-06-18", json!({"tools": {}}));
                let body = asked.response(result);
                let headers = "Content-Type: application/json\r\nMcp-Session-Id: s\r\n";
                asked.answer("200 OK", headers, &body).await;
            }
            "GET" => {
                asked.events().await;
                let question = plainly_peer::message::request("q", "roots/list", json!({}));
                asked.event(&question).await;
                self.held.push(asked);
            }
            "tools/list" => {
                self.call = Some(asked.response(json!({"tools": []})));
                asked
                    .answer("200 OK", EVENTS, "id: 1\nretry: 0\ndata:\n\n")
                    .await;
            }
            "resumption" => {
                let reply = self.call.take().unwrap_or_default();
                let event = format!("data: {reply}\n\n");
                asked.answer("200 OK", EVENTS, &event).await;
            }
            "ping" => self.held.push(asked),
            _ => asked.answer("202 Accepted", "", "").await,
        }
    }
}

#[tokio::test]
async fn every_kind_of_request_carries_the_token_and_has_it_renewed_once() {
    let (passed, mut passing) = mpsc::unbounded_channel();
    let host = Host::start().await;
    let builder = Client::http(&host.url).roots([Root::new("file:///a")]);
    let (builder, asked) = tokens(builder);
    let doorkeeper = Doorkeeper {
        host,
        kinds: Vec::new(),
        passed,
        held: Vec::new(),
        call: None,
    };
    let watching = tokio::spawn(doorkeeper.watch());
    let mut kinds = Vec::new();
    let mut until = async |last: &str| {
        while kinds.last().is_none_or(|kind| kind != last) {
            kinds.push(within(passing.recv()).await.expect("the server goes on"));
        }
    };
    let client = within(builder.connect()).await.unwrap();
    until("answer").await;
    client.tools().await.unwrap();
    until("resumption").await;
    tokio::select! {
        pinged = client.ping() => panic!("{pinged:?}"),
        () = until("ping") => {}
    }
    until("notifications/cancelled").await;
    client.close().await;
    until("DELETE").await;
    let expected = [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "GET",
        "answer",
        "tools/list",
        "resumption",
        "ping",
        "notifications/cancelled",
        "DELETE",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(asked.load(Ordering::SeqCst), expected.len() + 1);
    watching.abort();
}

#[tokio::test]
async fn the_transport_before_carries_the_token_to_the_stream_and_to_where_messages_are_posted() {
    let (builder, host) = server::start().await;
    let (client, _stream) = tokio::join!(builder.bearer("t").connect(), async {
        for method in ["server/discover", "initialize"] {
            let asked = host.request(method).await;
            assert_eq!(token(&asked), "Bearer t");
            asked.answer("404 Not Found", "", "").await;
        }
        let mut stream = host.next().await;
        assert_eq!((&*stream.method, token(&stream)), ("GET", "Bearer t"));
        stream.events().await;
        stream.write("event: endpoint\ndata: /post\n\n").await;
        for method in ["initialize", "notifications/initialized"] {
            let posted = host.request(method).await;
            assert_eq!((&*posted.path, token(&posted)), ("/post", "Bearer t"));
            let result = plainly_peer::message::initialized("2024-11-05", json!({}));
            let reply = posted.response(result);
            posted.answer("202 Accepted", "", "").await;
            if method == "initialize" {
                stream.write(&format!("data: {reply}\n\n")).await;
            }
        }
        stream
    });
    client.unwrap();
}

#[tokio::test]
async fn calls_that_are_refused_together_ask_for_one_token() {
    let (builder, host) = server::start().await;
    let (builder, asked) = tokens(builder);
    let (client, ()) = tokio::join!(builder.connect(), host.discover());
    let client = client.unwrap();
    let (first, second, ()) = tokio::join!(client.tools(), client.prompts(), async {
        let both = [host.next().await, host.next().await];
        for one in both {
            assert_eq!(token(&one), "Bearer t0");
            one.answer(UNAUTHORIZED, "", "").await;
        }
        for _ in 0..2 {
            let again = host.next().await;
            assert_eq!(token(&again), "Bearer t1");
            let method = again.body["method"].as_str().unwrap_or_default().to_owned();
            again.result(plainly_peer::message::least(&method)).await;
        }
    });
    first.unwrap();
    second.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

/// An authorizer that always retries, and counts rejections and answers.
#[derive(Debug, Default)]
struct Stubborn {
    refused: AtomicUsize,
    seen: AtomicUsize,
}

impl Authorizer for &'static Stubborn {
    fn credentials<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        async { Credentials::bearer(&format!("t{}", request.attempt)) }.boxed()
    }

    fn refused<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
        _refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        self.refused.fetch_add(1, Ordering::SeqCst);
        async { Ok(Again::Retry) }.boxed()
    }

    fn answered(&self, _request: &UnsentRequest<'_>, _head: &Head<'_>) {
        self.seen.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_request_is_sent_again_at_most_five_times() {
    let stubborn: &Stubborn = Box::leak(Box::default());
    for (status, challenge, times) in [
        (UNAUTHORIZED, "", 6),
        ("403 Forbidden", "WWW-Authenticate: Bearer\r\n", 6),
        ("403 Forbidden", "", 1),
        ("407 Proxy Authentication Required", "", 1),
    ] {
        let (builder, host) = server::start().await;
        let builder = builder.authorizer(stubborn).retries(Retries::by_hint());
        let before = stubborn.seen.load(Ordering::SeqCst);
        let (client, ()) = tokio::join!(builder.connect(), async {
            for attempt in 0..times {
                let asked = host.request("server/discover").await;
                assert_eq!(token(&asked), format!("Bearer t{attempt}"));
                asked.answer(status, challenge, "").await;
            }
        });
        let error = client.unwrap_err();
        assert_eq!(error.http_status(), status[..3].parse().ok());
        assert_eq!(stubborn.seen.load(Ordering::SeqCst) - before, times);
    }
    assert_eq!(stubborn.refused.load(Ordering::SeqCst), 10);
}

#[tokio::test]
async fn a_token_that_stays_refused_leaves_what_the_server_wants_to_the_caller() {
    type Way = fn(Builder<Http>) -> Builder<Http>;
    let ways: [(Way, usize); 3] = [
        (|builder| builder.bearer("t"), 1),
        // The client asks for another token, and receives the same one.
        (|builder| builder.token(|| async { Ok("t".to_owned()) }), 1),
        (|builder| tokens(builder).0, 2),
    ];
    for (way, times) in ways {
        let (builder, host) = server::start().await;
        let builder = way(builder).retries(Retries::by_hint());
        let (client, ()) = tokio::join!(builder.connect(), async {
            for _ in 0..times {
                let probe = host.request("server/discover").await;
                let challenges = "WWW-Authenticate: Basic realm=x\r\nWWW-Authenticate: Bearer scope=a, scope=b\r\n\
                                  WWW-Authenticate: DPoP algs=ES256, Bearer scope=c\r\n";
                probe.answer(UNAUTHORIZED, challenges, "").await;
            }
        });
        let error = client.unwrap_err();
        assert!(error.is_unauthorized() && !error.is_retryable());
        let schemes: Vec<_> = error.challenges().iter().map(|it| &*it.scheme).collect();
        assert_eq!(schemes, ["Basic", "DPoP", "Bearer"]);
        let told = error.to_string();
        let expected = "; the server wants Bearer credentials with the scope \"c\" in the header `Authorization`; \
                        a challenge for Bearer credentials can't be read: scope is there twice";
        assert!(told.ends_with(expected), "{told}");
    }
}

#[tokio::test]
async fn a_function_that_fails_ends_the_call_before_anything_is_sent() {
    let listener = listener("127.0.0.1:0");
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let builder = Client::http(url(&listener)).retries(Retries::by_hint());
    let builder = builder.token(move || {
        count.fetch_add(1, Ordering::SeqCst);
        async { Err("the vault is shut".into()) }
    });
    let error = builder.connect().await.unwrap_err();
    assert_local!(error, LocalError::Authorization(_));
    assert!(matches!(
        error.authorization(),
        Some(AuthError::Assertion { .. })
    ));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_nobody_came(&listener);
}

#[tokio::test]
async fn what_is_no_token_is_never_sent() {
    let listener = listener("127.0.0.1:0");
    for text in ["", "Bearer t", "t\n", "t\r\nX-Evil: 1", "té", "t\u{0}"] {
        let error = Client::http(url(&listener)).bearer(text).connect().await;
        let error = error.unwrap_err();
        let is_unusable = matches!(error.authorization(), Some(AuthError::TokenUnusable { .. }));
        assert!(is_unusable, "{text:?}: {error}");
    }
    assert_nobody_came(&listener);
}

fn listener(address: &str) -> TcpListener {
    let listener = TcpListener::bind(address).expect("a port is free");
    let set = listener.set_nonblocking(true);
    set.expect("it does not wait");
    listener
}

fn url(listener: &TcpListener) -> String {
    format!("http://{}/mcp", listener.local_addr().expect("it has one"))
}

fn assert_nobody_came(listener: &TcpListener) {
    let came = listener.accept().map_err(|why| why.kind());
    assert!(
        matches!(came, Err(std::io::ErrorKind::WouldBlock)),
        "{came:?}"
    );
}

#[tokio::test]
async fn no_token_follows_a_redirect_or_a_stream_to_another_origin() {
    for status in [
        "302 Found",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let (elsewhere, (builder, host)) = (listener("127.0.0.1:0"), server::start().await);
        let (client, ()) = tokio::join!(builder.bearer("t").connect(), async {
            for method in ["server/discover", "initialize"] {
                let location = format!("Location: {}\r\n", url(&elsewhere));
                let asked = host.request(method).await;
                asked.answer(status, &location, "").await;
            }
        });
        assert_eq!(client.unwrap_err().location(), Some(&*url(&elsewhere)));
        assert_nobody_came(&elsewhere);
    }
    let elsewhere = listener("127.0.0.1:0");
    let evil = url(&elsewhere);
    let (_, without_scheme) = evil.split_once(':').unwrap();
    for named in [&*evil, without_scheme] {
        let (builder, host) = server::start().await;
        let (client, ()) = tokio::join!(builder.bearer("t").connect(), async {
            host.refuse("server/discover", "404 Not Found").await;
            host.refuse("initialize", "404 Not Found").await;
            let mut stream = host.next().await;
            stream.events().await;
            let endpoint = format!("event: endpoint\ndata: {named}\n\n");
            stream.write(&endpoint).await;
        });
        assert_local!(client.unwrap_err(), LocalError::InvalidResponse { .. });
        assert_nobody_came(&elsewhere);
    }
}

/// Uses 0.0.0.0, which reaches this machine but is no loopback address.
#[cfg(unix)]
#[tokio::test]
async fn no_token_is_sent_unencrypted_to_another_machine_without_leave() {
    type Way = fn(Builder<Http>) -> Builder<Http>;
    let ways: [Way; 3] = [
        |builder| builder.bearer("t"),
        |builder| tokens(builder).0,
        |builder| builder.authorizer(Nobody),
    ];
    for way in ways {
        let host = Host::start_at("0.0.0.0:0").await;
        let allowed = way(Client::http(&host.url).allow_plaintext_token());
        let (client, ()) = tokio::join!(allowed.connect(), host.discover());
        client.unwrap();
    }
    let listener = listener("0.0.0.0:0");
    for way in &ways[..2] {
        let error = way(Client::http(url(&listener))).connect().await;
        let error = error.unwrap_err();
        assert!(matches!(
            error.authorization(),
            Some(AuthError::Plaintext { .. })
        ));
        let server = url(&listener);
        assert!(error.to_string().contains(&server), "{error}");
    }
    assert_nobody_came(&listener);
    // A client without a token does not fetch one that it could not send.
    let host = Host::start_at("0.0.0.0:0").await;
    let (client, ()) = tokio::join!(ways[2](Client::http(&host.url)).connect(), async {
        let probe = host.request("server/discover").await;
        assert_eq!(token(&probe), "");
        probe.answer(UNAUTHORIZED, "", "").await;
    });
    let error = client.unwrap_err();
    assert!(matches!(
        error.authorization(),
        Some(AuthError::Plaintext { .. })
    ));
}

/// An authorizer without credentials, and without a source of them.
#[cfg(unix)]
#[derive(Debug)]
struct Nobody;

#[cfg(unix)]
impl Authorizer for Nobody {
    fn credentials<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        async { Ok(Credentials::default()) }.boxed()
    }

    fn refused<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
        _refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        unreachable!("nobody logs in for nothing")
    }
}
