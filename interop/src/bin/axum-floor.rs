//! The minimum cost with a framework: axum with a route, all defaults, and prepared bytes.

use std::error::Error;

use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use plainly_interop::http::announce;
use plainly_interop::{Case, REQUEST_ID};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let answer = Bytes::from(Case::of_arguments()?.answer(REQUEST_ID));
    let respond = move |_: Bytes| {
        let answer = answer.clone();
        async move { ([(CONTENT_TYPE, "application/json")], answer) }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    announce(listener.local_addr()?);
    axum::serve(listener, Router::new().route("/mcp", post(respond))).await?;
    Ok(())
}
