//! Every way for a handler to fail, with one handler each: what a model reads from a tool, and what
//! the host's code reads from a resource, a prompt or a completion. The server uses standard input
//! and output, or HTTP at the address in its argument.
//!
//! ```console
//! $ plainly call problem -- cargo run -q --example failing
//! error: problem: The note 'drafts' was not found. Known ids: welcome
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::num::ParseIntError;
use std::time::Duration;

use plainly::errors::{ApplicationCode, ProblemBag, Problems, UrlElicitation};
use plainly::server::{BuildErrors, DeclaredFailure, DeclaredProblems, ServerBuilder};
use plainly::transport::http::HttpServer;
use plainly::{
    Args, Context, Failure, Json, Problem, ProblemCode, Prompt, ProtocolError, Resource,
    ResourceTemplate, ResourceUri, Server, Tool, Vars, shutdown,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use tokio::task::JoinError;

fn no_note() -> Problem {
    Problem::not_found("note", "drafts").suggest("Known ids: welcome")
}

/// A problem: the model reads its sentence and its suggestion.
async fn problem() -> Result<String, Problem> {
    Err(no_note())
}

/// Several problems: the model can correct all of them at once.
async fn bag() -> Result<String, Problems> {
    let mut problems = ProblemBag::new();
    problems
        .invalid("email", "needs an @")
        .invalid("name", "is too short");
    problems.into_result().map(|()| "valid".to_owned())
}

/// Any error, returned by `?`.
async fn plain() -> Result<String, ParseIntError> {
    let port: u16 = "eighty".parse()?;
    Ok(port.to_string())
}

/// An error of the protocol: a model reads only its message, and code also reads its code.
async fn protocol() -> Result<String, ProtocolError> {
    Err(ProtocolError::invalid_params("Note ids are words"))
}

async fn panicking() -> String {
    panic!("the password is hunter2")
}

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// The number of notes.
    count: u8,
}

/// A handler that never runs if its arguments don't fit.
async fn arguments(Args(Wanted { count }): Args<Wanted>) -> String {
    format!("{count} it is")
}

#[derive(Serialize, JsonSchema)]
struct Length {
    characters: i64,
}

/// A tool whose structured output has a schema. A problem does not follow this schema.
async fn structured() -> Result<Json<Length>, Problem> {
    Err(no_note())
}

/// Fails unless the client declares sampling.
async fn sampling(context: Context) -> Result<String, ProtocolError> {
    if context.capabilities().sampling.is_some() {
        return Ok("Let us sample.".to_owned());
    }
    let required = Map::from_iter([("sampling".to_owned(), json!({}))]);
    Err(ProtocolError::missing_client_capability(required))
}

/// Fails until the user visits a URL.
async fn sign_in() -> Result<String, ProtocolError> {
    let url = "https://notes.example.com/sign-in";
    let visit = UrlElicitation::new("sign-in", url, "Sign in to your notes");
    Err(ProtocolError::url_elicitation_required([visit]))
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

/// An application's own code, outside every reserved range.
async fn teapot() -> Result<String, ProtocolError> {
    const TEAPOT: ApplicationCode = ApplicationCode::of::<418>();
    Err(ProtocolError::application(TEAPOT, "I'm a teapot"))
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: String,
}

/// The errors of a program.
enum NoteError {
    Locked,
}

/// Converts the errors into problems, so that `?` is enough in handlers.
impl From<NoteError> for Problem {
    fn from(error: NoteError) -> Self {
        match error {
            NoteError::Locked => Self::custom("LOCKED", "Somebody else is writing."),
        }
    }
}

/// Declares the codes of a handler's problems, which clients can read before they call it.
impl DeclaredProblems for NoteError {
    const CODES: &'static [ProblemCode] = &[ProblemCode::custom("LOCKED")];
}

fn write() -> Result<String, NoteError> {
    Err(NoteError::Locked)
}

async fn own() -> Result<String, DeclaredFailure<NoteError>> {
    Ok(write()?)
}

/// A problem within an error of another library, which stays that problem.
async fn wrapped() -> io::Result<String> {
    Err(io::Error::other(no_note()))
}

/// A task that panics, which is an internal error, like a handler that panics.
async fn task() -> Result<String, JoinError> {
    tokio::spawn(async { panic!("the password is hunter2") }).await
}

/// An error of the protocol with the application's own data.
async fn data() -> Result<String, ProtocolError> {
    Err(ProtocolError::invalid_params("At most 100 notes").with_data("limit", 100))
}

/// An error that only a server may report: from a handler it becomes an internal error, and does
/// not set the HTTP status.
async fn pretending() -> Result<String, ProtocolError> {
    Err(ProtocolError::method_not_found("notes/read"))
}

/// A URI that is invalid, and one that names nothing.
async fn note(
    uri: ResourceUri,
    Vars(Note { id }): Vars<Note>,
) -> Result<&'static str, ProtocolError> {
    if !id.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let why = format!("Note ids are lowercase letters, got {id:?}");
        return Err(ProtocolError::invalid_params(why));
    }
    match &*id {
        "welcome" => Ok("Read tools.md first."),
        _ => Err(ProtocolError::resource_not_found(uri)),
    }
}

