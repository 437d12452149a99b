//! The HTTP service within another server.

use std::net::SocketAddr;

use axum::Router;
use plainly::transport::http::HttpService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use plainly_peer::within;

use super::support::{Echo, statuses};

async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

async fn post(address: SocketAddr, path: &str, more: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\nAccept: */*\r\n\
         Connection: close\r\nContent-Length: 3\r\n{more}\r\n[1]",
        address.port()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    within(stream.read_to_string(&mut response)).await.unwrap();
    response
}

#[tokio::test]
async fn it_mounts_in_a_router() {
    let echo = Echo::default();
    let service = HttpService::new(echo.clone());
    let router = Router::new()
        .route_service("/mcp", service.clone())
        .nest_service("/nested", service.clone())
        .fallback_service(service.path("/fallen"));
    let address = serve(router).await;
    for (path, expected) in [
        ("/mcp", 200),
        ("/nested", 200),
        ("/nested/deep", 200),
        ("/fallen", 200),
        ("/other", 404),
    ] {
        let response = post(address, path, "").await;
        assert_eq!(statuses(&response), [expected], "{path}: {response}");
    }
    assert_eq!(echo.calls(), 4);
}

#[tokio::test]
async fn not_knowing_its_port_it_takes_pages_of_the_same_port_only() {
    let echo = Echo::default();
    let address = serve(Router::new().route_service("/mcp", HttpService::new(echo.clone()))).await;
    let port = address.port();
    let cases = [
        (format!("Origin: http://localhost:{port}\r\n"), 200),
        (format!("Origin: http://127.0.0.1:{port}\r\n"), 200),
        ("Origin: http://localhost:1\r\n".to_owned(), 403),
        ("Origin: http://localhost\r\n".to_owned(), 403),
        ("Origin: https://evil.example\r\n".to_owned(), 403),
    ];
    for (origin, expected) in cases {
        let response = post(address, "/mcp", &origin).await;
        assert_eq!(statuses(&response), [expected], "{origin}: {response}");
    }
    assert_eq!(echo.calls(), 2);
}
