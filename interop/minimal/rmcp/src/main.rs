//! A server with one tool, over HTTP, or with `--stdio` over standard input and output.

use std::error::Error;

use axum::Router;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;

#[derive(Deserialize, JsonSchema)]
struct Person {
    /// Whom to greet.
    name: String,
}

#[derive(Clone)]
struct Greeter;

#[tool_router]
impl Greeter {
    #[tool(description = "Greets somebody")]
    async fn greet(&self, Parameters(Person { name }): Parameters<Person>) -> String {
        format!("Hello, {name}!")
    }
}

#[tool_handler(name = "greeter")]
impl ServerHandler for Greeter {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "--stdio") {
        Greeter.serve(stdio()).await?.waiting().await?;
    } else {
        let sessions = LocalSessionManager::default().into();
        let config = StreamableHttpServerConfig::default();
        let service = StreamableHttpService::new(|| Ok(Greeter), sessions, config);
        let listener = TcpListener::bind("127.0.0.1:3333").await?;
        axum::serve(listener, Router::new().nest_service("/mcp", service)).await?;
    }
    Ok(())
}
