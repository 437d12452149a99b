//! The paths in addition to the endpoint.

use std::time::Duration;

use http::StatusCode;
use plainly::transport::http::{Readiness, Route};

use super::cors::Closed;
use super::support::{Server, statuses};

fn request(method: &str, path: &str, host: &str, body: &str) -> String {
    let length = body.len();
    format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[tokio::test]
async fn a_probe_needs_no_token_and_no_name() {
    let server = Server::with(|service| {
        let service = service.route("/healthz", Route::health());
        service.authenticate(Closed)
    })
    .await;
    for method in ["GET", "HEAD", "POST"] {
        for host in ["localhost", "10.0.0.5:8080", "evil.example"] {
            let response = server.send(request(method, "/healthz", host, "")).await;
            assert_eq!(statuses(&response), [200], "{response}");
            assert!(response.ends_with("\r\n\r\n"), "{response}");
        }
    }
    let response = server
        .send(request("GET", "/healthz/", "localhost", ""))
        .await;
    assert_ne!(statuses(&response), [200], "{response}");
    let response = server.send(server.good("[1]")).await;
    assert_eq!(statuses(&response), [401], "{response}");
    assert_eq!(server.echo.calls(), 0);
}

#[tokio::test]
async fn a_server_that_drains_says_so_and_serves_on() {
    let readiness = Readiness::new();
    let server =
        Server::with(|service| service.route("/readyz", Route::readiness(&readiness))).await;
    let probe = request("GET", "/readyz", "10.0.0.5:8080", "");
    let ready = server.send(&probe).await;
    assert_eq!(statuses(&ready), [200]);
    assert!(ready.ends_with("\r\n\r\nready\n"), "{ready}");
    readiness.drain(async {}, Duration::ZERO).await;
    let draining = server.send(&probe).await;
    assert_eq!(statuses(&draining), [503]);
    assert!(draining.ends_with("\r\n\r\nnot ready\n"), "{draining}");
    assert_eq!(statuses(&server.send(server.good("[1]")).await), [200]);
}

#[tokio::test]
async fn an_endpoint_whose_path_is_taken_is_not_at_all_others() {
    let server = Server::with(|service| service.route("/mcp", Route::health())).await;
    let good = server.good("[1]");
    assert_eq!(statuses(&server.send(good.clone()).await), [200]);
    let elsewhere = good.replacen("/mcp", "/other", 1);
    assert_eq!(statuses(&server.send(elsewhere).await), [404]);
    assert_eq!(server.echo.calls(), 0);
}

#[tokio::test]
async fn documents_and_forms_are_for_pages_of_any_origin_but_not_for_any_host() {
    let server = Server::with(|service| {
        let count = |body: &[u8]| (StatusCode::CREATED, body.len().to_string().into());
        let service = service.route("/about", Route::document("{}"));
        service.route("/count", Route::form(count))
    })
    .await;
    let own = server.site.address.to_string();
    for (method, path, host, status, body) in [
        ("GET", "/about", &*own, 200, "{}"),
        ("OPTIONS", "/about", &own, 204, ""),
        ("POST", "/about", &own, 405, ""),
        ("GET", "/about", "evil.example", 403, ""),
        ("POST", "/count", &own, 201, "3"),
        ("OPTIONS", "/count", &own, 204, ""),
        ("GET", "/count", &own, 405, ""),
        ("POST", "/count", "evil.example", 403, ""),
        ("GET", "/other", &own, 404, ""),
    ] {
        let response = server.send(request(method, path, host, "[1]")).await;
        assert_eq!(statuses(&response), [status], "{method} {path}: {response}");
        let is_public = response.contains("access-control-allow-origin: *\r\n");
        assert_eq!(is_public, status < 400, "{response}");
        assert!(response.ends_with(body), "{response}");
        let allowed = match path {
            "/about" => "allow: GET, HEAD, OPTIONS\r\n",
            _ => "allow: POST, OPTIONS\r\n",
        };
        let is_allowed = response.contains(allowed);
        assert_eq!(is_allowed, status == 405, "{response}");
    }
    server.assert_lives("other paths").await;
}
