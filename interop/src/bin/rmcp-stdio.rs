//! rmcp over standard input and output, as in its examples.

use std::error::Error;

use plainly_interop::Case;
use plainly_interop::rmcp::Server;
use rmcp::ServiceExt;
use rmcp::transport::stdio;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::new(Case::of_arguments()?)?;
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
