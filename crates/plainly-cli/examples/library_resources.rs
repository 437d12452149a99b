//! The library of the guide, with its books as resources.

use plainly::protocol::types;
use plainly::{ProtocolError, Resource, ResourceTemplate, ResourceUri, Server, Vars};
use schemars::JsonSchema;
use serde::Deserialize;

const BOOKS: [(&str, &str); 3] = [
    ("emma", "Emma, by Jane Austen"),
    ("momo", "Momo, by Michael Ende"),
    ("ulysses", "Ulysses, by James Joyce"),
];

async fn hours() -> &'static str {
    "Monday to Friday, 9 to 5"
}

#[derive(Deserialize, JsonSchema)]
struct Book {
    id: String,
}

async fn book(
    uri: ResourceUri,
    Vars(Book { id }): Vars<Book>,
) -> Result<&'static str, ProtocolError> {
    match BOOKS.iter().find(|(known, _)| *known == id) {
        Some((_, text)) => Ok(text),
        None => Err(ProtocolError::resource_not_found(uri)),
    }
}

async fn all_books() -> Vec<types::Resource> {
    BOOKS
        .map(|(id, _)| types::Resource::new(format!("book:///{id}"), id))
        .into()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hours = Resource::new("library://hours", hours).name("hours");
    let books = ResourceTemplate::new("book:///{id}", book)
        .name("book")
        .list(all_books);
    let server = Server::builder("library", "1.0.0")
        .resource(hours)
        .resource_template(books)
        .build()?;
    server.serve_stdio().await?;
    Ok(())
}
