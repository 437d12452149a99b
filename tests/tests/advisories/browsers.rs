//! Web pages that attack a server on the user's own machine: with DNS rebinding, or directly with a
//! request that the browser sends without a preflight.

use crate::cases;
use axum::http::{Request, Version};
use plainly::transport::http::HttpServer;
use serde_json::json;
use tower::ServiceExt;

use crate::http::{Attempt, modern};
use crate::routes::{Route, refused};
use crate::site::{KINDS, Kind, Site, server};

const FORBIDDEN: [u16; 2] = [403, 400];

fn with_body(route: Route) -> bool {
    route.has_body()
}

fn any(_route: Route) -> bool {
    true
}

#[tokio::test]
async fn cve_2026_42559_dns_rebinding_host_unchecked() {
    for host in [
        "evil.example",
        "evil.example:80",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "",
    ] {
        refused(&FORBIDDEN, any, |attempt, _| attempt.with("Host", host)).await;
    }
    refused(&[400], any, |attempt, _| attempt.without("Host")).await;
    refused(&[400], any, |attempt, _| {
        attempt.and("Host", "evil.example")
    })
    .await;
}

#[tokio::test]
async fn rustsec_2026_0140_csrf_on_loopback_despite_a_good_host() {
    refused(&[403], any, |attempt, _| {
        let attempt = attempt.with("Origin", "https://evil.example");
        attempt.with("Content-Type", "text/plain")
    })
    .await;
}

/// A server's service is protected without any configuration.
#[tokio::test]
async fn cve_2025_66414_rebinding_protection_off_by_default() {
    let (server, probe) = server();
    for (host, origin) in [
        ("evil.example", None),
        ("localhost", Some("http://evil.example")),
        ("localhost", Some("null")),
    ] {
        let mut request = Request::post("/")
            .header("Host", host)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "canary");
        if let Some(origin) = origin {
            request = request.header("Origin", origin);
        }
        let call = modern(1, "tools/call", json!({"name": "canary", "arguments": {}}));
        let request = request.body(call.to_string()).unwrap();
        let answer = server.http().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), 403, "{host} {origin:?}");
    }
    assert_eq!(probe.ran(), 0);
}

/// A server without allowed hosts does not start on a non-loopback address, because it would be
/// unprotected.
#[tokio::test]
async fn cve_2025_66416_no_protection_beyond_loopback() {
    let (server, _) = server();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let Ok(listener) = HttpServer::bind(address).await else {
            // The machine has no IPv6.
            continue;
        };
        let served = listener.serve(server.http(), std::future::pending()).await;
        let found = served.unwrap_err().kind();
        assert_eq!(found, std::io::ErrorKind::InvalidInput, "{address}");
    }
}

/// The affected SDK applied the fix to one of two handlers only.
#[tokio::test]
async fn cve_2026_34742_sse_endpoint_left_out_of_the_fix() {
    let is_sse = |route| matches!(route, Route::Events | Route::Put);
    refused(&[403], is_sse, |attempt, _| {
        attempt.with("Host", "evil.example")
    })
    .await;
    refused(&[403], is_sse, |attempt, _| {
        attempt.with("Origin", "http://evil.example")
    })
    .await;
}

#[tokio::test]
async fn cve_2026_33252_simple_requests_run_tools() {
    let types = [
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("multipart/form-data; boundary=x"),
        Some("application/jsonx"),
        Some("text/json"),
        Some("application/json-patch+json"),
        None,
    ];
    for content_type in types {
        let typed = |attempt: Attempt| match content_type {
            Some(content_type) => attempt.with("Content-Type", content_type),
            None => attempt.without("Content-Type"),
        };
        refused(&[415], with_body, |attempt, _| typed(attempt)).await;
        for origin in ["http://evil.example", "null"] {
            refused(&[403], with_body, |attempt, _| {
                typed(attempt).with("Origin", origin)
            })
            .await;
        }
    }
    // JSON is accepted in every valid spelling of its media type.
    for kind in KINDS {
        let site = Site::start(kind).await;
        let call = Attempt::call(site.address, "canary", json!({}));
        let call = call.with("Content-Type", "APPLICATION/JSON; charset=utf-8");
        assert_eq!(call.status().await, 200);
    }
}

#[tokio::test]
async fn cve_2026_35568_rebinding_to_a_name_with_the_right_port() {
    refused(&[403], any, |attempt, _| {
        let host = format!("rebound.example:{}", port_of(&attempt));
        attempt.with("Host", host)
    })
    .await;
}

