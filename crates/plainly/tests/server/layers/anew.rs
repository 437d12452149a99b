//! Layers that run a handler more than once, or in another task: it reports and asks as usual.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainly::client::Client;
use plainly::protocol::types::Root;
use plainly::server::extract::Ask;
use plainly::server::layer::{Next, Outcome, Request, from_fn};
use plainly::transport::http::HttpServer;
use plainly::{Context, Failure, Revision, Server, State, Tool};

use super::support::text;

/// Connects clients of every revision, over two transports.
async fn clients(server: &Server) -> Vec<Client> {
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr());
    tokio::spawn(listener.serve(server.http(), std::future::pending()));
    let mut clients = Vec::new();
    for revision in Revision::ALL {
        let nearby = Client::in_memory(server).revision(revision);
        let over_http = Client::http(&url).revision(revision);
        for client in [
            nearby.roots([Root::new("file:///home")]).connect().await,
            over_http.roots([Root::new("file:///home")]).connect().await,
        ] {
            clients.push(client.unwrap());
        }
    }
    clients
}

/// Fails on every other answer.
async fn moody(ask: Ask, State(answers): State<Arc<AtomicUsize>>) -> Result<String, Failure> {
    let roots = ask.roots("roots").await?;
    if answers.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
        return Err(Failure::text("not now"));
    }
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

#[tokio::test]
async fn a_handler_that_runs_anew_asks_anew() {
    async fn again(request: Request, next: Next) -> Outcome {
        let first = next.run(request.clone()).await;
        match first.is_tool_error() {
            true => next.run(request).await,
            false => first,
        }
    }
    let server = Server::builder("anew", "1")
        .state(Arc::new(AtomicUsize::new(0)))
        .tool(Tool::new("moody", moody))
        .layer(from_fn(again))
        .build()
        .unwrap();
    for client in clients(&server).await {
        let called = client.call_tool("moody", ()).await.unwrap();
        assert_eq!(text(&called), "file:///home", "{:?}", client.revision());
    }
}

async fn tells_and_asks(context: Context, ask: Ask) -> Result<String, Failure> {
    context.progress(1).await;
    let roots = ask.roots("roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

#[tokio::test]
async fn a_handler_that_runs_in_another_task_is_asked_for_once_what_it_said_has_left() {
    async fn elsewhere(request: Request, next: Next) -> Outcome {
        tokio::spawn(async move { next.run(request).await })
            .await
            .unwrap()
    }
    let server = Server::builder("elsewhere", "1")
        .tool(Tool::new("tells-and-asks", tells_and_asks))
        .layer(from_fn(elsewhere))
        .build()
        .unwrap();
    for client in clients(&server).await {
        let called = client
            .call_tool("tells-and-asks", ())
            .on_progress(|_| {})
            .into_future();
        let called = tokio::time::timeout(Duration::from_secs(20), called).await;
        let called = called.expect("it waits for nobody").unwrap();
        assert_eq!(text(&called), "file:///home", "{:?}", client.revision());
    }
}
