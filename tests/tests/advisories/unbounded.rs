//! Input without an end of its own, such as bodies, sessions and matches. The server refuses it at
//! a limit, before it costs more.

use crate::cases;
use std::time::{Duration, Instant};

use plainly::limits::Limits;
use plainly::protocol::uri_template::{UriTemplate, Values};
use plainly::server::{Server, Tool};
use plainly::transport::http::HttpLimits;
use plainly_peer::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tower::ServiceExt;

use crate::http::posted;
use crate::routes::{ROUTES, Route};
use crate::site::{KINDS, Site, server};
use crate::stream::{before_a_good_reply, open};
use crate::within;

/// The default limit of a message.
const MESSAGE: usize = 4 << 20;
/// The most bytes that are read and discarded, so that clients that still send see the refusal.
const DISCARDED: usize = 32 << 20;
/// The most unread bytes that two sockets buffer.
const SOCKETS: usize = 16 << 20;

/// Sends a JSON body that never ends, as long as the server reads it. Returns the status, and how
/// many bytes were written.
async fn endless(site: &Site, head: &str, is_chunked: bool) -> (u16, usize) {
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let part = vec![b'['; 64 << 10];
    let part = match is_chunked {
        true => [format!("{:x}\r\n", part.len()).as_bytes(), &part, b"\r\n"].concat(),
        false => part,
    };
    let (reader, mut writer) = stream.into_split();
    let writing = tokio::spawn(async move {
        let mut written = 0;
        while written < 512 << 20 && writer.write_all(&part).await.is_ok() {
            written += part.len();
            // Lets the server read, so that little waits unread.
            tokio::task::yield_now().await;
        }
        (written, writer)
    });
    // The refusal comes while much of the body is still unsent.
    within(reader.readable()).await.unwrap();
    let (written, writer) = within(writing).await.unwrap();
    let stream = reader.reunite(writer).unwrap();
    let answer = Response::read(BufReader::new(stream)).await;
    (answer.status, written)
}

/// Tests all endpoints that take bodies, because more than one implementation left some out of its
/// first fix.
async fn bodies_have_a_limit(is_chunked: bool) {
    for kind in KINDS {
        let site = Site::start(kind).await;
        for route in ROUTES.into_iter().filter(|route| route.has_body()) {
            let prepared = route.prepare(&site).await;
            let attempt = prepared.attempt.clone().without("Connection");
            let head = match is_chunked {
                true => attempt.with("Transfer-Encoding", "chunked"),
                false => attempt.with("Content-Length", (512_usize << 20).to_string()),
            };
            let (status, written) = endless(&site, &head.head(), is_chunked).await;
            assert_eq!(status, 413, "{kind:?} {route:?}");
            let most = MESSAGE + DISCARDED + SOCKETS;
            assert!(written < most, "{kind:?} {route:?}: {written}");
            let good = prepared.attempt.status().await;
            assert_eq!(good, route.good(), "{kind:?} {route:?}");
        }
    }
}

#[tokio::test]
async fn ruby_sdk_hardening_post_of_512_mebibytes() {
    bodies_have_a_limit(false).await;
}

#[tokio::test]
async fn python_sdk_3336_body_without_a_length_on_every_endpoint() {
    bodies_have_a_limit(true).await;
}

/// A body of one byte above the limit is refused, and one at the limit is accepted.
#[tokio::test]
async fn kotlin_sdk_839_body_of_one_byte_more() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        for route in ROUTES.into_iter().filter(|route| route.has_body()) {
            let prepared = route.prepare(&site).await;
            let head = prepared.attempt.head();
            let (_, length) = head.split_once("Content-Length: ").unwrap();
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            let padded = |bytes: usize| {
                let padding = vec![b' '; bytes - length];
                prepared.attempt.clone().padded(&padding)
            };
            let found = padded(MESSAGE + 1).status().await;
            assert_eq!(found, 413, "{kind:?} {route:?}");
            let found = padded(MESSAGE).status().await;
            assert_eq!(found, route.good(), "{kind:?} {route:?}");
        }
    }
}

/// A server never decompresses a body, which could become much larger.
#[tokio::test]
async fn ruby_sdk_hardening_compressed_bodies() {
    for encoding in ["gzip", "br", "zstd", "deflate", "gzip, gzip"] {
        for kind in KINDS {
            let site = Site::start(kind).await;
            for route in ROUTES.into_iter().filter(|route| route.has_body()) {
                let prepared = route.prepare(&site).await;
                let packed = prepared.attempt.clone().with("Content-Encoding", encoding);
                let packed = packed.body(*b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03");
                let status = packed.status().await;
                assert!(
                    matches!(status, 400 | 415),
                    "{route:?} {encoding}: {status}"
                );
            }
            assert_eq!(site.probe.ran(), 0);
        }
    }
}

/// In the affected software, the option existed and had no effect.
#[tokio::test]
async fn cve_2026_39313_message_limit_without_effect() {
    let small = 1_000;
    let mut limits = Limits::default();
    limits.message_bytes = small;
    let small_one = Server::builder("small", "1").limits(limits);
    let small_one = small_one.tool(Tool::new("canary", async || "ran"));
    let small_one = small_one.build().unwrap();
    let mut of_http = HttpLimits::default();
    of_http.message_bytes = small;
    let (default, _) = server();
    for (service, limit) in [
        (small_one.http(), small),
        (default.http().limits(of_http), small),
        (default.http(), MESSAGE),
    ] {
        for (bytes, status) in [(limit, 400), (limit + 1, 413)] {
            let request = posted(" ".repeat(bytes));
            let answer = service.clone().oneshot(request).await.unwrap();
            assert_eq!(answer.status(), status, "{bytes} of {limit}");
        }
    }
}

/// Reports whether `of` the long text takes less than four times as long as `of` ten short ones of
/// the same length together. Quadratic work would take ten times as long. The time is the
/// processor's, because a busy machine interrupts the long call more often. The long text may still
/// miss the caches in some of the rounds.
fn is_linear<T>(short: &str, long: &str, of: impl Fn(&str) -> T) -> bool {
    let time = |uri: &str, times: usize| {
        let start = time_of_thread();
        (0..times).for_each(|_| drop(of(uri)));
        time_of_thread() - start
    };
    let (mut tens, mut ones) = (Duration::MAX, Duration::MAX);
    (0..30).any(|_| {
        tens = tens.min(time(short, 10));
        ones = ones.min(time(long, 1));
        ones < tens * 4
    })
}

/// The processor time of this thread.
#[cfg(unix)]
fn time_of_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().unwrap()
}