#[tokio::test]
async fn ruby_sdk_cfccb7c_origin_of_another_port_or_scheme() {
    for origin in [
        "http://localhost:1",
        "http://127.0.0.1:1",
        "https://localhost",
        "http://localhost.evil.example",
        "http://evil.example/http://localhost",
        "file://",
        "chrome-extension://abc",
    ] {
        refused(&[403], any, |attempt, _| attempt.with("Origin", origin)).await;
    }
}

#[tokio::test]
async fn kotlin_sdk_840_hostile_or_null_origin_with_a_good_host() {
    for origin in ["null", "http://evil.example", "evil.example", ""] {
        refused(&[403], any, |attempt, _| attempt.with("Origin", origin)).await;
    }
    // A second, foreign origin follows the right one.
    refused(&[403], any, |attempt, _| {
        let own = format!("http://127.0.0.1:{}", port_of(&attempt));
        attempt
            .with("Origin", own)
            .and("Origin", "http://evil.example")
    })
    .await;
}

#[tokio::test]
async fn ruby_sdk_hardening_numeric_spellings_of_loopback() {
    for host in cases::<&str>("spellings of loopback") {
        refused(&FORBIDDEN, any, |attempt, kind| {
            let port = port_of(&attempt);
            match kind {
                Kind::Own => attempt.with("Host", format!("{host}:{port}")),
                Kind::Mounted => attempt.with("Host", host),
            }
        })
        .await;
        refused(&FORBIDDEN, any, |attempt, _| {
            let origin = format!("http://{host}:{}", port_of(&attempt));
            attempt.with("Origin", origin)
        })
        .await;
    }
}

fn port_of(attempt: &Attempt) -> String {
    let head = attempt.head();
    let (_, rest) = head.split_once("127.0.0.1:").unwrap();
    rest.split("\r\n").next().unwrap().to_owned()
}

/// HTTP/2 names the host in `:authority`, which a check of the `Host` header alone ignores.
#[tokio::test]
async fn rmcp_827_authority_of_http_2_unchecked() {
    let (server, probe) = server();
    let ask = |uri: &str, host: Option<&str>| {
        let mut request = Request::post(uri)
            .version(Version::HTTP_2)
            .header("Content-Type", "application/json")
            .header("Accept", "*/*")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "canary");
        if let Some(host) = host {
            request = request.header("Host", host);
        }
        let call = modern(1, "tools/call", json!({"name": "canary", "arguments": {}}));
        server
            .http()
            .oneshot(request.body(call.to_string()).unwrap())
    };
    for (uri, host, status) in [
        ("http://evil.example/", None, 403),
        ("http://evil.example/", Some("localhost"), 400),
        ("http://localhost/", Some("evil.example"), 400),
        ("/", None, 400),
    ] {
        let answer = ask(uri, host).await.unwrap();
        assert_eq!(answer.status(), status, "{uri} {host:?}");
    }
    assert_eq!(probe.ran(), 0);
    assert_eq!(ask("http://localhost/", None).await.unwrap().status(), 200);
}

/// The server allows no cross-origin access, whatever the browser asks in its preflight.
#[tokio::test]
async fn cve_2026_34237_cors_for_everybody() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        for path in ["/mcp", "/sse"] {
            for origin in ["http://evil.example", "null"] {
                let preflight = Attempt::new(site.address, "OPTIONS", path)
                    .with("Origin", origin)
                    .with("Access-Control-Request-Method", "POST")
                    .with("Access-Control-Request-Headers", "content-type")
                    .with("Access-Control-Request-Private-Network", "true");
                let answer = preflight.send().await;
                assert_eq!(answer.status, 403, "{answer:?}");
                let head = answer.head.to_lowercase();
                assert!(!head.contains("access-control"), "{head}");
            }
        }
    }
}

/// The affected software had a list of allowed hosts that allowed all hosts by default.
#[tokio::test]
async fn cve_2026_11624_every_host_is_allowed_unless_told() {
    refused(&FORBIDDEN, any, |attempt, _| attempt.with("Host", "*")).await;
    let (server, _) = server();
    for everybody in ["*", "*.example.com", ""] {
        assert!(server.http().allow_host(everybody).is_err(), "{everybody}");
        assert!(
            server.http().allow_origin(everybody).is_err(),
            "{everybody}"
        );
    }
}

#[tokio::test]
async fn cve_2025_9611_origin_unchecked_on_every_method() {
    for method in ["PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "GET", "DELETE"] {
        for kind in KINDS {
            let site = Site::start(kind).await;
            for path in ["/mcp", "/sse"] {
                let attempt = Attempt::new(site.address, method, path);
                let attempt = attempt.with("Origin", "http://evil.example");
                assert_eq!(attempt.status().await, 403, "{kind:?} {method} {path}");
            }
        }
    }
}
