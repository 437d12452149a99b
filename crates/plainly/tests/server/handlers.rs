//! All possible handlers, parameters and return types: everything compiles, and a server is built
//! from it.

use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use plainly::protocol::types::{Body, CallToolResult, Content, ResourceContents};
use plainly::{
    Args, Blob, Context, Failure, Json, ProtocolError, Resource, ResourceUri, Server, State, Text,
    Tool,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Note {
    id: String,
}

#[derive(Debug)]
struct Own;

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("own")
    }
}

impl Error for Own {}

/// A type like `anyhow::Error`, which is no error itself, but dereferences to one and becomes one.
struct Anyhow(Box<dyn Error + Send + Sync>);

impl Deref for Anyhow {
    type Target = dyn Error + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl From<Anyhow> for Box<dyn Error + Send + Sync> {
    fn from(error: Anyhow) -> Self {
        error.0
    }
}

async fn every_argument(
    State(text): State<Arc<str>>,
    Args(note): Args<Note>,
    context: Context,
    State(number): State<u8>,
) -> Result<Json<Note>, Failure> {
    let _: u8 = "1".parse()?;
    let id = format!("{text} {} {number} {}", note.id, context.client().is_some());
    Ok(Json(Note { id }))
}

async fn mixes_errors(uri: ResourceUri, _: Context, State(_): State<u8>) -> Result<Text, Failure> {
    let _: u8 = uri.parse()?;
    Err(ProtocolError::resource_not_found(uri).into())
}

#[expect(
    clippy::too_many_arguments,
    reason = "the most that a handler can take"
)]
async fn eight(
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
) {
}

#[test]
fn every_kind_of_handler_is_served() {
    let shared: Arc<str> = "shared".into();
    let captured = Arc::clone(&shared);
    let server = Server::builder("server", "1")
        .state(Arc::clone(&shared))
        .state(7_u8)
        .tool(Tool::new("arguments", every_argument))
        .tool(Tool::new("eight", eight))
        .tool(Tool::new("str", async || "text"))
        .tool(Tool::new("string", || async { String::new() }))
        .tool(Tool::new("content", async || Content::text("text")))
        .tool(Tool::new("contents", async || vec![Content::text("text")]))
        .tool(Tool::new("result", async || CallToolResult::new([])))
        .tool(Tool::new("nothing", async |_: Context| ()))
        .tool(Tool::new("fails", async || Err::<(), _>(Own)))
        .tool(Tool::new("fails-boxed", async || {
            Err::<(), Box<dyn Error + Send + Sync>>(Own.into())
        }))
        .tool(Tool::new("fails-anyhow", async || {
            Err::<(), _>(Anyhow(Own.into()))
        }))
        .tool(Tool::new("fails-by-protocol", async || {
            Err::<(), _>(ProtocolError::internal("no"))
        }))
        .tool(Tool::new("captures", move || {
            let captured = Arc::clone(&captured);
            async move { captured.to_string() }
        }))
        .resource(Resource::new("app://mixed", mixes_errors))
        .resource(Resource::new("app://str", async || "text"))
        .resource(Resource::new("app://string", async || String::new()))
        .resource(Resource::new("app://text", async || {
            Text::markdown("# Text")
        }))
        .resource(Resource::new("app://blob", async || {
            Blob::new(b"\x89PNG", "image/png")
        }))
        .resource(Resource::new("app://contents", async |uri: ResourceUri| {
            let described = plainly::protocol::types::Resource::new(uri, "contents");
            vec![ResourceContents::new(described, Body::Text(String::new()))]
        }))
        .resource(Resource::new("app://own", async || Err::<Text, _>(Own)))
        .resource(Resource::new("app://boxed", async || {
            Err::<Blob, Box<dyn Error + Send + Sync>>(Own.into())
        }))
        .resource(Resource::new("app://anyhow", async || {
            Err::<&str, _>(Anyhow(Own.into()))
        }))
        .resource(Resource::new("app://protocol", async || {
            Err::<String, _>(ProtocolError::resource_not_found("app://protocol"))
        }))
        .build();
    server.expect("everything that the handlers need is there");
}