#[cfg(not(unix))]
fn time_of_thread() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// In the affected SDK, the exploded variables of a template became a pattern that took exponential
/// time.
#[test]
fn cve_2026_0621_uri_template_that_takes_for_ever() {
    for template in cases::<&str>("slow templates") {
        let Ok(matcher) = UriTemplate::parse(template).unwrap().matcher() else {
            // The template is ambiguous, so a server can't serve it, and there is nothing to
            // attack.
            continue;
        };
        for part in ["a", ",", "/", "&a=", ";a=b", ".", "a,", "%41", "/,.;?&=#"] {
            let uri = |bytes: usize| format!("x://{}!", part.repeat(bytes / part.len()));
            let (small, large) = (uri(1_000), uri(10_000));
            let is_linear = is_linear(&small, &large, |uri| matcher.values(uri));
            assert!(is_linear, "{template} {part:?}");
        }
    }
}

/// An expanded value can't leave its place in the URI.
#[test]
fn cve_2026_32871_values_that_escape_their_template() {
    for template in [
        "api://v1/{name}/x",
        "api://v1{/name}/x",
        "api://v1/x{?name}",
    ] {
        let template = UriTemplate::parse(template).unwrap();
        let matcher = template.clone().matcher().unwrap();
        for value in cases::<&str>("values that escape") {
            let values = Values::new().with("name", value);
            let uri = template.expand(&values).unwrap();
            let rest = uri.strip_prefix("api://v1/");
            let rest = rest.unwrap_or_else(|| panic!("{uri}"));
            // Dots alone are not escaped (RFC 6570, 1.5), and no code here reads them as a parent
            // directory.
            assert!(!rest.contains("../a"), "{value:?}: {uri}");
            assert!(!uri.contains(['#', '\\', ' ']), "{value:?}: {uri}");
            assert!(rest.matches('/').count() <= 1, "{value:?}: {uri}");
            if !value.is_empty() {
                let back = matcher.values(&uri).unwrap();
                assert_eq!(back.get("name"), values.get("name"), "{uri}");
            }
        }
    }
}

/// Tries deep, wide and long messages of a few megabytes, which could cost a stack, a table or a
/// minute.
#[tokio::test]
async fn ruby_sdk_hardening_json_that_costs_more_than_its_bytes() {
    let (server, probe) = server();
    let mut stream = open(&server);
    let members: Vec<_> = (0..50_000).map(|at| format!("\"k{at}\":1")).collect();
    for arguments in [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(500_000),
        format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("{{{}}}", members.join(",")),
        format!("[{}0]", "0,".repeat(1 << 20)),
    ] {
        let call = modern_call(&arguments);
        let start = Instant::now();
        stream.write(call.as_bytes()).await;
        for reply in before_a_good_reply(&mut stream).await {
            assert!(reply["error"].is_object());
        }
        assert!(start.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(probe.ran(), 0);
}

fn modern_call(arguments: &str) -> String {
    let meta: Value = crate::http::meta();
    let params = format!(r#"{{"_meta":{meta},"name":"canary","arguments":{arguments}}}"#);
    let head = json!("tools/call");
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":{head},\"params\":{params}}}\n")
}

/// An open stream of HTTP with SSE counts as a session, and the number of sessions has a limit.
#[test]
fn kotlin_sdk_841_every_limit_is_finite() {
    let limits = Limits::default();
    for (name, limit) in [
        ("message_bytes", limits.message_bytes),
        ("initialize_bytes", limits.sessions.initialize_bytes),
        ("reply_bytes", limits.reply_bytes),
        ("requests", limits.requests),
        ("requests_per_connection", limits.requests_per_connection),
        ("listens", limits.subscriptions.open),
        ("listen_uris", limits.subscriptions.uris),
        ("tasks", limits.tasks.stored),
        ("sessions", limits.sessions.open),
        ("resume_total", limits.resumption.bytes_in_all),
    ] {
        assert!((1..=1 << 30).contains(&limit), "{name}: {limit}");
    }
    assert_eq!(limits.sessions.open, 10_000);
    assert!(ROUTES.contains(&Route::Put));
}
