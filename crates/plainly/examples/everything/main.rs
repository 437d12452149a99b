//! Every server feature, with a handler or two each, in one file per kind: everything that the
//! scenarios of the official conformance suite need. The server uses standard input and output, or
//! HTTP at the address in its first argument. The second argument names a file with the keys.
//!
//! ```console
//! $ plainly call test_simple_text -- cargo run -q --example everything
//! This is a simple text response for testing.
//! ```

#[path = "features.rs"]
mod features;

use std::error::Error;
use std::io::{self, Write};

use plainly::server::{BuildErrors, Keys};
use plainly::transport::http::HttpServer;
use plainly::{Server, shutdown};

/// Builds the server, which is the same for every client.
fn server(keys: Option<Keys>) -> Result<Server, BuildErrors> {
    let server = Server::builder("everything", env!("CARGO_PKG_VERSION"));
    let server = match keys {
        Some(keys) => server.keys(keys),
        None => server,
    };
    features::add(server).build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (address, keys) = (args.next(), args.next());
    let server = server(keys.map(Keys::file).transpose()?)?;
    let Some(address) = address else {
        return Ok(server.serve_stdio().await?);
    };
    let http = HttpServer::bind(address).await?;
    writeln!(io::stderr(), "http://{}/mcp", http.local_addr())?;
    let service = server.http().sse_endpoint("/sse");
    Ok(http.serve(service, shutdown::requested()).await?)
}
