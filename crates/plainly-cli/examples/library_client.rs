//! A client that calls the tool of the library of the guide.
#![expect(
    clippy::print_stdout,
    reason = "a reader sees what the server answered"
)]

use std::process::Command;

use plainly::Client;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = std::env::args().nth(1).ok_or("give the path of a server")?;
    let client = Client::spawn(Command::new(server)).connect().await?;
    for tool in client.tools().await? {
        println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    }

    let found = client.call_tool("find", json!({ "title": "Momo" })).await?;
    for text in found.content.iter().filter_map(|content| content.as_text()) {
        println!("{text}");
    }
    client.close().await;
    Ok(())
}
