//! Every way in which a handler can fail, one handler each: what a model reads of a tool, what the host's code reads of a
//! resource. Over standard input and output, or over HTTP at the address that is its argument.
//!
//! ```console
//! $ plainly call problem -- cargo run -q --example failing
//! error: problem: The note 'drafts' was not found. Known ids: welcome
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::num::ParseIntError;
use std::time::Duration;

use plainly::errors::{ApplicationCode, Problem, ProblemBag};
use plainly::server::BuildErrors;
use plainly::transport::http::HttpServer;
use plainly::{
    Args, Context, Failure, Json, ProtocolError, Resource, ResourceUri, Server, Tool, shutdown,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

fn no_note() -> Problem {
    Problem::not_found("note", "drafts").suggest("Known ids: welcome")
}

/// A problem: the model reads its sentence and what to do about it.
async fn problem() -> Result<String, Problem> {
    Err(no_note())
}

/// Several problems: the model mends all of them at once.
async fn bag() -> Result<String, ProblemBag> {
    let mut problems = ProblemBag::new();
    problems
        .invalid("email", "needs an @")
        .invalid("name", "is too short");
    problems.into_result().map(|()| "valid".to_owned())
}

/// Any error, by `?`.
async fn plain() -> Result<String, ParseIntError> {
    let port: u16 = "eighty".parse()?;
    Ok(port.to_string())
}

/// An error of the protocol: no code reaches the model, only its message.
async fn protocol() -> Result<String, ProtocolError> {
    Err(ProtocolError::invalid_params("Note ids are words"))
}

async fn panicking() -> String {
    panic!("the password is hunter2")
}

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// How many.
    count: u8,
}

/// Called with arguments that don't fit, it never runs.
async fn arguments(Args(Wanted { count }): Args<Wanted>) -> String {
    format!("{count} it is")
}

#[derive(Serialize, JsonSchema)]
struct Length {
    characters: i64,
}

/// A tool whose structured output has a schema, which a problem is not of.
async fn structured() -> Result<Json<Length>, Problem> {
    Err(no_note())
}

/// What the host must do first: declare that it can sample.
async fn sampling(context: Context) -> Result<String, ProtocolError> {
    if context.capabilities().sampling.is_some() {
        return Ok("Let us sample.".to_owned());
    }
    let required = Map::from_iter([("sampling".to_owned(), json!({}))]);
    Err(ProtocolError::missing_client_capability(required))
}

async fn missing(uri: ResourceUri) -> Result<String, ProtocolError> {
    Err(ProtocolError::resource_not_found(uri))
}

async fn denied() -> Result<String, Problem> {
    Err(Problem::access_denied("read", "Only admins may."))
}

async fn limited() -> Result<String, Problem> {
    Err(Problem::rate_limited("reads", Duration::from_secs(60)))
}

async fn broken() -> Result<String, Failure> {
    let port: u16 = "eighty".parse()?;
    Ok(port.to_string())
}

/// A code of the application's own, outside every reserved range.
async fn teapot() -> Result<String, ProtocolError> {
    const TEAPOT: ApplicationCode = ApplicationCode::of::<418>();
    Err(ProtocolError::application(TEAPOT, "I'm a teapot"))
}

/// The server, for every peer.
fn server() -> Result<Server, BuildErrors> {
    Server::builder("failing", env!("CARGO_PKG_VERSION"))
        .tool(Tool::new("problem", problem))
        .tool(Tool::new("bag", bag))
        .tool(Tool::new("plain", plain))
        .tool(Tool::new("protocol", protocol))
        .tool(Tool::new("panic", panicking))
        .tool(Tool::new("arguments", arguments))
        .tool(Tool::new("structured", structured))
        .tool(Tool::new("sampling", sampling))
        .resource(Resource::new("failing://missing", missing))
        .resource(Resource::new("failing://denied", denied))
        .resource(Resource::new("failing://limited", limited))
        .resource(Resource::new("failing://broken", broken))
        .resource(Resource::new("failing://panic", panicking))
        .resource(Resource::new("failing://teapot", teapot))
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = server()?;
    let Some(address) = std::env::args().nth(1) else {
        return Ok(server.serve_stdio().await?);
    };
    let http = HttpServer::bind(address).await?;
    writeln!(io::stderr(), "http://{}/mcp", http.local_addr())?;
    Ok(http.serve(server.http(), shutdown::requested()).await?)
}
