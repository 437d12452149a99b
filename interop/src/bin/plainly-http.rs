//! This project over HTTP, with its own listener and every default.

use std::error::Error;

use plainly::transport::http::HttpServer;
use plainly_interop::plainly::server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listening = HttpServer::bind("127.0.0.1:0").await?;
    announce(listening.local_addr());
    listening
        .serve(server()?.http(), std::future::pending())
        .await?;
    Ok(())
}

#[expect(
    clippy::print_stdout,
    reason = "the benchmark reads the address from there"
)]
fn announce(address: std::net::SocketAddr) {
    println!("http://{address}/mcp");
}
