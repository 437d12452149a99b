//! A server with one tool, over HTTP, or with `--stdio` over standard input and output.

use std::error::Error;

use plainly::transport::http::HttpServer;
use plainly::{Args, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Person {
    /// Whom to greet.
    name: String,
}

async fn greet(Args(Person { name }): Args<Person>) -> String {
    format!("Hello, {name}!")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("greeter", env!("CARGO_PKG_VERSION"))
        .tool(Tool::new("greet", greet).description("Greets somebody"))
        .build()?;
    if std::env::args().any(|argument| argument == "--stdio") {
        server.serve_stdio().await?;
    } else {
        let listening = HttpServer::bind("127.0.0.1:3333").await?;
        let service = server.http().path("/mcp");
        listening.serve(service, std::future::pending()).await?;
    }
    Ok(())
}