/// A completion of a variable or an argument, which fails as a resource or a prompt does.
async fn offline() -> Result<Vec<String>, Problem> {
    Err(Problem::service_unavailable("index"))
}

async fn uncounted() -> Result<Vec<String>, Failure> {
    let port: u16 = "eighty".parse()?;
    Ok(vec![port.to_string()])
}

/// Adds the handlers whose errors a model reads.
fn tools(server: ServerBuilder) -> ServerBuilder {
    server
        .tool(Tool::new("problem", problem))
        .tool(Tool::new("bag", bag))
        .tool(Tool::new("plain", plain))
        .tool(Tool::new("protocol", protocol))
        .tool(Tool::new("panic", panicking))
        .tool(Tool::new("arguments", arguments))
        .tool(Tool::new("structured", structured))
        .tool(Tool::new("sampling", sampling))
        .tool(Tool::new("sign-in", sign_in))
        .tool(Tool::new("own", own))
        .tool(Tool::new("wrapped", wrapped))
        .tool(Tool::new("task", task))
}

/// Adds the resources, whose errors the host's code reads.
fn resources(server: ServerBuilder) -> ServerBuilder {
    let notes = ResourceTemplate::new("note://{id}", note).name("note");
    server
        .resource(Resource::new("failing://missing", missing))
        .resource(Resource::new("failing://denied", denied))
        .resource(Resource::new("failing://limited", limited))
        .resource(Resource::new("failing://broken", broken))
        .resource(Resource::new("failing://panic", panicking))
        .resource(Resource::new("failing://teapot", teapot))
        .resource(Resource::new("failing://sign-in", sign_in))
        .resource(Resource::new("failing://own", own))
        .resource(Resource::new("failing://wrapped", wrapped))
        .resource(Resource::new("failing://task", task))
        .resource(Resource::new("failing://data", data))
        .resource(Resource::new("failing://pretending", pretending))
        .resource_template(notes.complete("id", offline))
}

/// Adds prompts with the handlers of the tools above. The host's code reads their errors.
fn prompts(server: ServerBuilder) -> ServerBuilder {
    let arguments = Prompt::new("arguments", arguments).complete("count", uncounted);
    server
        .prompt(Prompt::new("problem", problem))
        .prompt(Prompt::new("bag", bag))
        .prompt(Prompt::new("plain", plain))
        .prompt(Prompt::new("protocol", protocol))
        .prompt(Prompt::new("panic", panicking))
        .prompt(arguments)
}

/// Builds the server, which is the same for every client.
fn server() -> Result<Server, BuildErrors> {
    let server = Server::builder("failing", env!("CARGO_PKG_VERSION"));
    prompts(resources(tools(server))).build()
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
