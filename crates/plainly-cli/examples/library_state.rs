//! The library of the guide, which remembers who has which book.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use plainly::{Args, Problem, ProblemCode, Resource, Server, State, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// The reader of each book that is lent.
#[derive(Clone, Default)]
struct Loans(Arc<Mutex<BTreeMap<String, String>>>);

#[derive(Deserialize, JsonSchema)]
struct Lend {
    /// The title of the book.
    title: String,
    /// Who takes it home.
    reader: String,
}

async fn lend(
    State(Loans(loans)): State<Loans>,
    Args(Lend { title, reader }): Args<Lend>,
) -> Result<String, Problem> {
    let mut loans = loans.lock().expect("no handler panics");
    if let Some(other) = loans.get(&title) {
        let message = format!("{other} has {title}.");
        return Err(Problem::new(ProblemCode::EntityInUse, message).suggest("Lend another book."));
    }
    let lent = format!("{reader} has {title} now.");
    loans.insert(title, reader);
    Ok(lent)
}

async fn all_loans(State(Loans(loans)): State<Loans>) -> String {
    let loans = loans.lock().expect("no handler panics");
    let lines = loans
        .iter()
        .map(|(title, reader)| format!("{title}: {reader}\n"));
    lines.collect()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("library", "1.0.0")
        .state(Loans(Arc::new(Mutex::new(
            [("Momo".to_owned(), "Ada".to_owned())].into(),
        ))))
        .tool(Tool::new("lend", lend).description("Lends a book to a reader"))
        .resource(Resource::new("library://loans", all_loans).name("loans"))
        .build()?;
    server.serve_stdio().await?;
    Ok(())
}
