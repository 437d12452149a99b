//! This project over standard input and output.

use std::error::Error;

use plainly_interop::Case;
use plainly_interop::plainly::server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    server(Case::of_arguments()?)?.serve_stdio().await?;
    Ok(())
}
