//! A server inside an axum application: each user's notes, in a state that both share. A layer of
//! the application authenticates the caller. A layer of the server prevents guests from writing, on
//! every transport.
//!
//! `cargo run -p plainly --example mounted`, then
//! `plainly call --header 'Authorization: Bearer alice-secret' http://127.0.0.1:3333/mcp add-note text=Hello`.
//! To use another address, pass it as the argument.
#![expect(clippy::print_stderr, reason = "says where it listens")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use plainly::errors::Problem;
use plainly::protocol::method::Method;
use plainly::server::{BuildErrors, extract, layer};
use plainly::{Args, Context, Principal, Resource, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// The notes of each user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<BTreeMap<Principal, Vec<String>>>>);

impl Notes {
    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<Principal, Vec<String>>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Deserialize, JsonSchema)]
struct NewNote {
    /// The text of the note.
    text: String,
}

async fn add_note(
    extract::State(notes): extract::State<Notes>,
    context: Context,
    Args(NewNote { text }): Args<NewNote>,
) -> Result<String, Problem> {
    let owner = owner(&context)?;
    let count = notes.with(|all| {
        let own = all.entry(owner).or_default();
        own.push(text);
        own.len()
    });
    Ok(format!("You have {count} notes"))
}

async fn my_notes(
    extract::State(notes): extract::State<Notes>,
    context: Context,
) -> Result<String, Problem> {
    let owner = owner(&context)?;
    Ok(notes.with(|all| all.get(&owner).map_or(String::new(), |own| own.join("\n"))))
}

/// Returns the owner of the notes. Over another transport there may be none.
fn owner(context: &Context) -> Result<Principal, Problem> {
    let principal = context.principal().cloned();
    principal.ok_or_else(|| Problem::access_denied("notes", "Log in first."))
}

/// Rejects tool calls of guests, who may only read.
async fn guard(request: layer::Request, next: layer::Next) -> Result<layer::Outcome, Problem> {
    let is_guest = request.principal().map(Principal::as_str) == Some("guest");
    if is_guest && request.method() == Method::CallTool {
        let tool = request.name().unwrap_or_default();
        return Err(Problem::access_denied(tool, "Guests only read."));
    }
    Ok(next.run(request).await)
}

/// Builds the server without the application.
pub(crate) fn server(notes: Notes) -> Result<Server, BuildErrors> {
    Server::builder("mounted", env!("CARGO_PKG_VERSION"))
        .state(notes)
        .tool(Tool::new("add-note", add_note).description("Writes down a note of yours"))
        .resource(Resource::new("notes://mine", my_notes).name("mine"))
        .layer(layer::from_fn(guard))
        .build()
}

/// Accepts requests with a token, and adds the token's owner. A real application would look up the
/// token.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let header = request.headers().get(AUTHORIZATION);
    let token = header.and_then(|header| header.to_str().ok()?.strip_prefix("Bearer "));
    let Some(name) = token.and_then(|token| token.strip_suffix("-secret")) else {
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response();
    };
    let principal = Principal::new(name);
    request.extensions_mut().insert(principal);
    next.run(request).await
}

async fn count(State(notes): State<Notes>) -> String {
    let count = notes.with(|all| all.values().map(Vec::len).sum::<usize>());
    format!("{count} notes")
}

/// The application, with the server at `/mcp`.
pub(crate) fn application() -> Result<Router, BuildErrors> {
    let notes = Notes::default();
    let mcp = Router::new()
        .route_service("/mcp", server(notes.clone())?.http())
        .route_layer(from_fn(authenticate));
    Ok(Router::new()
        .route("/count", get(count))
        .with_state(notes)
        .merge(mcp))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:3333");
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("http://{}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, application()?).await?)
}
