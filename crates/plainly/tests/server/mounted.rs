//! The server within axum: the example, several servers on one router, and the layers that
//! applications add around them.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use axum::Router;
use tokio::net::TcpListener;

#[path = "../../examples/mounted.rs"]
#[expect(
    dead_code,
    reason = "the example's `main` listens where everybody expects it"
)]
mod example;

mod around;
mod notes;
mod several;

/// Serves `router`, and returns its URL.
async fn listening(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}
