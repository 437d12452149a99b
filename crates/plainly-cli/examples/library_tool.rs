//! The library of the guide with its first tool.

use plainly::{Args, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// The titles and where they stand.
const BOOKS: [(&str, u8); 3] = [("Emma", 2), ("Momo", 1), ("Ulysses", 2)];

#[derive(Deserialize, JsonSchema)]
struct Find {
    /// The title of the book.
    title: String,
}

async fn find(Args(Find { title }): Args<Find>) -> String {
    match BOOKS.iter().find(|(known, _)| *known == title) {
        Some((_, shelf)) => format!("{title} is on shelf {shelf}."),
        None => format!("There is no {title}."),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let find = Tool::new("find", find)
        .description("Finds a book by its title")
        .read_only();
    let server = Server::builder("library", "1.0.0").tool(find).build()?;
    server.serve_stdio().await?;
    Ok(())
}
