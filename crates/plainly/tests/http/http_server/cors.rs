//! Pages of allowed origins: browsers ask before they send, and read only what the server allows.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use http::request::Parts;
use plainly::errors::Refusal;
use plainly::transport::http::{Admission, HttpGate, TurnedAway};

use super::support::{Server, statuses};

const APP: &str = "https://app.example.com";
const EXTENSION: &str = "chrome-extension://abcdefghijklmnop";

/// Rejects every request.
#[derive(Debug)]
pub(crate) struct Closed;

impl HttpGate for Closed {
    fn admit<'a>(&'a self, _head: &'a mut Parts) -> BoxFuture<'a, Result<Admission, TurnedAway>> {
        async {
            let mut away = TurnedAway::new(Refusal::Unauthorized);
            let challenge = HeaderValue::from_static("Bearer");
            away.headers.insert("www-authenticate", challenge);
            Err(away)
        }
        .boxed()
    }
}

async fn server() -> Server {
    Server::with(|service| {
        let service = service.sse_endpoint("/sse").allow_origin(APP);
        service
            .and_then(|service| service.allow_origin(EXTENSION))
            .unwrap()
    })
    .await
}

/// Returns the head of the response to a request without a body, in lower case.
async fn head(server: &Server, line: &str, headers: &[&str]) -> String {
    let host = format!("Host: 127.0.0.1:{}", server.port());
    let lines = [&[line, &host], headers].concat();
    let mut client = server.connect().await;
    client
        .write(format!("{}\r\n\r\n", lines.join("\r\n")))
        .await;
    client.read_until("\r\n\r\n").await.to_ascii_lowercase()
}

#[track_caller]
fn has(head: &str, headers: &[&str]) {
    for header in headers {
        let header = header.to_ascii_lowercase();
        assert!(
            head.contains(&format!("\r\n{header}\r\n")),
            "{header}: {head}"
        );
    }
}

const SENT: &str = "Access-Control-Allow-Headers: Accept, Authorization, baggage, Content-Type, DPoP, Last-Event-ID, \
                    MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, traceparent, tracestate";

#[tokio::test]
async fn a_browser_may_ask_for_pages_of_allowed_origins() {
    let mut server = server().await;
    let origin = format!("Origin: {APP}");
    for path in ["/mcp", "/sse"] {
        let line = format!("OPTIONS {path} HTTP/1.1");
        let asked = ["Access-Control-Request-Method: POST", &origin];
        let plain = head(&server, &line, &asked).await;
        assert_eq!(statuses(&plain.to_uppercase()), [204], "{plain}");
        has(
            &plain,
            &[
                "Access-Control-Allow-Origin: https://app.example.com",
                "Access-Control-Allow-Methods: POST, GET, DELETE",
                SENT,
                "Access-Control-Max-Age: 7200",
                "Vary: Origin",
            ],
        );
        for absent in ["private-network", "allow-credentials", "allow-origin: *"] {
            assert!(!plain.contains(absent), "{plain}");
        }
        let more = [
            "Access-Control-Request-Private-Network: true",
            "Access-Control-Request-Headers: content-type,mcp-param-region, Mcp-Param-X, x-other",
        ];
        let more = head(&server, &line, &[&asked, &more[..]].concat()).await;
        let mirrored = format!("{SENT}, mcp-param-region, Mcp-Param-X");
        has(
            &more,
            &["Access-Control-Allow-Private-Network: true", &mirrored],
        );
    }
    assert_eq!(server.echo.calls(), 0);
    let asked = [
        "Access-Control-Request-Method: POST",
        "Origin: chrome-extension://abcdefghijklmnop",
    ];
    has(
        &head(&server, "OPTIONS /mcp HTTP/1.1", &asked).await,
        &["Access-Control-Allow-Origin: chrome-extension://abcdefghijklmnop"],
    );
    server.stop();
}

