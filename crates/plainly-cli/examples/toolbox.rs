//! A server with tools and prompts, over standard input and output, or over HTTP at the address in
//! its argument.
//!
//! ```console
//! $ plainly call greet name=Ada -- cargo run -q --example toolbox
//! Hello, Ada!
//! ```

use std::error::Error;
use std::io::{self, Write};

use plainly::protocol::types::PromptMessage;
use plainly::server::extract::{Args, PartialArgument};
use plainly::server::reply::Json;
use plainly::server::{Prompt, Server, Tool};
use plainly::shutdown;
use plainly::transport::http::HttpServer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Person {
    /// Whom to greet.
    name: String,
}

async fn greet(Args(Person { name }): Args<Person>) -> String {
    format!("Hello, {name}!")
}

#[derive(Deserialize, JsonSchema)]
struct Division {
    dividend: i64,
    divisor: i64,
}

#[derive(Serialize, JsonSchema)]
struct Quotient {
    quotient: i64,
    remainder: i64,
}

async fn divide(Args(of): Args<Division>) -> Result<Json<Quotient>, io::Error> {
    let quotient = of.dividend.checked_div(of.divisor);
    let remainder = of.dividend.checked_rem(of.divisor);
    match (quotient, remainder) {
        (Some(quotient), Some(remainder)) => Ok(Json(Quotient {
            quotient,
            remainder,
        })),
        // The tool's caller reads this text. No program may pass its control characters on to a
        // terminal.
        _ => Err(io::Error::other(format!(
            "{} can't be divided\nby \u{1b}[31m{}\u{1b}[0m",
            of.dividend, of.divisor
        ))),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Poem {
    /// What it is about.
    about: String,
    /// How many lines it has.
    lines: Option<u8>,
}

async fn poem(Args(Poem { about, lines }): Args<Poem>) -> Vec<PromptMessage> {
    let lines = lines.unwrap_or(4);
    vec![
        PromptMessage::user(format!("Write {lines} lines about {about}.")),
        PromptMessage::assistant("In which language?"),
    ]
}

async fn subjects(typed: PartialArgument) -> Vec<String> {
    typed.matching(["autumn", "august", "spring"])
}

async fn farewell() -> &'static str {
    "Say goodbye."
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder("toolbox", env!("CARGO_PKG_VERSION"))
        .title("The Toolbox")
        .instructions("Greet before you divide.")
        .tool(Tool::new("greet", greet).description("Greets somebody"))
        .tool(Tool::new("divide", divide).description("Divides with remainder"))
        .prompt(
            Prompt::new("poem", poem)
                .description("Asks for a poem")
                .complete("about", subjects),
        )
        .prompt(Prompt::new("farewell", farewell).title("Farewell"))
        .build()?;
    let Some(address) = std::env::args().nth(1) else {
        server.serve_stdio().await?;
        return Ok(());
    };
    let http = HttpServer::bind(address).await?;
    writeln!(io::stderr(), "http://{}/mcp", http.local_addr())?;
    http.serve(server.http(), shutdown::requested()).await?;
    Ok(())
}
