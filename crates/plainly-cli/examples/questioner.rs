//! A server that asks every kind of question, and logs and reports progress meanwhile.
//!
//! ```console
//! $ plainly call book --answer name=Ada -- cargo run -q --example questioner
//! {"copies":1,"name":"Ada","way":"s"}
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use plainly::protocol::types::{
    ChoiceField, CreateMessageParams, ElicitFormParams, ElicitResult, LoggingLevel, NumberField,
    SamplingMessage, TextField,
};
use plainly::server::extract::{Args, Progress};
use plainly::server::{Server, Tool};
use plainly::{Ask, Context, Failure};
use schemars::JsonSchema;
use serde::Deserialize;

fn told(answer: &ElicitResult) -> Result<String, Failure> {
    match answer.is_accepted() {
        true => Ok(serde_json::to_string(&answer.content)?),
        false => Ok(format!("{:?}", answer.action)),
    }
}

/// Asks with a form that has fields of most kinds.
async fn book(context: Context, ask: Ask) -> Result<String, Failure> {
    context.log(LoggingLevel::Info, "looking for seats").await;
    context
        .log(LoggingLevel::Warning, "few\u{1b}[2J seats")
        .await;
    writeln!(io::stderr(), "the questioner asks")?;
    let form = ElicitFormParams::new("Whom shall I book for?\n\u{1b}[31mNow.")
        .field(
            "name",
            TextField::new().title("Your name").min_length(2_u64),
        )
        .field(
            "way",
            ChoiceField::new([("a", "By air"), ("s", "By sea")]).default_value("s"),
        )
        .optional("copies", NumberField::integer().minimum(1).default_value(1))
        .optional("pin", TextField::new());
    told(&ask.elicit("who", form).await?)
}

/// Asks two questions at once.
async fn both(ask: Ask) -> Result<String, Failure> {
    let form = |of: &str| ElicitFormParams::new(of).field("name", TextField::new());
    let (one, other) = tokio::try_join!(
        ask.elicit("first", form("The first?")),
        ask.elicit("second", form("The second?")),
    )?;
    Ok(format!("{} {}", told(&one)?, told(&other)?))
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    /// Where to send the user.
    url: String,
}

async fn visit(ask: Ask, Args(Page { url }): Args<Page>) -> Result<String, Failure> {
    let action = ask.visit("page", url, "Sign in there").await?;
    Ok(format!("{action:?}"))
}

async fn poem(ask: Ask) -> Result<String, Failure> {
    let question = CreateMessageParams::new([SamplingMessage::user("A poem?")], 100);
    Ok(ask.sample("poem", question).await?.text())
}

async fn place(ask: Ask) -> Result<String, Failure> {
    let roots = ask.roots("place").await?;
    let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
    Ok(uris.join("\n"))
}

#[derive(Deserialize, JsonSchema)]
struct Shelves {
    /// How many there are, where that is known.
    total: Option<u32>,
    /// The file for which the last one waits.
    until: String,
}

/// Reports progress at the second shelf until a file exists.
async fn count(context: Context, Args(Shelves { total, until }): Args<Shelves>) -> &'static str {
    let progress = Progress::new(2).message("shelf\u{1b}[2J 2");
    let progress = match total {
        Some(total) => progress.of(total),
        None => progress,
    };
    context.progress(progress).await;
    while !Path::new(&until).exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    context
        .log(LoggingLevel::Error, "one book is missing")
        .await;
    "counted"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("questioner", env!("CARGO_PKG_VERSION"))
        .tool(Tool::new("book", book).description("Asks for whom to book"))
        .tool(Tool::new("both", both).description("Asks two things at once"))
        .tool(Tool::new("visit", visit).description("Sends the user to a page"))
        .tool(Tool::new("poem", poem).description("Asks a model for a poem"))
        .tool(Tool::new("place", place).description("Asks for the directories that it may use"))
        .tool(Tool::new("count", count).description("Counts shelves"))
        .build()?;
    Ok(server.serve_stdio().await?)
}
