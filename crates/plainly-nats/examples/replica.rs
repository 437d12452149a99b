//! One of several replicas of the example `everything`, which share NATS: at the address that is its first argument, with the
//! servers of NATS in its second one, separated by commas, and the keys in the file that is its third one.
//!
//! ```console
//! $ cargo run -p plainly-nats --example replica -- 127.0.0.1:0 nats://127.0.0.1:4222 keys
//! ```

#[path = "../../plainly/examples/everything/features.rs"]
mod features;

use std::error::Error;
use std::io::{self, Write};

use plainly::server::Keys;
use plainly::transport::http::HttpServer;
use plainly::{Server, shutdown};
use plainly_nats::Nats;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(address), Some(urls), Some(keys)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: replica ADDRESS NATS-URL[,NATS-URL] KEY-FILE".into());
    };
    let nats = Nats::connect(urls.split(',')).name("everything").await?;
    let server = Server::builder("everything", env!("CARGO_PKG_VERSION"))
        .keys(Keys::file(keys)?)
        .cluster(nats);
    let server = features::add(server).build()?;
    let http = HttpServer::bind(address).await?;
    writeln!(io::stderr(), "http://{}/mcp", http.local_addr())?;
    let service = server.http().sse_endpoint("/sse");
    Ok(http.serve(service, shutdown::requested()).await?)
}
