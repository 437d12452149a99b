//! The library of the guide, which asks before it forgets.

use plainly::{Ask, AskError, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// Forget who has which book, for good
    sure: bool,
}

async fn forget(ask: Ask) -> Result<&'static str, AskError> {
    match ask.form("confirm", "Forget all loans?").await? {
        Some(Confirmation { sure: true }) => Ok("All loans are forgotten."),
        Some(_) | None => Ok("Nothing was forgotten."), // None: the user declined
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let forget = Tool::new("forget", forget).description("Forgets who has which book");
    let server = Server::builder("library", "1.0.0").tool(forget).build()?;
    server.serve_stdio().await?;
    Ok(())
}
