//! rmcp over standard input and output, with the pipes driven by the reactor instead of the thread pool.

use std::error::Error;

use plainly_interop::rmcp::Server;
use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Server.serve(stdio_pipes()).await?.waiting().await?;
    Ok(())
}
