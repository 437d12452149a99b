//! The library of the guide over HTTP.
#![expect(clippy::print_stderr, reason = "says where it listens")]

use plainly::transport::http::HttpServer;
use plainly::{Resource, Server, shutdown};

async fn hours() -> &'static str {
    "Monday to Friday, 9 to 5"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("library", "1.0.0")
        .resource(Resource::new("library://hours", hours).name("hours"))
        .build()?;

    let address = std::env::var("ADDRESS").unwrap_or("127.0.0.1:3000".to_owned());
    let listener = HttpServer::bind(address).await?;
    eprintln!("http://{}/mcp", listener.local_addr());
    let service = server.http().path("/mcp");
    listener.serve(service, shutdown::requested()).await?;
    Ok(())
}
