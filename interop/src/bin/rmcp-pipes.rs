//! rmcp over standard input and output in its fastest mode: the reactor drives the pipes, instead
//! of the thread pool.

use std::error::Error;

use plainly_interop::Case;
use plainly_interop::rmcp::Server;
use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::new(Case::of_arguments()?)?;
    server.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}