#[tokio::test]
async fn a_browser_may_ask_for_nobody_else() {
    let server = server().await;
    let own = format!("Origin: http://127.0.0.1:{}", server.port());
    let allowed = format!("Origin: {APP}");
    let asks = "Access-Control-Request-Method: POST";
    for (headers, status) in [
        (&[asks, "Origin: https://evil.example"][..], 403),
        (&[asks, "Origin: https://app.example.com.evil.example"], 403),
        (&[asks, "Origin: null"], 403),
        (&[asks, &allowed, &allowed], 403),
        // A browser does not ask for pages of the server's own origin.
        (&[asks, &own], 405),
        (&[asks], 405),
    ] {
        let response = head(&server, "OPTIONS /mcp HTTP/1.1", headers).await;
        assert_eq!(statuses(&response.to_uppercase()), [status], "{headers:?}");
        assert!(
            !response.contains("access-control"),
            "{headers:?}: {response}"
        );
    }
    // This request names no method, and the next one has a host that no page may use.
    let response = head(&server, "OPTIONS /mcp HTTP/1.1", &[&allowed]).await;
    assert_eq!(statuses(&response.to_uppercase()), [405]);
    let line = "OPTIONS http://evil.example/mcp HTTP/1.1";
    let response = head(&server, line, &[asks, &allowed]).await;
    assert_eq!(statuses(&response.to_uppercase()), [400]);
}

/// The headers of a response that a page may read.
const READABLE: [&str; 3] = [
    "Access-Control-Allow-Origin: https://app.example.com",
    "Access-Control-Expose-Headers: DPoP-Nonce, MCP-Protocol-Version, Mcp-Session-Id, Retry-After, WWW-Authenticate",
    "Vary: Origin",
];

#[tokio::test]
async fn a_page_reads_results_streams_and_errors() {
    let server = server().await;
    let origin = format!("Origin: {APP}");
    let json = "Content-Type: application/json";
    let both = "Accept: application/json, text/event-stream";
    let (session, empty) = ("Mcp-Session-Id: x", "Content-Length: 0");
    for (line, headers, status) in [
        ("POST /mcp HTTP/1.1", &[json, both, empty][..], 200),
        ("GET /mcp HTTP/1.1", &[both, session], 200),
        ("DELETE /mcp HTTP/1.1", &[session], 204),
        ("GET /mcp HTTP/1.1", &[], 405),
        ("POST /mcp HTTP/1.1", &[both, empty], 415),
        (
            "POST /mcp HTTP/1.1",
            &[json, both, "Content-Length: 9999999999"],
            413,
        ),
        ("POST /nope HTTP/1.1", &[json, both, empty], 404),
    ] {
        let response = head(&server, line, &[headers, &[&origin]].concat()).await;
        assert_eq!(
            statuses(&response.to_uppercase()),
            [status],
            "{line}: {response}"
        );
        has(&response, &READABLE);
        let foreign = [headers, &["Origin: https://evil.example"]].concat();
        let response = head(&server, line, &foreign).await;
        assert_eq!(
            statuses(&response.to_uppercase()),
            [403],
            "{line}: {response}"
        );
        assert!(!response.contains("access-control"), "{response}");
    }
}

#[tokio::test]
async fn a_page_is_asked_to_authenticate_and_its_browser_is_not() {
    let server =
        Server::with(|service| service.authenticate(Closed).allow_origin(APP).unwrap()).await;
    let origin = format!("Origin: {APP}");
    let asked = [origin.as_str(), "Access-Control-Request-Method: POST"];
    let preflight = head(&server, "OPTIONS /mcp HTTP/1.1", &asked).await;
    assert_eq!(statuses(&preflight.to_uppercase()), [204]);
    let line = "POST /mcp HTTP/1.1";
    let refused = head(&server, line, &[&origin, "Content-Length: 0"]).await;
    assert_eq!(statuses(&refused.to_uppercase()), [401]);
    has(&refused, &READABLE);
    has(&refused, &["WWW-Authenticate: Bearer"]);
}
