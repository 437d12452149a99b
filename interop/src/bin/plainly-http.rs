//! This project over HTTP, with its own listener and all defaults.

use std::error::Error;

use plainly::transport::http::HttpServer;
use plainly_interop::Case;
use plainly_interop::http::announce;
use plainly_interop::plainly::server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = server(Case::of_arguments()?)?.http();
    let listening = HttpServer::bind("127.0.0.1:0").await?;
    announce(listening.local_addr());
    listening.serve(service, std::future::pending()).await?;
    Ok(())
}
