//! This example as one of several replicas, over an engine that they share.

use std::error::Error;
use std::io::{self, Write};

use plainly::server::Keys;
use plainly::transport::http::HttpServer;
use plainly::{Server, shutdown};
use plainly_cluster::Engine;

use crate::features;

/// Serves at an address until a signal to stop arrives. The first line on standard error contains
/// the address.
pub(crate) async fn serve(
    address: &str,
    engine: impl Engine,
    keys: &str,
) -> Result<(), Box<dyn Error>> {
    let server = Server::builder("everything", env!("CARGO_PKG_VERSION"))
        .keys(Keys::file(keys)?)
        .cluster(engine);
    let server = features::add(server).build()?;
    let http = HttpServer::bind(address).await?;
    writeln!(io::stderr(), "http://{}/mcp", http.local_addr())?;
    let service = server.http().sse_endpoint("/sse");
    Ok(http.serve(service, shutdown::requested()).await?)
}
